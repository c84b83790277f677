// start.h: what to execute for a path.
#pragma once

#include <limits.h>

#include "shebang.h"

// A start keeps everything on its owner's stack: it is used after vfork, where memory is the parent's, and by threads.
struct start {
  char path[PATH_MAX]; // what to execute
  struct shebang line;
  char script[PATH_MAX];
  char library[shebang_room + 8], preload[shebang_room + 8];
  const char *first[12]; // arguments in place of the first one
  int count;             // of first; 0: the arguments stay as they are
};

#pragma GCC visibility push(hidden)

// decide fills in s for a program that is called by path, with arguments argv. It returns 0 or an errno.
int decide(struct start *s, const char *path, char *const argv[]);

// arguments gives the number of entries of argv.
size_t arguments(char *const argv[]);

// fill writes the final arguments, which are at most arguments(argv) + 13 with the last NULL.
void fill(const struct start *s, char *const argv[], const char **out);

// execute is execve, with everything said above. It returns -1 with errno, or not.
int execute(const char *path, char *const argv[], char *const envp[]);

// shell executes a text without a #! line.
int shell(const char *path, char *const argv[], char *const envp[]);

// search tries file in each folder of $PATH by try, which returns -1 with errno, or not at all.
int search(const char *file, char *const argv[], char *const envp[]);

#pragma GCC visibility pop
