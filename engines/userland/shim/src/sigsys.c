// sigsys.c: SIGSYS stays ours. A program that resets all signals, or blocks them all, would die at its next refused call.
//
// Nothing here asks the linker for libc's functions: children call these between vfork and exec.
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <poll.h>

#include "k.h"
#include "refused.h"

// libc's own sigaction, by the name that no program overrides. It knows how handlers return.
int __sigaction(int sig, const struct sigaction *a, struct sigaction *old);

// handle installs the handler, unless ldk did: then its own is as good and was there earlier.
__attribute__((constructor(101))) static void handle(void) {
  struct sigaction a;
  if (__sigaction(SIGSYS, NULL, &a) == 0 && a.sa_handler != SIG_DFL && a.sa_handler != SIG_IGN) return;
  memset(&a, 0, sizeof a);
  a.sa_sigaction = on_sigsys;
  a.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART;
  (void)__sigaction(SIGSYS, &a, NULL);
  sigset_t s;
  sigemptyset(&s);
  sigaddset(&s, SIGSYS);
  (void)raw(SYS_rt_sigprocmask, SIG_UNBLOCK, num(&s), 0, 8, 0, 0);
}

// without gives the set without SIGSYS; copy is room for it.
static const sigset_t *without(const sigset_t *s, sigset_t *copy) {
  if (!s || sigismember(s, SIGSYS) != 1) return s;
  *copy = *s;
  sigdelset(copy, SIGSYS);
  return copy;
}

// SIGSYS can't be changed, and reads as never set.
EXPORT int sigaction(int sig, const struct sigaction *restrict a, struct sigaction *restrict old) {
  if (sig == SIGSYS) {
    if (old) memset(old, 0, sizeof *old);
    return 0;
  }
  struct sigaction copy;
  if (a && sigismember(&a->sa_mask, SIGSYS) == 1) { // nor may it be blocked in a handler
    copy = *a;
    sigdelset(&copy.sa_mask, SIGSYS);
    a = &copy;
  }
  return __sigaction(sig, a, old);
}

static sighandler_t set(int sig, sighandler_t h, int flags) {
  struct sigaction a, old;
  if (sig == SIGSYS) return SIG_DFL;
  memset(&a, 0, sizeof a);
  a.sa_handler = h;
  a.sa_flags = flags;
  if (!(flags & SA_NODEFER) && sig > 0 && sig < NSIG) sigaddset(&a.sa_mask, sig);
  return __sigaction(sig, &a, &old) < 0 ? SIG_ERR : old.sa_handler;
}

sighandler_t bsd_signal(int sig, sighandler_t h);
// libc's versions of these call its own sigaction; libuv resets all signals by one of them in its child.
EXPORT sighandler_t signal(int sig, sighandler_t h) { return set(sig, h, SA_RESTART); }
EXPORT sighandler_t bsd_signal(int sig, sighandler_t h) { return set(sig, h, SA_RESTART); }
EXPORT sighandler_t ssignal(int sig, sighandler_t h) { return set(sig, h, SA_RESTART); }
EXPORT sighandler_t sysv_signal(int sig, sighandler_t h) { return set(sig, h, (int)(SA_RESETHAND | SA_NODEFER)); }
EXPORT sighandler_t __sysv_signal(int sig, sighandler_t h) { return set(sig, h, (int)(SA_RESETHAND | SA_NODEFER)); }

// mask is sigprocmask without libc: it keeps the two signals that libc needs for itself out of the set, as libc does.
static int mask(int how, const sigset_t *s, sigset_t *old) {
  sigset_t copy;
  enum { cancel = 32, setxid = 33 };
  if (s) {
    uint64_t bits;
    memcpy(&bits, s, sizeof bits);
    if (how != SIG_UNBLOCK) bits &= ~(1ULL << (SIGSYS - 1));
    bits &= ~(1ULL << (cancel - 1) | 1ULL << (setxid - 1));
    memset(&copy, 0, sizeof copy);
    memcpy(&copy, &bits, sizeof bits);
    s = &copy;
  }
  if (old) memset(old, 0, sizeof *old);
  return (int)-raw(SYS_rt_sigprocmask, how, num(s), num(old), 8, 0, 0);
}

EXPORT int sigprocmask(int how, const sigset_t *restrict s, sigset_t *restrict old) { return (int)result(-mask(how, s, old)); }
EXPORT int pthread_sigmask(int how, const sigset_t *restrict s, sigset_t *restrict old) { return mask(how, s, old); }

// Handlers that run while a call waits with a mask run under that mask.
EXPORT int sigsuspend(const sigset_t *s) {
  sigset_t copy;
  s = without(s, &copy);
  return (int)result(raw(SYS_rt_sigsuspend, num(s), 8, 0, 0, 0, 0));
}
DECLARE_REAL(ppoll);
EXPORT int ppoll(struct pollfd *f, nfds_t n, const struct timespec *t, const sigset_t *s) {
  sigset_t copy;
  return CALL_REAL(ppoll)(f, n, t, without(s, &copy));
}
DECLARE_REAL(pselect);
EXPORT int pselect(int n, fd_set *restrict r, fd_set *restrict w, fd_set *restrict e, const struct timespec *restrict t, const sigset_t *restrict s) {
  sigset_t copy;
  return CALL_REAL(pselect)(n, r, w, e, t, without(s, &copy));
}
DECLARE_REAL(epoll_pwait);
EXPORT int epoll_pwait(int fd, struct epoll_event *e, int n, int t, const sigset_t *s) {
  sigset_t copy;
  return CALL_REAL(epoll_pwait)(fd, e, n, t, without(s, &copy));
}
