#include "place.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "raw.h"
#include "root.h"

int append(char *buf, size_t size, size_t *at, const char *s) {
  size_t n = strlen(s);
  if (n >= size - *at) return 0;
  memcpy(buf + *at, s, n + 1);
  *at += n;
  return 1;
}

size_t clean(const char *p, char *out, size_t size) {
  size_t n = 0;
  if (size < 2) return 0;
  while (*p) {
    while (*p == '/') p++;
    size_t k = strcspn(p, "/");
    if (k == 0 || (k == 1 && p[0] == '.')) {
      // nothing
    } else if (k == 2 && p[0] == '.' && p[1] == '.') {
      while (n > 0 && out[--n] != '/') {
      }
    } else {
      if (k + 2 > size - n) return 0; // slash, name, NUL
      out[n++] = '/';
      memcpy(out + n, p, k);
      n += k;
    }
    p += k;
  }
  if (n == 0) out[n++] = '/';
  out[n] = 0;
  return n;
}

int under(const char *p, const char *dir) {
  size_t n = strlen(dir);
  return !strncmp(p, dir, n) && (p[n] == 0 || p[n] == '/');
}

static const char *join(const char *dir, const char *rest, char *buf) {
  size_t n = 0;
  buf[0] = 0;
  return append(buf, PATH_MAX, &n, dir) && append(buf, PATH_MAX, &n, rest) ? buf : NULL;
}

const char *within(const char *rest, char *buf) {
  join(keva_root, rest, buf);
  return buf;
}

// temporary maps what is behind /tmp.
static const char *temporary(const char *p, const char *rest, char *buf) {
  const char *dir = getenv("TMPDIR");
  if (dir && dir[0] == '/' && !under(dir, "/tmp") && !under(dir, "/var/tmp")) {
    const char *r = join(dir, rest, buf);
    return r ? r : p;
  }
  if (sys_may("/tmp", F_OK)) return p;
  char tail[PATH_MAX];
  const char *t = join("/tmp", rest, tail);
  return t ? within(t, buf) : p;
}

// kernel gives a stand-in for a file of the kernel that apps may not read. The app writes them.
static const char *kernel(const char *p, const char *name, char *buf) {
  static const char *const names[] = {"stat", "uptime", "loadavg", "version", "vmstat"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(name, names[i]) != 0 || sys_may(p, R_OK)) continue;
    size_t n = 0;
    return append(buf, PATH_MAX, &n, keva_root) && append(buf, PATH_MAX, &n, "/var/proc/") && append(buf, PATH_MAX, &n, name) ? buf : p;
  }
  return p;
}

// interesting: by the first letter behind the slash most paths need no closer look.
static int interesting(const char *p) {
  return p[0] == '/' && p[1] && (strchr("tvbuelsop/.", p[1]) != NULL || !strncmp(p, "/dev/shm", 8));
}

const char *place(const char *p, char *buf) {
  static const char *const dirs[] = {"/bin", "/usr", "/etc", "/lib", "/lib64", "/sbin", "/opt", "/var"};
  char name[PATH_MAX];
  if (!p || !interesting(p)) return p;
  if (!clean(p, name, sizeof name)) return p;
  // A slash at the end means "if it is a folder"; it is kept.
  size_t n = strlen(name), last = strlen(p);
  if (n > 1 && p[last - 1] == '/' && !append(name, sizeof name, &n, "/")) return p;
  if (under(name, "/tmp")) return temporary(p, name + 4, buf);
  if (under(name, "/var/tmp")) return temporary(p, name + 8, buf);
  // Python asks this folder for its size before it makes a file there.
  if (under(name, "/dev/shm") && !sys_may("/dev/shm", F_OK)) return temporary(p, name + 8, buf);
  if (under(name, "/dev/shm") && !sys_may("/dev/shm", F_OK)) return temporary(p, name + 8, buf); // Python asks how much fits
  if (!strncmp(name, "/proc/", 6)) return kernel(p, name + 6, buf);
  for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++) {
    if (!under(name, dirs[i])) continue;
    const char *r = join(keva_root, name, buf);
    return r && sys_may(r, F_OK) ? r : p;
  }
  return p;
}
