// refused.h: what becomes of a system call that Android's seccomp policy refuses.
#pragma once

#include <signal.h>

// refused gives the result of call n with its arguments: that of the call which replaces it, or -ENOSYS, as an older
// kernel would say. Callers fall back then. It runs in a signal handler, on any stack: no libc, no allocation, no state.
__attribute__((visibility("hidden"))) long refused(long n, const long a[6]);

// on_sigsys is the handler of SIGSYS: it puts refused's answer where the call's result belongs.
__attribute__((visibility("hidden"))) void on_sigsys(int sig, siginfo_t *info, void *context);
