// nameservers.h: the name servers of a resolv.conf, which here may have ports.
#pragma once

#include <netinet/in.h>
#include <stddef.h>

// nameservers reads lines "nameserver ADDRESS" and "nameserver ADDRESS:PORT", IPv4 only, and gives how many of at most
// limit are in out. Other lines are no business of ours.
int nameservers(const char *text, size_t n, struct sockaddr_in *out, int limit) __attribute__((visibility("hidden")));
