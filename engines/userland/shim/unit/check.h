// check.h: a failed check says where and what, and ends the test.
#pragma once

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(x)                                                                                  \
  do {                                                                                            \
    if (!(x)) {                                                                                   \
      fprintf(stderr, "%s:%d: %s is false (errno %d, %s)\n", __FILE__, __LINE__, #x, errno, strerror(errno)); \
      exit(1);                                                                                    \
    }                                                                                             \
  } while (0)
#define SAME(got, want)                                                                  \
  do {                                                                                   \
    const char *g_ = (got), *w_ = (want);                                                \
    if (!g_ || strcmp(g_, w_) != 0) {                                                    \
      fprintf(stderr, "%s:%d: %s is %s, want %s\n", __FILE__, __LINE__, #got, g_ ? g_ : "(null)", w_); \
      exit(1);                                                                           \
    }                                                                                    \
  } while (0)
