// k.so: what a glibc program needs inside an unrooted Android app.
//  1. SIGSYS: a call refused by Android's seccomp policy returns -ENOSYS (or is
//     emulated) instead of killing the process.
//  2. exec: #! lines and paths under /bin /usr /lib... are taken from the userland;
//     a foreign glibc ELF is started through the userland's linker.
//  3. passwd/group: one user made from $USER and $HOME (there is no /etc/passwd).
//  4. files: absolute paths that exist only in the userland, and /tmp, are mapped.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <ucontext.h>
#include <unistd.h>
#include <utime.h>

#define EXPORT __attribute__((visibility("default")))
// The installation writes its absolute path here.
__attribute__((section(".keva.root"), used)) static volatile char rootbuf[256];
#define ROOT ((const char *)rootbuf)
extern char **environ;

#include "sys.h"

// ---- 1. SIGSYS --------------------------------------------------------------
static void on_sigsys(int sig, siginfo_t *si, void *uc) {
  (void)sig;
  if (si->si_code != 1) return; // SYS_SECCOMP
  mcontext_t *m = &((ucontext_t *)uc)->uc_mcontext;
#if defined(__x86_64__)
  greg_t *g = m->gregs;
  g[REG_RAX] = emulate(si->si_syscall, g[REG_RDI], g[REG_RSI], g[REG_RDX], g[REG_R10], g[REG_R8], g[REG_R9]);
#else
  __u64 *x = (__u64 *)m->regs;
  x[0] = emulate(si->si_syscall, x[0], x[1], x[2], x[3], x[4], x[5]);
#endif
}

static int (*real_sigaction)(int, const struct sigaction *, struct sigaction *);
static int (*real_sigprocmask)(int, const sigset_t *, sigset_t *);
static int (*real_pthread_sigmask)(int, const sigset_t *, sigset_t *);
#define REAL(f) (real_##f ?: (*(void **)&real_##f = dlsym(RTLD_NEXT, #f), real_##f))

__attribute__((constructor(101))) static void init(void) {
  struct sigaction sa;
  memset(&sa, 0, sizeof sa);
  sa.sa_sigaction = on_sigsys;
  sa.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART;
  REAL(sigaction)(SIGSYS, &sa, 0);
  sigset_t s;
  sigemptyset(&s);
  sigaddset(&s, SIGSYS);
  REAL(sigprocmask)(SIG_UNBLOCK, &s, 0);
}
EXPORT int sigaction(int sig, const struct sigaction *a, struct sigaction *o) {
  if (sig == SIGSYS && a) {
    if (o) { memset(o, 0, sizeof *o); }
    return 0;
  }
  return REAL(sigaction)(sig, a, o);
}
static const sigset_t *nosys(int how, const sigset_t *s, sigset_t *t) {
  if (!s || how == SIG_UNBLOCK || !sigismember(s, SIGSYS)) return s;
  *t = *s;
  sigdelset(t, SIGSYS);
  return t;
}
EXPORT int sigprocmask(int how, const sigset_t *s, sigset_t *o) {
  sigset_t t;
  return REAL(sigprocmask)(how, nosys(how, s, &t), o);
}
EXPORT int pthread_sigmask(int how, const sigset_t *s, sigset_t *o) {
  sigset_t t;
  return REAL(pthread_sigmask)(how, nosys(how, s, &t), o);
}

// ---- paths ------------------------------------------------------------------
static int under(const char *p, const char *dir) {
  size_t n = strlen(dir);
  return !strncmp(p, dir, n) && (p[n] == 0 || p[n] == '/');
}
static int exists(const char *p) { return raw(SYS_faccessat, AT_FDCWD, (long)p, F_OK, 0, 0, 0) == 0; }
// map gives the place of an absolute path; buf is PATH_MAX.
static const char *map(const char *p, char *buf) {
  if (!p || p[0] != '/') return p;
  if (under(p, "/tmp") || under(p, "/var/tmp")) {
    const char *t = getenv("TMPDIR");
    if (!t || under(t, "/tmp")) return p;
    const char *rest = p + (p[1] == 't' ? 4 : 8);
    if (snprintf(buf, PATH_MAX, "%s%s", t, rest) >= PATH_MAX) return p;
    return buf;
  }
  if (!strncmp(p, "/proc/", 6)) { // files of the kernel that apps may not read: stand-ins written by the app
    static const char *const f[] = {"stat", "uptime", "loadavg", "version", "vmstat"};
    for (int i = 0; i < 5; i++)
      if (!strcmp(p + 6, f[i]) && raw(SYS_faccessat, AT_FDCWD, (long)p, R_OK, 0, 0, 0) < 0) {
        snprintf(buf, PATH_MAX, "%s/var/proc/%s", ROOT, f[i]);
        return buf;
      }
    return p;
  }
  if (!(under(p, "/bin") || under(p, "/usr") || under(p, "/etc") || under(p, "/lib") || under(p, "/lib64") || under(p, "/sbin") || under(p, "/opt") || under(p, "/var")))
    return p;
  if (snprintf(buf, PATH_MAX, "%s%s", ROOT, p) >= PATH_MAX) return p;
  return exists(buf) ? buf : p;
}

// ---- 2. exec ----------------------------------------------------------------
struct plan {
  char path[PATH_MAX], line[260];
  const char *pre[8]; // new arguments before the old ones
  int npre, drop;     // drop: how many old arguments they replace
};
static int count(char *const a[]) {
  int n = 0;
  while (a && a[n]) n++;
  return n;
}
// decide fills in what to exec for path; -1 with errno when it can't be run.
static int decide(struct plan *pl, const char *path, char *const argv[]) {
  char buf[PATH_MAX];
  unsigned char h[2048];
  pl->npre = pl->drop = 0;
  snprintf(pl->path, sizeof pl->path, "%s", map(path, buf));
  int fd = raw(SYS_openat, AT_FDCWD, (long)pl->path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
  if (fd < 0) { // unreadable programs are the kernel's business
    if (fd == -ENOENT) { errno = ENOENT; return -1; }
    return 0;
  }
  long n = raw(SYS_pread64, fd, (long)h, sizeof h, 0, 0, 0);
  int rc = 0;
  if (n > 2 && h[0] == '#' && h[1] == '!') {
    int i = 2, j;
    if (n > 255) n = 255;
    while (i < n && (h[i] == ' ' || h[i] == '\t')) i++;
    for (j = i; j < n && h[j] != '\n'; j++) pl->line[j - i] = h[j];
    int len = j - i;
    while (len > 0 && (pl->line[len - 1] == ' ' || pl->line[len - 1] == '\t' || pl->line[len - 1] == '\r')) len--;
    pl->line[len] = 0;
    char *arg = strpbrk(pl->line, " \t");
    if (arg) { *arg++ = 0; arg += strspn(arg, " \t"); if (!*arg) arg = 0; }
    char script[PATH_MAX];
    snprintf(script, sizeof script, "%s", pl->path);
    const char *in = map(pl->line, buf);
    if (raw(SYS_faccessat, AT_FDCWD, (long)in, X_OK, 0, 0, 0) == 0) {
      // keep the script's name as it was given: $0 and sys.argv[0] show it
      static char keep[PATH_MAX];
      snprintf(keep, sizeof keep, "%s", path[0] == '/' && strcmp(script, path) ? script : path);
      pl->pre[pl->npre++] = pl->line;
      if (arg) pl->pre[pl->npre++] = arg;
      pl->pre[pl->npre++] = keep;
      pl->drop = 1;
      snprintf(pl->path, sizeof pl->path, "%s", in);
    } else {
      errno = ENOENT, rc = -1;
    }
  } else if (n >= (long)sizeof(Elf64_Ehdr) && !memcmp(h, "\177ELF", 4) && h[4] == 2) {
    Elf64_Ehdr *e = (void *)h;
    for (int i = 0; i < e->e_phnum; i++) {
      Elf64_Phdr ph;
      if (raw(SYS_pread64, fd, (long)&ph, sizeof ph, e->e_phoff + (long)i * e->e_phentsize, 0, 0) != sizeof ph) break;
      if (ph.p_type != PT_INTERP) continue;
      char in[256] = "";
      raw(SYS_pread64, fd, (long)in, ph.p_filesz < 255 ? ph.p_filesz : 255, ph.p_offset, 0, 0);
      const char *base = strrchr(in, '/');
      if (base && !strncmp(base, "/ld-linux", 9) && !under(in, ROOT)) {
        static char ld[PATH_MAX], lib[PATH_MAX], pre[PATH_MAX], self[PATH_MAX];
        snprintf(ld, sizeof ld, "%s%s", ROOT, in);
        snprintf(lib, sizeof lib, "%s/l", ROOT);
        snprintf(pre, sizeof pre, "%s/l/k.so", ROOT);
        snprintf(self, sizeof self, "%s", pl->path);
        if (exists(ld)) {
          const char *p[] = {ld, "--argv0", argv && argv[0] ? argv[0] : self, "--library-path", lib, "--preload", pre, self};
          for (int k = 0; k < 8; k++) pl->pre[k] = p[k];
          pl->npre = 8, pl->drop = 1;
          snprintf(pl->path, sizeof pl->path, "%s", ld);
        }
      }
      break;
    }
  }
  raw(SYS_close, fd, 0, 0, 0, 0, 0);
  return rc;
}
static int run(const char *path, char *const argv[], char *const envp[]) {
  struct plan pl;
  if (decide(&pl, path, argv) < 0) return -1;
  int n = count(argv);
  const char *a[n + 10];
  int k = 0;
  for (int i = 0; i < pl.npre; i++) a[k++] = pl.pre[i];
  for (int i = pl.drop; i < n; i++) a[k++] = argv[i];
  a[k] = 0;
  long r = raw(SYS_execve, (long)pl.path, (long)(k ? (void *)a : (void *)argv), (long)envp, 0, 0, 0);
  errno = -r;
  return -1;
}
static int runsh(const char *path, char *const argv[], char *const envp[]) { // a text without #!
  int n = count(argv);
  const char *a[n + 3];
  char sh[PATH_MAX];
  snprintf(sh, sizeof sh, "%s/bin/sh", ROOT);
  int k = 0;
  a[k++] = "sh", a[k++] = path;
  for (int i = 1; i < n; i++) a[k++] = argv[i];
  a[k] = 0;
  return run(sh, (char *const *)a, envp);
}
EXPORT int execve(const char *p, char *const a[], char *const e[]) { return run(p, a, e); }
EXPORT int execv(const char *p, char *const a[]) { return run(p, a, environ); }
// search tries file along PATH; try returns only on failure.
static int search(const char *file, char *const a[], char *const e[], int (*try)(const char *, char *const[], char *const[])) {
  if (!file || !*file) { errno = ENOENT; return -1; }
  if (strchr(file, '/')) {
    int r = try(file, a, e);
    return r < 0 && errno == ENOEXEC ? runsh(file, a, e) : r;
  }
  const char *path = getenv("PATH");
  char buf[PATH_MAX], def[PATH_MAX];
  if (!path) { snprintf(def, sizeof def, "%s/usr/bin:/system/bin", ROOT); path = def; }
  int denied = 0;
  for (const char *s = path;; s++) {
    const char *end = strchrnul(s, ':');
    int n = end - s;
    if (snprintf(buf, sizeof buf, "%.*s%s%s", n, s, n ? "/" : "", file) < (int)sizeof buf) {
      try(buf, a, e);
      if (errno == ENOEXEC) return runsh(buf, a, e);
      if (errno == EACCES) denied = 1;
      else if (errno != ENOENT && errno != ENOTDIR) return -1;
    }
    if (!*end) break;
    s = end;
  }
  errno = denied ? EACCES : ENOENT;
  return -1;
}
EXPORT int execvpe(const char *f, char *const a[], char *const e[]) { return search(f, a, e, run); }
EXPORT int execvp(const char *f, char *const a[]) { return search(f, a, environ, run); }
#define VARARGS(first)                              \
  int n = 1;                                        \
  va_list ap;                                       \
  va_start(ap, first);                              \
  while (va_arg(ap, char *)) n++;                   \
  va_end(ap);                                       \
  char *v[n + 1];                                   \
  va_start(ap, first);                              \
  v[0] = (char *)first;                             \
  for (int i = 1; i <= n; i++) v[i] = va_arg(ap, char *)
EXPORT int execl(const char *p, const char *a, ...) { VARARGS(a); va_end(ap); return run(p, v, environ); }
EXPORT int execlp(const char *p, const char *a, ...) { VARARGS(a); va_end(ap); return search(p, v, environ, run); }
EXPORT int execle(const char *p, const char *a, ...) { VARARGS(a); char **e = va_arg(ap, char **); va_end(ap); return run(p, v, e); }
EXPORT int fexecve(int fd, char *const a[], char *const e[]) {
  char p[64];
  snprintf(p, sizeof p, "/proc/self/fd/%d", fd);
  return run(p, a, e);
}

typedef int spawnfn(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[], char *const[]);
static spawnfn *real_posix_spawn;
EXPORT int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *fa, const posix_spawnattr_t *at, char *const argv[], char *const envp[]) {
  struct plan pl;
  if (decide(&pl, path, argv) < 0) return errno;
  int n = count(argv);
  const char *a[n + 10];
  int k = 0;
  for (int i = 0; i < pl.npre; i++) a[k++] = pl.pre[i];
  for (int i = pl.drop; i < n; i++) a[k++] = argv[i];
  a[k] = 0;
  short fl = 0;
  posix_spawnattr_t copy;
  if (at && !posix_spawnattr_getflags(at, &fl) && fl & POSIX_SPAWN_RESETIDS) { // make asks for it; setresgid is refused, and ids are equal anyway
    copy = *at;
    posix_spawnattr_setflags(&copy, fl & ~POSIX_SPAWN_RESETIDS);
    at = &copy;
  }
  return REAL(posix_spawn)(pid, pl.path, fa, at, (char *const *)a, envp);
}
EXPORT int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *fa, const posix_spawnattr_t *at, char *const argv[], char *const envp[]) {
  if (strchr(file, '/')) return posix_spawn(pid, file, fa, at, argv, envp);
  const char *path = getenv("PATH");
  char buf[PATH_MAX];
  int err = ENOENT;
  for (const char *s = path ? path : "";; s++) {
    const char *end = strchrnul(s, ':');
    int n = end - s;
    if (snprintf(buf, sizeof buf, "%.*s%s%s", n, s, n ? "/" : "", file) < (int)sizeof buf && raw(SYS_faccessat, AT_FDCWD, (long)buf, X_OK, 0, 0, 0) == 0) {
      err = posix_spawn(pid, buf, fa, at, argv, envp);
      if (err != ENOENT && err != EACCES) return err;
    }
    if (!*end) break;
    s = end;
  }
  return err;
}
EXPORT int system(const char *cmd) {
  if (!cmd) return 1;
  char *a[] = {"sh", "-c", (char *)cmd, 0};
  pid_t pid;
  int st, e = posix_spawn(&pid, "/bin/sh", 0, 0, a, environ);
  if (e) { errno = e; return -1; }
  while (waitpid(pid, &st, 0) < 0)
    if (errno != EINTR) return -1;
  return st;
}
static struct { FILE *f; pid_t pid; } pipes[32];
EXPORT FILE *popen(const char *cmd, const char *mode) {
  int p[2], w = mode[0] == 'w', i;
  for (i = 0; i < 32 && pipes[i].f; i++);
  if (i == 32 || pipe2(p, O_CLOEXEC) < 0) return 0;
  posix_spawn_file_actions_t fa;
  posix_spawn_file_actions_init(&fa);
  posix_spawn_file_actions_adddup2(&fa, p[!w], !w);
  char *a[] = {"sh", "-c", (char *)cmd, 0};
  int e = posix_spawn(&pipes[i].pid, "/bin/sh", &fa, 0, a, environ);
  posix_spawn_file_actions_destroy(&fa);
  close(p[!w]);
  if (e) { close(p[w]); errno = e; return 0; }
  return pipes[i].f = fdopen(p[w], w ? "w" : "r");
}
EXPORT int pclose(FILE *f) {
  for (int i = 0; i < 32; i++)
    if (pipes[i].f == f) {
      int st = -1;
      fclose(f);
      pipes[i].f = 0;
      while (waitpid(pipes[i].pid, &st, 0) < 0)
        if (errno != EINTR) return -1;
      return st;
    }
  errno = EINVAL;
  return -1;
}

// ---- 3. accounts ------------------------------------------------------------
static struct passwd pw;
static struct group gr;
static char pwshell[PATH_MAX], pwname[64], grname[64];
static char *nomem[1];
static struct passwd *me(void) {
  const char *u = getenv("USER"), *h = getenv("HOME"), *s = getenv("SHELL");
  snprintf(pwname, sizeof pwname, "%s", u && *u ? u : "keva");
  snprintf(pwshell, sizeof pwshell, "%s", s && *s ? s : ROOT);
  if (!s || !*s) strncat(pwshell, "/usr/bin/bash", sizeof pwshell - strlen(pwshell) - 1);
  pw.pw_name = pwname, pw.pw_passwd = "x", pw.pw_uid = getuid(), pw.pw_gid = getgid(), pw.pw_gecos = pwname, pw.pw_dir = (char *)(h && *h ? h : ROOT), pw.pw_shell = pwshell;
  return &pw;
}
static struct passwd *byuid(uid_t u) { return u == getuid() ? me() : 0; }
static struct passwd *byname(const char *n) { return !strcmp(n, me()->pw_name) ? &pw : 0; }
EXPORT struct passwd *getpwuid(uid_t u) { return byuid(u); }
EXPORT struct passwd *getpwnam(const char *n) { return byname(n); }
static int give(struct passwd *p, struct passwd *o, char *b, size_t n, struct passwd **r) {
  *r = 0;
  if (!p) return 0;
  size_t need = strlen(p->pw_name) + strlen(p->pw_dir) + strlen(p->pw_shell) + 6;
  if (need > n) return ERANGE;
  *o = *p;
  o->pw_name = b, b = stpcpy(b, p->pw_name) + 1;
  o->pw_gecos = o->pw_name;
  o->pw_dir = b, b = stpcpy(b, p->pw_dir) + 1;
  o->pw_shell = b, b = stpcpy(b, p->pw_shell) + 1;
  o->pw_passwd = b, strcpy(b, "x");
  *r = o;
  return 0;
}
EXPORT int getpwuid_r(uid_t u, struct passwd *o, char *b, size_t n, struct passwd **r) { return give(byuid(u), o, b, n, r); }
EXPORT int getpwnam_r(const char *s, struct passwd *o, char *b, size_t n, struct passwd **r) { return give(byname(s), o, b, n, r); }
static struct group *group(gid_t g) {
  if (g == getgid()) snprintf(grname, sizeof grname, "%s", me()->pw_name);
  else if (g == 0) strcpy(grname, "root");
  else snprintf(grname, sizeof grname, "aid_%u", g);
  gr.gr_name = grname, gr.gr_passwd = "x", gr.gr_gid = g, gr.gr_mem = nomem;
  return &gr;
}
EXPORT struct group *getgrgid(gid_t g) { return group(g); }
EXPORT struct group *getgrnam(const char *n) { return !strcmp(n, me()->pw_name) ? group(getgid()) : 0; }
EXPORT int getgrgid_r(gid_t g, struct group *o, char *b, size_t n, struct group **r) {
  struct group *q = group(g);
  *r = 0;
  if (strlen(q->gr_name) + 3 + sizeof(char *) * 2 > n) return ERANGE;
  char **v = (char **)(((unsigned long)b + 7) & ~7ul);
  v[0] = 0;
  o->gr_gid = g, o->gr_mem = v;
  b = (char *)(v + 1);
  o->gr_name = b, b = stpcpy(b, q->gr_name) + 1;
  o->gr_passwd = b, strcpy(b, "x");
  *r = o;
  return 0;
}

// ---- 4. files ---------------------------------------------------------------
#ifndef NOFS
#define M(p) char _b[PATH_MAX]; p = map(p, _b)
#define MODE va_list ap; va_start(ap, fl); mode_t m = fl & (O_CREAT | __O_TMPFILE) ? va_arg(ap, mode_t) : 0; va_end(ap)
#define WRAP(ret, name, params, args, ...)                                        \
  static ret(*real_##name) params;                                                \
  EXPORT ret name params { __VA_ARGS__; return REAL(name) args; }
static int (*real_openat)(int, const char *, int, ...);
EXPORT int open(const char *p, int fl, ...) { MODE; M(p); return REAL(openat)(AT_FDCWD, p, fl, m); }
EXPORT int open64(const char *p, int fl, ...) { MODE; M(p); return REAL(openat)(AT_FDCWD, p, fl | O_LARGEFILE, m); }
EXPORT int openat(int d, const char *p, int fl, ...) { MODE; M(p); return REAL(openat)(d, p, fl, m); }
EXPORT int openat64(int d, const char *p, int fl, ...) { MODE; M(p); return REAL(openat)(d, p, fl | O_LARGEFILE, m); }
EXPORT int __open_2(const char *p, int fl) { M(p); return REAL(openat)(AT_FDCWD, p, fl, 0); }
EXPORT int __open64_2(const char *p, int fl) { M(p); return REAL(openat)(AT_FDCWD, p, fl, 0); }
EXPORT int __openat_2(int d, const char *p, int fl) { M(p); return REAL(openat)(d, p, fl, 0); }
EXPORT int __openat64_2(int d, const char *p, int fl) { M(p); return REAL(openat)(d, p, fl, 0); }
WRAP(int, creat, (const char *p, mode_t m), (p, m), M(p))
WRAP(FILE *, fopen, (const char *p, const char *m), (p, m), M(p))
WRAP(FILE *, fopen64, (const char *p, const char *m), (p, m), M(p))
WRAP(FILE *, freopen, (const char *p, const char *m, FILE *f), (p, m, f), M(p))
WRAP(FILE *, freopen64, (const char *p, const char *m, FILE *f), (p, m, f), M(p))
WRAP(int, stat, (const char *restrict p, struct stat *restrict s), (p, s), M(p))
WRAP(int, stat64, (const char *restrict p, struct stat64 *restrict s), (p, s), M(p))
WRAP(int, lstat, (const char *restrict p, struct stat *restrict s), (p, s), M(p))
WRAP(int, lstat64, (const char *restrict p, struct stat64 *restrict s), (p, s), M(p))
WRAP(int, fstatat, (int d, const char *restrict p, struct stat *restrict s, int f), (d, p, s, f), M(p))
WRAP(int, fstatat64, (int d, const char *restrict p, struct stat64 *restrict s, int f), (d, p, s, f), M(p))
WRAP(int, __xstat, (int v, const char *p, struct stat *s), (v, p, s), M(p))
WRAP(int, __xstat64, (int v, const char *p, struct stat64 *s), (v, p, s), M(p))
WRAP(int, __lxstat, (int v, const char *p, struct stat *s), (v, p, s), M(p))
WRAP(int, __lxstat64, (int v, const char *p, struct stat64 *s), (v, p, s), M(p))
WRAP(int, statx, (int d, const char *restrict p, int f, unsigned k, struct statx *restrict s), (d, p, f, k, s), M(p))
WRAP(int, access, (const char *p, int m), (p, m), M(p))
WRAP(int, eaccess, (const char *p, int m), (p, m), M(p))
WRAP(int, euidaccess, (const char *p, int m), (p, m), M(p))
WRAP(int, faccessat, (int d, const char *p, int m, int f), (d, p, m, f), M(p))
WRAP(ssize_t, readlink, (const char *restrict p, char *restrict b, size_t n), (p, b, n), M(p))
WRAP(ssize_t, readlinkat, (int d, const char *restrict p, char *restrict b, size_t n), (d, p, b, n), M(p))
WRAP(DIR *, opendir, (const char *p), (p), M(p))
WRAP(int, mkdir, (const char *p, mode_t m), (p, m), M(p))
WRAP(int, mkdirat, (int d, const char *p, mode_t m), (d, p, m), M(p))
WRAP(int, mkfifo, (const char *p, mode_t m), (p, m), M(p))
WRAP(int, rmdir, (const char *p), (p), M(p))
WRAP(int, unlink, (const char *p), (p), M(p))
WRAP(int, unlinkat, (int d, const char *p, int f), (d, p, f), M(p))
WRAP(int, remove, (const char *p), (p), M(p))
WRAP(int, chmod, (const char *p, mode_t m), (p, m), M(p))
WRAP(int, fchmodat, (int d, const char *p, mode_t m, int f), (d, p, m, f), M(p))
WRAP(int, chdir, (const char *p), (p), M(p))
WRAP(int, truncate, (const char *p, off_t n), (p, n), M(p))
WRAP(int, truncate64, (const char *p, off64_t n), (p, n), M(p))
WRAP(int, utimensat, (int d, const char *p, const struct timespec t[2], int f), (d, p, t, f), M(p))
WRAP(char *, realpath, (const char *restrict p, char *restrict r), (p, r), M(p))
WRAP(ssize_t, getxattr, (const char *p, const char *k, void *v, size_t n), (p, k, v, n), M(p))
WRAP(ssize_t, lgetxattr, (const char *p, const char *k, void *v, size_t n), (p, k, v, n), M(p))
WRAP(ssize_t, listxattr, (const char *p, char *v, size_t n), (p, v, n), M(p))
WRAP(ssize_t, llistxattr, (const char *p, char *v, size_t n), (p, v, n), M(p))
WRAP(int, setxattr, (const char *p, const char *k, const void *v, size_t n, int f), (p, k, v, n, f), M(p))
WRAP(int, lsetxattr, (const char *p, const char *k, const void *v, size_t n, int f), (p, k, v, n, f), M(p))
WRAP(int, chown, (const char *p, uid_t u, gid_t g), (p, u, g), M(p))
WRAP(int, lchown, (const char *p, uid_t u, gid_t g), (p, u, g), M(p))
WRAP(int, fchownat, (int d, const char *p, uid_t u, gid_t g, int f), (d, p, u, g, f), M(p))
WRAP(int, utime, (const char *p, const struct utimbuf *t), (p, t), M(p))
WRAP(int, utimes, (const char *p, const struct timeval t[2]), (p, t), M(p))
WRAP(int, lutimes, (const char *p, const struct timeval t[2]), (p, t), M(p))
WRAP(int, statfs, (const char *p, struct statfs *s), (p, s), M(p))
WRAP(int, statfs64, (const char *p, struct statfs64 *s), (p, s), M(p))
WRAP(int, statvfs, (const char *restrict p, struct statvfs *restrict s), (p, s), M(p))
WRAP(int, statvfs64, (const char *restrict p, struct statvfs64 *restrict s), (p, s), M(p))
WRAP(long, pathconf, (const char *p, int n), (p, n), M(p))
WRAP(int, mknod, (const char *p, mode_t m, dev_t d), (p, m, d), M(p))
WRAP(int, inotify_add_watch, (int f, const char *p, uint32_t k), (f, p, k), M(p))
#define M2 char _a[PATH_MAX], _c[PATH_MAX]; p = map(p, _a); q = map(q, _c)
WRAP(int, rename, (const char *p, const char *q), (p, q), M2)
WRAP(int, renameat, (int d, const char *p, int f, const char *q), (d, p, f, q), M2)
WRAP(int, renameat2, (int d, const char *p, int f, const char *q, unsigned k), (d, p, f, q, k), M2)
WRAP(int, link, (const char *p, const char *q), (p, q), M2)
WRAP(int, linkat, (int d, const char *p, int f, const char *q, int k), (d, p, f, q, k), M2)
WRAP(int, symlink, (const char *p, const char *q), (p, q), char _c[PATH_MAX]; q = map(q, _c))
WRAP(int, symlinkat, (const char *p, int d, const char *q), (p, d, q), char _c[PATH_MAX]; q = map(q, _c))
// templates are changed in place and keep their length, so these are done here
static int temp(char *t, int suffix, int fl, int dir) {
  char b[PATH_MAX];
  const char *m = map(t, b);
  size_t n = strlen(t);
  if (n < 6 + (size_t)suffix) { errno = EINVAL; return -1; }
  char *x = b + strlen(m) - 6 - suffix;
  if (m == t) snprintf(b, sizeof b, "%s", t), x = b + n - 6 - suffix;
  for (int i = 0; i < 100; i++) {
    unsigned char r[6];
    raw(SYS_getrandom, (long)r, 6, 0, 0, 0, 0);
    for (int k = 0; k < 6; k++) x[k] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"[r[k] % 62];
    long fd = dir ? raw(SYS_mkdirat, AT_FDCWD, (long)b, 0700, 0, 0, 0) : raw(SYS_openat, AT_FDCWD, (long)b, O_RDWR | O_CREAT | O_EXCL | fl, 0600, 0, 0);
    if (fd == -EEXIST) continue;
    if (fd < 0) { errno = -fd; return -1; }
    memcpy(t + n - 6 - suffix, x, 6);
    return fd;
  }
  errno = EEXIST;
  return -1;
}
EXPORT int mkstemp(char *t) { return temp(t, 0, 0, 0); }
EXPORT int mkstemp64(char *t) { return temp(t, 0, 0, 0); }
EXPORT int mkostemp(char *t, int f) { return temp(t, 0, f, 0); }
EXPORT int mkostemp64(char *t, int f) { return temp(t, 0, f, 0); }
EXPORT int mkstemps(char *t, int s) { return temp(t, s, 0, 0); }
EXPORT int mkostemps(char *t, int s, int f) { return temp(t, s, f, 0); }
EXPORT char *mkdtemp(char *t) { return temp(t, 0, 0, 1) < 0 ? 0 : t; }
// dlopen looks at its caller for relative names, so this must stay a tail call
static void *(*real_dlopen)(const char *, int);
EXPORT void *dlopen(const char *p, int fl) {
  static char b[8][PATH_MAX];
  static unsigned turn;
  if (p && p[0] == '/') p = map(p, b[__sync_fetch_and_add(&turn, 1) & 7]);
  return REAL(dlopen)(p, fl);
}
// unix sockets under /tmp
static socklen_t sock(const struct sockaddr *s, socklen_t n, struct sockaddr_un *o) {
  char b[PATH_MAX];
  const struct sockaddr_un *u = (void *)s;
  if (n < 3 || s->sa_family != AF_UNIX || u->sun_path[0] != '/') return 0;
  const char *m = map(u->sun_path, b);
  if (m == u->sun_path || strlen(m) >= sizeof o->sun_path) return 0;
  o->sun_family = AF_UNIX;
  strcpy(o->sun_path, m);
  return sizeof *o;
}
static int (*real_bind)(int, const struct sockaddr *, socklen_t);
EXPORT int bind(int f, const struct sockaddr *s, socklen_t n) {
  struct sockaddr_un u;
  socklen_t k = sock(s, n, &u);
  return k ? REAL(bind)(f, (void *)&u, k) : REAL(bind)(f, s, n);
}
static int (*real_connect)(int, const struct sockaddr *, socklen_t);
EXPORT int connect(int f, const struct sockaddr *s, socklen_t n) {
  struct sockaddr_un u;
  socklen_t k = sock(s, n, &u);
  return k ? REAL(connect)(f, (void *)&u, k) : REAL(connect)(f, s, n);
}
#endif
// there is no /dev/shm
static const char *shm(const char *n, char *b, const char *kind) {
  const char *t = getenv("TMPDIR");
  while (*n == '/') n++;
  snprintf(b, PATH_MAX, "%s/%s.%s", t ? t : ROOT, kind, n);
  return b;
}
EXPORT int shm_open(const char *n, int fl, mode_t m) {
  char b[PATH_MAX];
  long r = raw(SYS_openat, AT_FDCWD, (long)shm(n, b, "shm"), fl | O_CLOEXEC | O_NOFOLLOW, m, 0, 0);
  return r < 0 ? (errno = -r, -1) : r;
}
EXPORT int shm_unlink(const char *n) {
  char b[PATH_MAX];
  long r = raw(SYS_unlinkat, AT_FDCWD, (long)shm(n, b, "shm"), 0, 0, 0, 0);
  return r < 0 ? (errno = -r, -1) : r;
}
EXPORT sem_t *sem_open(const char *n, int fl, ...) {
  char b[PATH_MAX];
  va_list ap;
  va_start(ap, fl);
  mode_t m = fl & O_CREAT ? va_arg(ap, mode_t) : 0;
  unsigned v = fl & O_CREAT ? va_arg(ap, unsigned) : 0;
  va_end(ap);
  shm(n, b, "sem");
  long fd = raw(SYS_openat, AT_FDCWD, (long)b, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0, 0, 0);
  if (fd >= 0 && (fl & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL)) { raw(SYS_close, fd, 0, 0, 0, 0, 0); errno = EEXIST; return SEM_FAILED; }
  if (fd == -ENOENT && fl & O_CREAT) { // written whole under another name, then renamed
    char t[PATH_MAX + 32];
    snprintf(t, sizeof t, "%s.%ld", b, raw(SYS_gettid, 0, 0, 0, 0, 0, 0));
    fd = raw(SYS_openat, AT_FDCWD, (long)t, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, m, 0, 0);
    sem_t s;
    if (fd >= 0) {
      sem_init(&s, 1, v);
      raw(SYS_pwrite64, fd, (long)&s, sizeof s, 0, 0, 0);
      raw(SYS_renameat2, AT_FDCWD, (long)t, AT_FDCWD, (long)b, 0, 0);
    }
  }
  if (fd < 0) { errno = -fd; return SEM_FAILED; }
  void *p = mmap(0, sizeof(sem_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  raw(SYS_close, fd, 0, 0, 0, 0, 0);
  return p == MAP_FAILED ? SEM_FAILED : p;
}
EXPORT int sem_close(sem_t *s) { return munmap(s, sizeof *s); }
EXPORT int sem_unlink(const char *n) {
  char b[PATH_MAX];
  long r = raw(SYS_unlinkat, AT_FDCWD, (long)shm(n, b, "sem"), 0, 0, 0, 0);
  return r < 0 ? (errno = -r, -1) : r;
}
// accept is not in the policy of arm64; accept4 is
EXPORT int accept(int f, struct sockaddr *s, socklen_t *n) { return accept4(f, s, n, 0); }
