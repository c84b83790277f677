// files.c: functions that take a path, which is mapped (place.h). What the kernel can do directly is a plain system call:
// it needs no lookup of libc's function and is safe wherever libc's is.
#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>

#include "k.h"
#include "place.h"

// HERE maps p for the rest of the function.
#define HERE(p)                 \
  char mapped_##p[PATH_MAX];    \
  p = place(p, mapped_##p)

// ---- open

static int opened(int dir, const char *p, int flags, mode_t mode) {
  HERE(p);
  return (int)result(raw(SYS_openat, dir, num(p), flags, (long)mode, 0, 0));
}
#define MODE(flags)                                                        \
  mode_t mode = 0;                                                         \
  if (flags & (O_CREAT | __O_TMPFILE)) {                                   \
    va_list ap;                                                            \
    va_start(ap, flags);                                                   \
    mode = va_arg(ap, mode_t);                                             \
    va_end(ap);                                                            \
  }
EXPORT int open(const char *p, int flags, ...) {
  MODE(flags)
  return opened(AT_FDCWD, p, flags, mode);
}
EXPORT int open64(const char *p, int flags, ...) {
  MODE(flags)
  return opened(AT_FDCWD, p, flags | O_LARGEFILE, mode);
}
EXPORT int openat(int dir, const char *p, int flags, ...) {
  MODE(flags)
  return opened(dir, p, flags, mode);
}
EXPORT int openat64(int dir, const char *p, int flags, ...) {
  MODE(flags)
  return opened(dir, p, flags | O_LARGEFILE, mode);
}
EXPORT int creat(const char *p, mode_t mode) { return opened(AT_FDCWD, p, O_CREAT | O_WRONLY | O_TRUNC, mode); }
EXPORT int creat64(const char *p, mode_t mode) { return opened(AT_FDCWD, p, O_CREAT | O_WRONLY | O_TRUNC | O_LARGEFILE, mode); }

// What programs call that were compiled with _FORTIFY_SOURCE.
int __open_2(const char *p, int flags);
int __open64_2(const char *p, int flags);
int __openat_2(int dir, const char *p, int flags);
int __openat64_2(int dir, const char *p, int flags);
ssize_t __readlink_chk(const char *p, char *b, size_t n, size_t room);
ssize_t __readlinkat_chk(int dir, const char *p, char *b, size_t n, size_t room);
char *__realpath_chk(const char *p, char *b, size_t room);
EXPORT int __open_2(const char *p, int flags) { return opened(AT_FDCWD, p, flags, 0); }
EXPORT int __open64_2(const char *p, int flags) { return opened(AT_FDCWD, p, flags | O_LARGEFILE, 0); }
EXPORT int __openat_2(int dir, const char *p, int flags) { return opened(dir, p, flags, 0); }
EXPORT int __openat64_2(int dir, const char *p, int flags) { return opened(dir, p, flags | O_LARGEFILE, 0); }

// ---- stat; the kernel's struct is libc's on both processors

static int status(int dir, const char *p, void *s, int flags) {
  HERE(p);
  return (int)result(raw(SYS_newfstatat, dir, num(p), num(s), flags, 0, 0));
}
EXPORT int stat(const char *restrict p, struct stat *restrict s) { return status(AT_FDCWD, p, s, 0); }
EXPORT int stat64(const char *restrict p, struct stat64 *restrict s) { return status(AT_FDCWD, p, s, 0); }
EXPORT int lstat(const char *restrict p, struct stat *restrict s) { return status(AT_FDCWD, p, s, AT_SYMLINK_NOFOLLOW); }
EXPORT int lstat64(const char *restrict p, struct stat64 *restrict s) { return status(AT_FDCWD, p, s, AT_SYMLINK_NOFOLLOW); }
EXPORT int fstatat(int d, const char *restrict p, struct stat *restrict s, int f) { return status(d, p, s, f); }
EXPORT int fstatat64(int d, const char *restrict p, struct stat64 *restrict s, int f) { return status(d, p, s, f); }
// Programs older than glibc 2.33.
int __xstat(int v, const char *p, struct stat *s);
int __xstat64(int v, const char *p, struct stat64 *s);
int __lxstat(int v, const char *p, struct stat *s);
int __lxstat64(int v, const char *p, struct stat64 *s);
int __fxstatat(int v, int d, const char *p, struct stat *s, int f);
int __fxstatat64(int v, int d, const char *p, struct stat64 *s, int f);
EXPORT int __xstat(int v, const char *p, struct stat *s) { return (void)v, status(AT_FDCWD, p, s, 0); }
EXPORT int __xstat64(int v, const char *p, struct stat64 *s) { return (void)v, status(AT_FDCWD, p, s, 0); }
EXPORT int __lxstat(int v, const char *p, struct stat *s) { return (void)v, status(AT_FDCWD, p, s, AT_SYMLINK_NOFOLLOW); }
EXPORT int __lxstat64(int v, const char *p, struct stat64 *s) { return (void)v, status(AT_FDCWD, p, s, AT_SYMLINK_NOFOLLOW); }
EXPORT int __fxstatat(int v, int d, const char *p, struct stat *s, int f) { return (void)v, status(d, p, s, f); }
EXPORT int __fxstatat64(int v, int d, const char *p, struct stat64 *s, int f) { return (void)v, status(d, p, s, f); }

// ---- one path, one system call

// DIRECT(name, parameters, path, call number, arguments)
#define DIRECT(ret, name, params, p, ...)             \
  EXPORT ret name params {                            \
    HERE(p);                                          \
    return (ret)result(raw(__VA_ARGS__));             \
  }
static int access_as(int dir, const char *p, int how) {
  HERE(p);
  return (int)result(raw(SYS_faccessat, dir, num(p), how, 0, 0, 0));
}
// Real and effective ids are equal in an app.
EXPORT int access(const char *p, int how) { return access_as(AT_FDCWD, p, how); }
EXPORT int eaccess(const char *p, int how) { return access_as(AT_FDCWD, p, how); }
EXPORT int euidaccess(const char *p, int how) { return access_as(AT_FDCWD, p, how); }
DIRECT(ssize_t, readlink, (const char *restrict p, char *restrict b, size_t n), p, SYS_readlinkat, AT_FDCWD, num(p), num(b), (long)n, 0, 0)
DIRECT(ssize_t, readlinkat, (int d, const char *restrict p, char *restrict b, size_t n), p, SYS_readlinkat, d, num(p), num(b), (long)n, 0, 0)
DIRECT(int, mkdir, (const char *p, mode_t m), p, SYS_mkdirat, AT_FDCWD, num(p), (long)m, 0, 0, 0)
DIRECT(int, mkdirat, (int d, const char *p, mode_t m), p, SYS_mkdirat, d, num(p), (long)m, 0, 0, 0)
DIRECT(int, mkfifo, (const char *p, mode_t m), p, SYS_mknodat, AT_FDCWD, num(p), (long)(m | S_IFIFO), 0, 0, 0)
DIRECT(int, mkfifoat, (int d, const char *p, mode_t m), p, SYS_mknodat, d, num(p), (long)(m | S_IFIFO), 0, 0, 0)
DIRECT(int, mknod, (const char *p, mode_t m, dev_t v), p, SYS_mknodat, AT_FDCWD, num(p), (long)m, (long)v, 0, 0)
DIRECT(int, rmdir, (const char *p), p, SYS_unlinkat, AT_FDCWD, num(p), AT_REMOVEDIR, 0, 0, 0)
DIRECT(int, unlink, (const char *p), p, SYS_unlinkat, AT_FDCWD, num(p), 0, 0, 0, 0)
DIRECT(int, unlinkat, (int d, const char *p, int f), p, SYS_unlinkat, d, num(p), f, 0, 0, 0)
DIRECT(int, chmod, (const char *p, mode_t m), p, SYS_fchmodat, AT_FDCWD, num(p), (long)m, 0, 0, 0)
DIRECT(int, chdir, (const char *p), p, SYS_chdir, num(p), 0, 0, 0, 0, 0)
DIRECT(int, truncate, (const char *p, off_t n), p, SYS_truncate, num(p), n, 0, 0, 0, 0)
DIRECT(int, truncate64, (const char *p, off64_t n), p, SYS_truncate, num(p), n, 0, 0, 0, 0)
DIRECT(ssize_t, getxattr, (const char *p, const char *k, void *v, size_t n), p, SYS_getxattr, num(p), num(k), num(v), (long)n, 0, 0)
DIRECT(ssize_t, lgetxattr, (const char *p, const char *k, void *v, size_t n), p, SYS_lgetxattr, num(p), num(k), num(v), (long)n, 0, 0)
DIRECT(ssize_t, listxattr, (const char *p, char *v, size_t n), p, SYS_listxattr, num(p), num(v), (long)n, 0, 0, 0)
DIRECT(ssize_t, llistxattr, (const char *p, char *v, size_t n), p, SYS_llistxattr, num(p), num(v), (long)n, 0, 0, 0)
DIRECT(int, setxattr, (const char *p, const char *k, const void *v, size_t n, int f), p, SYS_setxattr, num(p), num(k), num(v), (long)n, f, 0)
DIRECT(int, lsetxattr, (const char *p, const char *k, const void *v, size_t n, int f), p, SYS_lsetxattr, num(p), num(k), num(v), (long)n, f, 0)
DIRECT(int, removexattr, (const char *p, const char *k), p, SYS_removexattr, num(p), num(k), 0, 0, 0, 0)
DIRECT(int, lremovexattr, (const char *p, const char *k), p, SYS_lremovexattr, num(p), num(k), 0, 0, 0, 0)
DIRECT(int, chown, (const char *p, uid_t u, gid_t g), p, SYS_fchownat, AT_FDCWD, num(p), (long)u, (long)g, 0, 0)
DIRECT(int, lchown, (const char *p, uid_t u, gid_t g), p, SYS_fchownat, AT_FDCWD, num(p), (long)u, (long)g, AT_SYMLINK_NOFOLLOW, 0)
DIRECT(int, fchownat, (int d, const char *p, uid_t u, gid_t g, int f), p, SYS_fchownat, d, num(p), (long)u, (long)g, f, 0)
DIRECT(int, statfs, (const char *p, struct statfs *s), p, SYS_statfs, num(p), num(s), 0, 0, 0, 0)
DIRECT(int, statfs64, (const char *p, struct statfs64 *s), p, SYS_statfs, num(p), num(s), 0, 0, 0, 0)
DIRECT(int, inotify_add_watch, (int f, const char *p, uint32_t k), p, SYS_inotify_add_watch, f, num(p), (long)k, 0, 0, 0)

EXPORT ssize_t __readlink_chk(const char *p, char *b, size_t n, size_t room) {
  if (n > room) abort();
  return readlink(p, b, n);
}
EXPORT ssize_t __readlinkat_chk(int dir, const char *p, char *b, size_t n, size_t room) {
  if (n > room) abort();
  return readlinkat(dir, p, b, n);
}

EXPORT int remove(const char *p) {
  int r = unlink(p);
  return r < 0 && (errno == EISDIR || errno == EPERM) && rmdir(p) == 0 ? 0 : r;
}

// ---- two paths

static int renamed(int d, const char *p, int e, const char *q, unsigned flags) {
  HERE(p);
  HERE(q);
  long r = flags ? raw(SYS_renameat2, d, num(p), e, num(q), (long)flags, 0) : raw(SYS_renameat, d, num(p), e, num(q), 0, 0);
  return (int)result(r);
}
EXPORT int rename(const char *p, const char *q) { return renamed(AT_FDCWD, p, AT_FDCWD, q, 0); }
EXPORT int renameat(int d, const char *p, int e, const char *q) { return renamed(d, p, e, q, 0); }
EXPORT int renameat2(int d, const char *p, int e, const char *q, unsigned flags) { return renamed(d, p, e, q, flags); }

static int linked(int d, const char *p, int e, const char *q, int flags) {
  HERE(p);
  HERE(q);
  return (int)result(raw(SYS_linkat, d, num(p), e, num(q), flags, 0));
}
EXPORT int link(const char *p, const char *q) { return linked(AT_FDCWD, p, AT_FDCWD, q, 0); }
EXPORT int linkat(int d, const char *p, int e, const char *q, int flags) { return linked(d, p, e, q, flags); }

// What a symbolic link says is text, and stays.
EXPORT int symlinkat(const char *text, int d, const char *p) {
  HERE(p);
  return (int)result(raw(SYS_symlinkat, num(text), d, num(p), 0, 0, 0));
}
EXPORT int symlink(const char *text, const char *p) { return symlinkat(text, AT_FDCWD, p); }

// ---- times

static int timed(int d, const char *p, const struct timespec t[2], int flags) {
  HERE(p);
  return (int)result(raw(SYS_utimensat, d, num(p), num(t), flags, 0, 0));
}
static int timed_val(int d, const char *p, const struct timeval v[2], int flags) {
  struct timespec t[2];
  for (int i = 0; v && i < 2; i++) t[i] = (struct timespec){v[i].tv_sec, v[i].tv_usec * 1000};
  return timed(d, p, v ? t : NULL, flags);
}
EXPORT int utimensat(int d, const char *p, const struct timespec t[2], int flags) {
  if (null(p)) { // the kernel would take it for the folder itself
    errno = EINVAL;
    return -1;
  }
  return timed(d, p, t, flags);
}
EXPORT int utimes(const char *p, const struct timeval v[2]) { return timed_val(AT_FDCWD, p, v, 0); }
EXPORT int lutimes(const char *p, const struct timeval v[2]) { return timed_val(AT_FDCWD, p, v, AT_SYMLINK_NOFOLLOW); }
EXPORT int futimesat(int d, const char *p, const struct timeval v[2]) { return timed_val(d, p, v, 0); }
EXPORT int utime(const char *p, const struct utimbuf *u) {
  struct timespec t[2];
  if (u) {
    t[0] = (struct timespec){u->actime, 0};
    t[1] = (struct timespec){u->modtime, 0};
  }
  return timed(AT_FDCWD, p, u ? t : NULL, 0);
}

// ---- what libc does with more than one call

#define THROUGH(ret, name, params, p, ...)   \
  DECLARE_REAL(name);                        \
  EXPORT ret name params {                   \
    HERE(p);                                 \
    return CALL_REAL(name)(__VA_ARGS__);     \
  }
THROUGH(FILE *, fopen, (const char *restrict p, const char *restrict m), p, p, m)
THROUGH(FILE *, fopen64, (const char *restrict p, const char *restrict m), p, p, m)
THROUGH(FILE *, freopen, (const char *restrict p, const char *restrict m, FILE *restrict f), p, p, m, f)
THROUGH(FILE *, freopen64, (const char *restrict p, const char *restrict m, FILE *restrict f), p, p, m, f)
THROUGH(DIR *, opendir, (const char *p), p, p)
THROUGH(int, faccessat, (int d, const char *p, int m, int f), p, d, p, m, f)
THROUGH(int, fchmodat, (int d, const char *p, mode_t m, int f), p, d, p, m, f)
THROUGH(int, statx, (int d, const char *restrict p, int f, unsigned k, struct statx *restrict s), p, d, p, f, k, s)
THROUGH(int, statvfs, (const char *restrict p, struct statvfs *restrict s), p, p, s)
THROUGH(int, statvfs64, (const char *restrict p, struct statvfs64 *restrict s), p, p, s)
THROUGH(long, pathconf, (const char *p, int n), p, p, n)
THROUGH(char *, realpath, (const char *restrict p, char *restrict r), p, p, r)
THROUGH(char *, canonicalize_file_name, (const char *p), p, p)
EXPORT char *__realpath_chk(const char *p, char *b, size_t room) {
  if (b && room < PATH_MAX) abort();
  return realpath(p, b);
}
