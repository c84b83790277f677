// exec.c: the exec family. All are safe after vfork, as libc's are.
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "k.h"
#include "start.h"

EXPORT int execve(const char *p, char *const a[], char *const e[]) { return execute(p, a, e); }
EXPORT int execv(const char *p, char *const a[]) { return execute(p, a, environ); }
EXPORT int execvp(const char *f, char *const a[]) { return search(f, a, environ); }
EXPORT int execvpe(const char *f, char *const a[], char *const e[]) { return search(f, a, e); }

EXPORT int fexecve(int fd, char *const a[], char *const e[]) {
  char p[32] = "/proc/self/fd/";
  char digits[12];
  int n = 0;
  if (fd < 0 || null(a) || null(e)) {
    errno = EINVAL;
    return -1;
  }
  for (int v = fd; n == 0 || v > 0; v /= 10) digits[n++] = (char)('0' + v % 10);
  char *to = p + strlen(p);
  while (n > 0) *to++ = digits[--n];
  *to = 0;
  return execute(p, a, e);
}

EXPORT int execveat(int dir, const char *p, char *const a[], char *const e[], int flags) {
  if (!null(p) && p[0] == '/') return execute(p, a, e);
  return (int)result(raw(SYS_execveat, dir, num(p), num(a), num(e), flags, 0));
}

// LIST copies the arguments of execl and the like to v; last reads what comes behind them.
#define LIST(v, first, last)                              \
  va_list ap;                                             \
  size_t n = 1;                                           \
  va_start(ap, first);                                    \
  while (va_arg(ap, char *)) n++;                         \
  va_end(ap);                                             \
  char *v[n + 1];                                         \
  va_start(ap, first);                                    \
  memcpy(&v[0], &first, sizeof v[0]);                     \
  for (size_t i = 1; i <= n; i++) v[i] = va_arg(ap, char *); \
  last;                                                   \
  va_end(ap)

EXPORT int execl(const char *p, const char *a, ...) {
  LIST(v, a, (void)0);
  return execute(p, v, environ);
}
EXPORT int execlp(const char *f, const char *a, ...) {
  LIST(v, a, (void)0);
  return search(f, v, environ);
}
EXPORT int execle(const char *p, const char *a, ...) {
  LIST(v, a, char **e = va_arg(ap, char **));
  return execute(p, v, e);
}
