// place.h: where a path of an ordinary Linux system lies in an app.
#pragma once

#include <stddef.h>

#pragma GCC visibility push(hidden)

// clean writes p, which is absolute, without "//", "." and ".." to out. 0 when it doesn't fit into size bytes.
size_t clean(const char *p, char *out, size_t size);

// under says whether p is dir or inside of it. Both are clean.
int under(const char *p, const char *dir);

// place gives the path to use for p: p itself, or one in buf, which has PATH_MAX bytes. Mapped are
//   /tmp, /var/tmp                   to $TMPDIR (without one to the tree's tmp, where there is no /tmp)
//   /dev/shm, where there is none    likewise
//   /bin /usr /etc /lib /opt /var …  to the tree, if the file exists there
//   /proc/stat and the like          to a stand-in, where the app may not read the kernel's
// It is safe in handlers and after vfork. A null pointer stays one.
const char *place(const char *p, char *buf);

// within writes ROOT/rest to buf, which has PATH_MAX bytes, and gives it back.
const char *within(const char *rest, char *buf);

// append adds s at *at of a buffer of size bytes and moves *at. It returns 0 when s doesn't fit; buf ends in NUL always.
int append(char *buf, size_t size, size_t *at, const char *s);

#pragma GCC visibility pop
