// shared.c: shared memory and named semaphores, in $TMPDIR: there is no /dev/shm.
#include <semaphore.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "k.h"
#include "place.h"

// named writes where the object lies: /tmp/KIND.NAME, mapped. 0 and errno when that is no name.
static const char *named(const char *kind, const char *name, char *buf) {
  char at[PATH_MAX];
  size_t n = 0;
  while (*name == '/') name++;
  if (!*name || strchr(name, '/')) {
    errno = EINVAL;
    return NULL;
  }
  if (!append(at, sizeof at, &n, "/tmp/") || !append(at, sizeof at, &n, kind) || !append(at, sizeof at, &n, name)) {
    errno = ENAMETOOLONG;
    return NULL;
  }
  const char *to = place(at, buf);
  if (to == at) memcpy(buf, at, n + 1);
  return buf;
}
static int gone(const char *kind, const char *name) {
  char buf[PATH_MAX];
  const char *p = named(kind, name, buf);
  return p ? (int)result(raw(SYS_unlinkat, AT_FDCWD, num(p), 0, 0, 0, 0)) : -1;
}

EXPORT int shm_open(const char *name, int flags, mode_t mode) {
  char buf[PATH_MAX];
  const char *p = named("shm.", name, buf);
  return p ? (int)result(sys_open(p, flags | O_CLOEXEC | O_NOFOLLOW, mode)) : -1;
}
EXPORT int shm_unlink(const char *name) { return gone("shm.", name); }

// create makes the semaphore's file whole under another name and gives it its own: who opens it finds a finished one.
static int create(const char *p, mode_t mode, unsigned value, int exclusive) {
  char temp[PATH_MAX];
  size_t n = 0;
  sem_t s;
  memset(&s, 0, sizeof s);
  if (sem_init(&s, 1, value) < 0) return -EINVAL;
  if (!append(temp, sizeof temp, &n, p) || !append(temp, sizeof temp, &n, ".XXXXXX")) return -ENAMETOOLONG;
  int fd = mkostemp(temp, O_CLOEXEC);
  if (fd < 0) return -errno;
  enum { exists = 1 }; // RENAME_NOREPLACE
  long r = raw(SYS_pwrite64, fd, num(&s), sizeof s, 0, 0, 0) == sizeof s ? raw(SYS_fchmod, fd, (long)mode, 0, 0, 0, 0) : -ENOSPC;
  if (r == 0) r = raw(SYS_renameat2, AT_FDCWD, num(temp), AT_FDCWD, num(p), exists, 0);
  if (r == -EINVAL) r = raw(SYS_renameat, AT_FDCWD, num(temp), AT_FDCWD, num(p), 0, 0); // a filesystem without it
  if (r == 0) return fd;
  unlink(temp);
  sys_close(fd);
  // Somebody was faster, which is what the caller wants if he may share.
  return r == -EEXIST && !exclusive ? sys_open(p, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0) : (int)r;
}

EXPORT sem_t *sem_open(const char *name, int flags, ...) {
  char buf[PATH_MAX];
  mode_t mode = 0;
  unsigned value = 0;
  if (flags & O_CREAT) {
    va_list ap;
    va_start(ap, flags);
    mode = va_arg(ap, mode_t);
    value = va_arg(ap, unsigned);
    va_end(ap);
  }
  const char *p = named("sem.", name, buf);
  if (!p) return SEM_FAILED;
  int exclusive = (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL);
  int fd = exclusive ? -ENOENT : sys_open(p, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
  if (fd == -ENOENT && flags & O_CREAT) fd = create(p, mode, value, exclusive);
  if (fd < 0) {
    errno = -fd;
    return SEM_FAILED;
  }
  void *at = mmap(NULL, sizeof(sem_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  sys_close(fd);
  return at == MAP_FAILED ? SEM_FAILED : at;
}
EXPORT int sem_close(sem_t *s) { return munmap(s, sizeof *s); }
EXPORT int sem_unlink(const char *name) { return gone("sem.", name); }
