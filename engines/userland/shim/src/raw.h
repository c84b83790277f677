// raw.h: system calls without libc. The results are the kernel's: a negative number is an error.
//
// Used where libc must not be entered (a signal handler, a child that shares its parent's memory) or is not there (ldk).
#pragma once

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>

static inline long raw(long n, long a, long b, long c, long d, long e, long f) {
#if defined(__x86_64__)
  long r;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
  return r;
#elif defined(__aarch64__)
  register long x8 __asm__("x8") = n;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register long x5 __asm__("x5") = f;
  __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
#else
#error "neither x86_64 nor aarch64"
#endif
}

// Pointers become numbers here and nowhere else.
static inline long num(const void *p) { return (long)(intptr_t)p; }

static inline int sys_open(const char *path, int flags, mode_t mode) {
  return (int)raw(SYS_openat, AT_FDCWD, num(path), flags, (long)mode, 0, 0);
}

static inline void sys_close(int fd) { (void)raw(SYS_close, fd, 0, 0, 0, 0, 0); }

static inline long sys_pread(int fd, void *to, size_t n, uint64_t offset) {
  return raw(SYS_pread64, fd, num(to), (long)n, (long)offset, 0, 0);
}

// sys_may says whether the file may be accessed: F_OK, R_OK, X_OK.
static inline int sys_may(const char *path, int how) { return raw(SYS_faccessat, AT_FDCWD, num(path), how, 0, 0, 0) == 0; }
