// descriptors.c: calls on descriptors that a policy refuses, and sockets with a path.
//
// Without GNU's own words, in which a socket's address is a union that no function of ours could match.
#undef _GNU_SOURCE
#define _DEFAULT_SOURCE

#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "k.h"
#include "place.h"

// The policies of arm64 have accept4 only.
EXPORT int accept(int fd, struct sockaddr *restrict a, socklen_t *restrict n) {
  return (int)result(raw(SYS_accept4, fd, num(a), num(n), 0, 0, 0));
}

// x86_64's have dup3 only. Children call it between vfork and exec, when a handler may be gone.
EXPORT int dup2(int from, int to) {
  if (from == to) return fcntl(from, F_GETFD) < 0 ? -1 : to;
  return (int)result(raw(SYS_dup3, from, to, 0, 0, 0, 0));
}

// mapped gives the address to use for a. An AF_UNIX path lies at a mapped place if it fits there.
static const struct sockaddr *mapped(const struct sockaddr *a, socklen_t *n, struct sockaddr_un *room) {
  char path[sizeof room->sun_path + 1], buf[PATH_MAX];
  const size_t head = offsetof(struct sockaddr_un, sun_path);
  if (!a || *n <= head || *n > sizeof *room || a->sa_family != AF_UNIX) return a;
  memcpy(path, (const char *)a + head, *n - head); // it need not end in NUL
  path[*n - head] = 0;
  const char *to = path[0] == '/' ? place(path, buf) : path;
  size_t k = strlen(to);
  if (to == path || k >= sizeof room->sun_path) return a;
  memset(room, 0, sizeof *room);
  room->sun_family = AF_UNIX;
  memcpy(room->sun_path, to, k);
  *n = (socklen_t)(head + k + 1);
  return (const struct sockaddr *)room;
}
EXPORT int bind(int fd, const struct sockaddr *a, socklen_t n) {
  struct sockaddr_un room;
  a = mapped(a, &n, &room);
  return (int)result(raw(SYS_bind, fd, num(a), (long)n, 0, 0, 0));
}
DECLARE_REAL(connect);
EXPORT int connect(int fd, const struct sockaddr *a, socklen_t n) {
  struct sockaddr_un room;
  a = mapped(a, &n, &room);
  return CALL_REAL(connect)(fd, a, n);
}
