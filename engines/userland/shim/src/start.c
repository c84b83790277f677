#include "start.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "k.h"
#include "place.h"
#include "root.h"

size_t arguments(char *const argv[]) {
  size_t n = 0;
  while (argv && argv[n]) n++;
  return n;
}

void fill(const struct start *s, char *const argv[], const char **out) {
  size_t k = 0, n = arguments(argv);
  for (int i = 0; i < s->count; i++) out[k++] = s->first[i];
  for (size_t i = s->count > 0 ? 1 : 0; i < n; i++) out[k++] = argv[i];
  out[k] = NULL;
}

static int copy(char *to, const char *from) {
  size_t n = 0;
  to[0] = 0;
  return append(to, PATH_MAX, &n, from) ? 0 : ENAMETOOLONG;
}

// foreign says whether the file is a program for the linker of an ordinary glibc system: there is none here.
static int foreign(int fd, const unsigned char *head, long n) {
  Elf64_Ehdr e;
  if (n < (long)sizeof e) return 0;
  memcpy(&e, head, sizeof e);
  if (memcmp(e.e_ident, ELFMAG, SELFMAG) != 0 || e.e_ident[EI_CLASS] != ELFCLASS64 || e.e_phentsize != sizeof(Elf64_Phdr)) return 0;
  for (unsigned i = 0; i < e.e_phnum; i++) {
    Elf64_Phdr p;
    if (sys_pread(fd, &p, sizeof p, e.e_phoff + (uint64_t)i * sizeof p) != sizeof p) return 0;
    if (p.p_type != PT_INTERP) continue;
    char name[shebang_room] = "";
    if (sys_pread(fd, name, p.p_filesz < sizeof name - 1 ? p.p_filesz : sizeof name - 1, p.p_offset) <= 0) return 0;
    const char *base = strrchr(name, '/');
    return base && !strncmp(base, "/ld-linux", 9) && !under(name, keva_root);
  }
  return 0;
}

// through starts a foreign program by the tree's linker, with the preload. ldk takes the linker's place, so that refused
// calls are handled from the first one on. The program's path is in s->script.
static int through(struct start *s, const char *name) {
  char stub[PATH_MAX];
  size_t n = 0, k = 0;
  within("/l/ldk", stub);
  if (!sys_may(stub, X_OK)) return 0; // the kernel will say what is wrong
  if (!append(s->library, sizeof s->library, &n, keva_root) || !append(s->library, sizeof s->library, &n, "/l") ||
      !append(s->preload, sizeof s->preload, &k, keva_root) || !append(s->preload, sizeof s->preload, &k, "/l/k.so"))
    return 0;
  int c = 0;
  s->first[c++] = "ldk";
  s->first[c++] = "--argv0";
  s->first[c++] = name;
  s->first[c++] = "--library-path";
  s->first[c++] = s->library;
  s->first[c++] = "--preload";
  s->first[c++] = s->preload;
  s->first[c++] = s->script;
  s->count = c;
  return 1;
}

int decide(struct start *s, const char *path, char *const argv[]) {
  unsigned char head[shebang_room];
  char buf[PATH_MAX];
  s->count = 0;
  if (!path) return EFAULT;
  int e = copy(s->path, place(path, buf));
  if (e) return e;
  int fd = sys_open(s->path, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return fd == -ENOENT ? ENOENT : 0; // a program that can't be read is the kernel's business
  long n = sys_pread(fd, head, sizeof head, 0);
  const char *name = argv && argv[0] ? argv[0] : path;
  if (!sys_may(s->path, X_OK)) { // the interpreter would run what the kernel doesn't
    sys_close(fd);
    return EACCES;
  }
  if (n > 0 && shebang(head, (size_t)n, &s->line)) {
    sys_close(fd);
    const char *interpreter = place(s->line.interpreter, buf);
    if (!sys_may(interpreter, X_OK)) return ENOENT;
    // $0 and sys.argv[0] show the name that was given, unless it exists in the tree only.
    if ((e = copy(s->script, s->path)) != 0) return e;
    s->first[s->count++] = s->line.interpreter;
    if (s->line.argument) s->first[s->count++] = s->line.argument;
    s->first[s->count++] = path[0] == '/' && strcmp(path, s->path) != 0 ? s->script : path;
    if ((e = copy(s->path, interpreter)) != 0) return e;
    return 0;
  }
  if (n > 0 && foreign(fd, head, n) && copy(s->script, s->path) == 0 && through(s, name)) within("/l/ldk", s->path);
  sys_close(fd);
  return 0;
}

int execute(const char *path, char *const argv[], char *const envp[]) {
  struct start s;
  int e = decide(&s, path, argv);
  if (e) {
    errno = e;
    return -1;
  }
  if (s.count == 0) return (int)result(raw(SYS_execve, num(s.path), num(argv), num(envp), 0, 0, 0));
  const char *a[arguments(argv) + 13];
  fill(&s, argv, a);
  return (int)result(raw(SYS_execve, num(s.path), num(a), num(envp), 0, 0, 0));
}

int shell(const char *path, char *const argv[], char *const envp[]) {
  size_t n = arguments(argv), k = 0;
  const char *a[n + 3];
  char sh[PATH_MAX];
  a[k++] = "sh";
  a[k++] = path;
  for (size_t i = 1; i < n; i++) a[k++] = argv[i];
  a[k] = NULL;
  return (int)result(raw(SYS_execve, num(within("/usr/bin/sh", sh)), num(a), num(envp), 0, 0, 0));
}

static int one(const char *path, char *const argv[], char *const envp[]) {
  int r = execute(path, argv, envp);
  return r < 0 && errno == ENOEXEC ? shell(path, argv, envp) : r;
}

int search(const char *file, char *const argv[], char *const envp[]) {
  if (!file || !*file) {
    errno = ENOENT;
    return -1;
  }
  if (strchr(file, '/')) return one(file, argv, envp);
  const char *path = getenv("PATH");
  char buf[PATH_MAX], standard[PATH_MAX];
  if (!path) {
    size_t n = 0;
    (void)(append(standard, sizeof standard, &n, keva_root) && append(standard, sizeof standard, &n, "/usr/bin:/system/bin"));
    path = standard;
  }
  int denied = 0;
  for (const char *s = path;; s++) {
    size_t k = strcspn(s, ":"), n = k;
    if (k + strlen(file) + 2 <= sizeof buf) {
      memcpy(buf, s, k);
      buf[n] = 0;
      (void)((k == 0 || append(buf, sizeof buf, &n, "/")) && append(buf, sizeof buf, &n, file));
      one(buf, argv, envp);
      if (errno == EACCES) denied = 1;
      else if (errno != ENOENT && errno != ENOTDIR && errno != ENAMETOOLONG) return -1;
    }
    s += k;
    if (!*s) break;
  }
  errno = denied ? EACCES : ENOENT;
  return -1;
}
