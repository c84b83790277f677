#include "refused.h"

#include <errno.h>
#include <time.h>
#include <ucontext.h>

#include "raw.h"

#if defined(__x86_64__)
// The policy of x86_64 also refuses the calls that arm64 never had; the *at and the numbered calls do the same.

static long poll_legacy(long fds, long n, long milliseconds) {
  int ms = (int)milliseconds;
  struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
  return raw(SYS_ppoll, fds, n, ms < 0 ? 0 : num(&t), 0, 8, 0);
}

static long select_legacy(const long a[6]) {
  const struct timeval *timeout = (const struct timeval *)(intptr_t)a[4];
  struct timespec t = {0, 0};
  if (timeout) {
    // Linux's select takes more than a second of microseconds; pselect6 does not.
    t.tv_sec = timeout->tv_sec + timeout->tv_usec / 1000000;
    t.tv_nsec = timeout->tv_usec % 1000000 * 1000;
  }
  return raw(SYS_pselect6, a[0], a[1], a[2], a[3], timeout ? num(&t) : 0, 0);
}

static long time_legacy(long *where) {
  struct timespec t = {0, 0};
  (void)raw(SYS_clock_gettime, CLOCK_REALTIME, num(&t), 0, 0, 0, 0);
  if (where) *where = t.tv_sec;
  return t.tv_sec;
}

static long alarm_legacy(long seconds) {
  long next[4] = {0, 0, seconds, 0}, old[4] = {0, 0, 0, 0};
  (void)raw(SYS_setitimer, 0, num(next), num(old), 0, 0, 0);
  return old[2] + (old[3] != 0);
}

static long utimes_legacy(long dir, long path, const struct timeval *tv) {
  struct timespec t[2];
  if (tv) {
    for (int i = 0; i < 2; i++) {
      t[i].tv_sec = tv[i].tv_sec;
      t[i].tv_nsec = tv[i].tv_usec * 1000;
    }
  }
  return raw(SYS_utimensat, dir, path, tv ? num(t) : 0, 0, 0, 0);
}

static long utime_legacy(long path, const long *seconds) {
  struct timespec t[2];
  if (seconds) {
    t[0] = (struct timespec){seconds[0], 0};
    t[1] = (struct timespec){seconds[1], 0};
  }
  return raw(SYS_utimensat, AT_FDCWD, path, seconds ? num(t) : 0, 0, 0, 0);
}

static long dup2_legacy(long from, long to) {
  if (from != to) return raw(SYS_dup3, from, to, 0, 0, 0, 0);
  return raw(SYS_fcntl, from, F_GETFD, 0, 0, 0, 0) < 0 ? -EBADF : to;
}

long refused(long n, const long a[6]) {
  const long here = AT_FDCWD;
  switch (n) {
  case SYS_accept: return raw(SYS_accept4, a[0], a[1], a[2], 0, 0, 0);
  case SYS_open: return raw(SYS_openat, here, a[0], a[1], a[2], 0, 0);
  case SYS_creat: return raw(SYS_openat, here, a[0], O_CREAT | O_WRONLY | O_TRUNC, a[1], 0, 0);
  case SYS_access: return raw(SYS_faccessat, here, a[0], a[1], 0, 0, 0);
  case SYS_stat: return raw(SYS_newfstatat, here, a[0], a[1], 0, 0, 0);
  case SYS_lstat: return raw(SYS_newfstatat, here, a[0], a[1], AT_SYMLINK_NOFOLLOW, 0, 0);
  case SYS_readlink: return raw(SYS_readlinkat, here, a[0], a[1], a[2], 0, 0);
  case SYS_mkdir: return raw(SYS_mkdirat, here, a[0], a[1], 0, 0, 0);
  case SYS_mknod: return raw(SYS_mknodat, here, a[0], a[1], a[2], 0, 0);
  case SYS_rmdir: return raw(SYS_unlinkat, here, a[0], AT_REMOVEDIR, 0, 0, 0);
  case SYS_unlink: return raw(SYS_unlinkat, here, a[0], 0, 0, 0, 0);
  case SYS_rename: return raw(SYS_renameat, here, a[0], here, a[1], 0, 0);
  case SYS_link: return raw(SYS_linkat, here, a[0], here, a[1], 0, 0);
  case SYS_symlink: return raw(SYS_symlinkat, a[0], here, a[1], 0, 0, 0);
  case SYS_chmod: return raw(SYS_fchmodat, here, a[0], a[1], 0, 0, 0);
  case SYS_chown: return raw(SYS_fchownat, here, a[0], a[1], a[2], 0, 0);
  case SYS_lchown: return raw(SYS_fchownat, here, a[0], a[1], a[2], AT_SYMLINK_NOFOLLOW, 0);
  case SYS_utime: return utime_legacy(a[0], (const long *)(intptr_t)a[1]);
  case SYS_utimes: return utimes_legacy(here, a[0], (const struct timeval *)(intptr_t)a[1]);
  case SYS_futimesat: return utimes_legacy(a[0], a[1], (const struct timeval *)(intptr_t)a[2]);
  case SYS_pipe: return raw(SYS_pipe2, a[0], 0, 0, 0, 0, 0);
  case SYS_dup2: return dup2_legacy(a[0], a[1]);
  case SYS_poll: return poll_legacy(a[0], a[1], a[2]);
  case SYS_select: return select_legacy(a);
  case SYS_epoll_create: return a[0] <= 0 ? -EINVAL : raw(SYS_epoll_create1, 0, 0, 0, 0, 0, 0);
  case SYS_epoll_wait: return raw(SYS_epoll_pwait, a[0], a[1], a[2], a[3], 0, 8);
  case SYS_eventfd: return raw(SYS_eventfd2, a[0], 0, 0, 0, 0, 0);
  case SYS_signalfd: return raw(SYS_signalfd4, a[0], a[1], a[2], 0, 0, 0);
  case SYS_inotify_init: return raw(SYS_inotify_init1, 0, 0, 0, 0, 0, 0);
  case SYS_getpgrp: return raw(SYS_getpgid, 0, 0, 0, 0, 0, 0);
  // The child returns from the handler as the parent does, with a stack of its own.
  case SYS_fork: return raw(SYS_clone, SIGCHLD, 0, 0, 0, 0, 0);
  case SYS_time: return time_legacy((long *)(intptr_t)a[0]);
  case SYS_alarm: return alarm_legacy(a[0]);
  case SYS_pause: return raw(SYS_ppoll, 0, 0, 0, 0, 8, 0);
  default: return -ENOSYS;
  }
}
#else
// The policies of arm64 refuse accept and allow accept4.
long refused(long n, const long a[6]) {
  if (n == SYS_accept) return raw(SYS_accept4, a[0], a[1], a[2], 0, 0, 0);
  return -ENOSYS;
}
#endif

void on_sigsys(int sig, siginfo_t *info, void *context) {
  (void)sig;
  enum { sys_seccomp = 1 }; // SYS_SECCOMP of newer headers; anybody may send a SIGSYS by kill
  if (info->si_code != sys_seccomp) return;
  mcontext_t *m = &((ucontext_t *)context)->uc_mcontext;
#if defined(__x86_64__)
  greg_t *g = m->gregs;
  const long a[6] = {g[REG_RDI], g[REG_RSI], g[REG_RDX], g[REG_R10], g[REG_R8], g[REG_R9]};
  g[REG_RAX] = refused(info->si_syscall, a);
#else
  long a[6];
  for (int i = 0; i < 6; i++) a[i] = (long)m->regs[i];
  m->regs[0] = (unsigned long long)refused(info->si_syscall, a);
#endif
}
