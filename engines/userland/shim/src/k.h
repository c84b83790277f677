// k.h: what the parts of k.so share.
#pragma once

#include <errno.h>
#include <limits.h>

#include "raw.h"

// Everything that a program is meant to find in place of libc's own function.
#define EXPORT __attribute__((visibility("default")))

// result turns a kernel's answer into libc's: -1 and errno.
static inline long result(long r) {
  if (r >= 0 || r <= -4096) return r;
  errno = (int)-r;
  return -1;
}

// null: headers promise that some arguments are not, and compilers believe them. Programs pass it all the same.
static inline int null(const void *p) {
  __asm__("" : "+r"(p));
  return !p;
}

// CALL_REAL gives libc's own function behind an exported one, declared by DECLARE_REAL. The first use asks the linker,
// which is not allowed in signal handlers and after vfork: functions that are called there don't use it.
#define DECLARE_REAL(f) static __typeof__(&f) real_##f
#define CALL_REAL(f) (real_##f ? real_##f : (real((void **)&real_##f, #f), real_##f))
void real(void **at, const char *name) __attribute__((visibility("hidden")));
