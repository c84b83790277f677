// names.c: libc asks the name servers of the tree's etc/resolv.conf, which the app writes. It would look at /etc, where an
// app finds none, and the file may name a port: an app can't listen on port 53.
#include <netdb.h>
#include <resolv.h>
#include <string.h>

#include "k.h"
#include "nameservers.h"
#include "place.h"

// point tells this thread's resolver. libc keeps what a program wrote there.
static void point(void) {
  char path[PATH_MAX], text[1024];
  int fd = sys_open(within("/etc/resolv.conf", path), O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return; // as without k.so
  long n = sys_pread(fd, text, sizeof text, 0);
  sys_close(fd);
  struct sockaddr_in server[MAXNS];
  int count = n > 0 ? nameservers(text, (size_t)n, server, MAXNS) : 0;
  struct __res_state *state = __res_state();
  if (count == 0 || (!(state->options & RES_INIT) && res_ninit(state) < 0)) return;
  state->nscount = count;
  memcpy(state->nsaddr_list, server, (size_t)count * sizeof server[0]);
}

DECLARE_REAL(getaddrinfo);
EXPORT int getaddrinfo(const char *restrict host, const char *restrict service, const struct addrinfo *restrict hints, struct addrinfo **restrict found) {
  if (host && (!hints || !(hints->ai_flags & AI_NUMERICHOST))) point();
  return CALL_REAL(getaddrinfo)(host, service, hints, found);
}
DECLARE_REAL(gethostbyname);
EXPORT struct hostent *gethostbyname(const char *host) {
  point();
  return CALL_REAL(gethostbyname)(host);
}
DECLARE_REAL(gethostbyname2);
EXPORT struct hostent *gethostbyname2(const char *host, int family) {
  point();
  return CALL_REAL(gethostbyname2)(host, family);
}
DECLARE_REAL(gethostbyname_r);
EXPORT int gethostbyname_r(const char *restrict host, struct hostent *restrict h, char *restrict room, size_t n, struct hostent **restrict found, int *restrict e) {
  point();
  return CALL_REAL(gethostbyname_r)(host, h, room, n, found, e);
}
DECLARE_REAL(gethostbyname2_r);
EXPORT int gethostbyname2_r(const char *restrict host, int family, struct hostent *restrict h, char *restrict room, size_t n, struct hostent **restrict found, int *restrict e) {
  point();
  return CALL_REAL(gethostbyname2_r)(host, family, h, room, n, found, e);
}
