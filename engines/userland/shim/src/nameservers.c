#include "nameservers.h"

#include <arpa/inet.h>
#include <string.h>

static int digits(const char *s, size_t n, unsigned most, unsigned *out) {
  unsigned v = 0;
  if (n == 0 || n > 5) return 0;
  for (size_t i = 0; i < n; i++) {
    if (s[i] < '0' || s[i] > '9') return 0;
    v = v * 10 + (unsigned)(s[i] - '0');
  }
  *out = v;
  return v <= most;
}

// address reads four numbers with dots, and maybe a port.
static int address(const char *s, size_t n, struct sockaddr_in *out) {
  uint32_t ip = 0;
  unsigned part, port = 53;
  const char *colon = memchr(s, ':', n);
  size_t left = colon ? (size_t)(colon - s) : n;
  if (colon && (!digits(colon + 1, n - left - 1, 65535, &port) || port == 0)) return 0;
  for (int i = 0; i < 4; i++) {
    const char *dot = memchr(s, '.', left);
    size_t k = i < 3 ? (dot ? (size_t)(dot - s) : 0) : left;
    if (!digits(s, k, 255, &part)) return 0;
    ip = ip << 8 | part;
    if (i == 3) break;
    s += k + 1;
    left -= k + 1;
  }
  memset(out, 0, sizeof *out);
  out->sin_family = AF_INET;
  out->sin_port = htons((uint16_t)port);
  out->sin_addr.s_addr = htonl(ip);
  return 1;
}

int nameservers(const char *text, size_t n, struct sockaddr_in *out, int limit) {
  static const char word[] = "nameserver";
  const size_t long_enough = sizeof word - 1;
  int found = 0;
  while (n > 0 && found < limit) {
    const char *end = memchr(text, '\n', n);
    size_t line = end ? (size_t)(end - text) : n, at = long_enough;
    if (line > at && !memcmp(text, word, at) && (text[at] == ' ' || text[at] == '\t')) {
      while (at < line && (text[at] == ' ' || text[at] == '\t')) at++;
      size_t k = at;
      while (k < line && text[k] != ' ' && text[k] != '\t' && text[k] != '\r' && text[k] != '#' && text[k] != ';') k++;
      found += address(text + at, k - at, &out[found]);
    }
    if (!end) break;
    n -= line + 1;
    text += line + 1;
  }
  return found;
}
