// temp.c: names that are made from a template. The template is changed in place and keeps its length, while the file lies
// at the mapped path.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "k.h"
#include "place.h"

static int temporary(char *template, int suffix, int flags, int folder) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  enum { room = 6, tries = 100 };
  char buf[PATH_MAX];
  size_t n = strlen(template), at = 0;
  const char *mapped = place(template, buf);
  if (suffix < 0 || n < room + (size_t)suffix || memcmp(template + n - room - (size_t)suffix, "XXXXXX", room) != 0) {
    errno = EINVAL;
    return -1;
  }
  if (mapped == template && !append(buf, sizeof buf, &at, template)) {
    errno = ENAMETOOLONG;
    return -1;
  }
  // Mapping changes the beginning only: both end in the same letters.
  char *x = buf + strlen(buf) - room - (size_t)suffix;
  for (int i = 0; i < tries; i++) {
    unsigned char random[room];
    if (raw(SYS_getrandom, num(random), room, 0, 0, 0, 0) != room) break;
    for (int k = 0; k < room; k++) x[k] = letters[random[k] % (sizeof letters - 1)];
    long r = folder ? raw(SYS_mkdirat, AT_FDCWD, num(buf), 0700, 0, 0, 0)
                    : sys_open(buf, (flags & ~O_ACCMODE) | O_RDWR | O_CREAT | O_EXCL, 0600);
    if (r == -EEXIST) continue;
    if (r >= 0) memcpy(template + n - room - (size_t)suffix, x, room);
    return (int)result(r);
  }
  errno = EEXIST;
  return -1;
}
EXPORT int mkstemp(char *t) { return temporary(t, 0, 0, 0); }
EXPORT int mkstemp64(char *t) { return temporary(t, 0, 0, 0); }
EXPORT int mkostemp(char *t, int f) { return temporary(t, 0, f, 0); }
EXPORT int mkostemp64(char *t, int f) { return temporary(t, 0, f, 0); }
EXPORT int mkstemps(char *t, int s) { return temporary(t, s, 0, 0); }
EXPORT int mkstemps64(char *t, int s) { return temporary(t, s, 0, 0); }
EXPORT int mkostemps(char *t, int s, int f) { return temporary(t, s, f, 0); }
EXPORT int mkostemps64(char *t, int s, int f) { return temporary(t, s, f, 0); }
EXPORT char *mkdtemp(char *t) { return temporary(t, 0, 0, 1) < 0 ? NULL : t; }

EXPORT FILE *tmpfile(void) {
  char name[] = "/tmp/fXXXXXX";
  int fd = mkstemp(name);
  if (fd < 0) return NULL;
  unlink(name);
  FILE *f = fdopen(fd, "w+");
  if (!f) close(fd);
  return f;
}
EXPORT FILE *tmpfile64(void) { return tmpfile(); }
