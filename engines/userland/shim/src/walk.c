// walk.c: functions of libc that walk through folders. They call libc's own functions inside, past files.c.
//
// scandir gives names and glob the pattern's own words, so both are complete. ftw, nftw and fts start at the mapped folder
// and report real paths below it, which every program can use.
#include <dirent.h>
#include <dlfcn.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "k.h"
#include "place.h"

static void *open_folder(const char *p) { return opendir(p); }
static struct dirent *read_folder(void *d) { return readdir(d); }
static void close_folder(void *d) { closedir(d); }

DECLARE_REAL(glob);
EXPORT int glob(const char *restrict pattern, int flags, int (*failed)(const char *, int), glob_t *restrict g) {
  if (flags & GLOB_ALTDIRFUNC) return CALL_REAL(glob)(pattern, flags, failed, g); // the program has its own
  g->gl_opendir = open_folder;
  g->gl_readdir = read_folder;
  g->gl_closedir = close_folder;
  g->gl_stat = stat;
  g->gl_lstat = lstat;
  int r = CALL_REAL(glob)(pattern, flags | GLOB_ALTDIRFUNC, failed, g);
  g->gl_flags &= ~GLOB_ALTDIRFUNC;
  return r;
}

#define START(p)             \
  char mapped[PATH_MAX];     \
  p = place(p, mapped)

DECLARE_REAL(scandir);
EXPORT int scandir(const char *restrict p, struct dirent ***restrict names, int (*filter)(const struct dirent *),
                   int (*order)(const struct dirent **, const struct dirent **)) {
  START(p);
  return CALL_REAL(scandir)(p, names, filter, order);
}
DECLARE_REAL(ftw);
EXPORT int ftw(const char *p, __ftw_func_t f, int open) {
  START(p);
  return CALL_REAL(ftw)(p, f, open);
}
DECLARE_REAL(nftw);
EXPORT int nftw(const char *p, __nftw_func_t f, int open, int flags) {
  START(p);
  return CALL_REAL(nftw)(p, f, open, flags);
}

// The 64-bit names have the same layout on these processors.
int glob64(const char *restrict pattern, int flags, int (*failed)(const char *, int), glob64_t *restrict g) __attribute__((visibility("default"), alias("glob")));
int ftw64(const char *p, __ftw64_func_t f, int open) __attribute__((visibility("default"), alias("ftw")));
int nftw64(const char *p, __nftw64_func_t f, int open, int flags) __attribute__((visibility("default"), alias("nftw")));
int scandir64(const char *restrict p, struct dirent64 ***restrict names, int (*filter)(const struct dirent64 *),
              int (*order)(const struct dirent64 **, const struct dirent64 **)) __attribute__((visibility("default"), alias("scandir")));

DECLARE_REAL(fts_open);
EXPORT FTS *fts_open(char *const *paths, int flags, int (*order)(const FTSENT **, const FTSENT **)) {
  size_t n = 0;
  while (paths[n]) n++;
  char **copy = calloc(n + 1, sizeof *copy);
  if (!copy) return NULL;
  size_t done = 0;
  for (; done < n; done++) {
    char mapped[PATH_MAX];
    copy[done] = strdup(place(paths[done], mapped));
    if (!copy[done]) break;
  }
  FTS *r = done == n ? CALL_REAL(fts_open)(copy, flags, order) : NULL; // it keeps copies
  int e = errno;
  for (size_t i = 0; i < done; i++) free(copy[i]);
  free(copy);
  errno = e;
  return r;
}

// dlopen looks at its caller for names without a slash, so it must return straight to it: a jump, no call.
DECLARE_REAL(dlopen);
static __attribute__((noinline)) void *placed(const char *p, int flags) {
  char mapped[PATH_MAX];
  return CALL_REAL(dlopen)(place(p, mapped), flags);
}
EXPORT void *dlopen(const char *p, int flags) {
  if (p && p[0] == '/') return placed(p, flags);
  return CALL_REAL(dlopen)(p, flags);
}
