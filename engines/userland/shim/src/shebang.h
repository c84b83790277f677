// shebang.h: the first line of a script, as Linux reads it.
#pragma once

#include <stddef.h>

enum { shebang_room = 256 }; // BINPRM_BUF_SIZE: Linux reads no more

struct shebang {
  char line[shebang_room];
  char *interpreter; // in line
  char *argument;    // the rest, one argument ("-S a b" is for env to split), or NULL
};

// shebang reads the first n bytes of a file. It returns 0 when they are no #! line that Linux would run.
int shebang(const unsigned char *bytes, size_t n, struct shebang *s) __attribute__((visibility("hidden")));
