// probe.c: one program of the tree with many parts, each a check of what k.so and ldk promise. Named sh it is a very small
// shell. What needs a policy that refuses says so.
#include <dirent.h>
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <grp.h>
#include <libgen.h>
#include <limits.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <arpa/inet.h>

#include "check.h"

extern char **environ;
static const char *self;

// refused makes a call that every policy refuses. Without the handler, or with SIGSYS blocked, the process is gone.
static int refused(void) { return syscall(SYS_mount, 0, 0, 0, 0, 0) == -1 && errno == ENOSYS; }

static int result_of(pid_t pid) {
  int status;
  CHECK(waitpid(pid, &status, 0) == pid);
  if (WIFSIGNALED(status)) fprintf(stderr, "the child died of signal %d\n", WTERMSIG(status));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

// ---- under a policy

static volatile int in_handler;
static void handler(int s) {
  (void)s;
  in_handler = refused();
}
static void *thread(void *a) { return refused() ? a : NULL; }

static void signals(void) {
  struct sigaction a, old;
  CHECK(refused());
  memset(&a, 0, sizeof a);
  a.sa_handler = SIG_DFL;
  CHECK(sigaction(SIGSYS, &a, &old) == 0 && old.sa_handler == SIG_DFL && refused());
  signal(SIGSYS, SIG_IGN);
  CHECK(refused());
  for (int s = 1; s < 32; s++) signal(s, SIG_DFL); // as libuv does in a child
  CHECK(refused());
  sigset_t all, was;
  sigfillset(&all);
  CHECK(sigprocmask(SIG_SETMASK, &all, &was) == 0 && refused());
  CHECK(sigprocmask(SIG_SETMASK, &was, NULL) == 0);
  CHECK(pthread_sigmask(SIG_BLOCK, &all, NULL) == 0 && refused());
  sigset_t now;
  CHECK(pthread_sigmask(SIG_SETMASK, &was, &now) == 0 && sigismember(&now, SIGTERM) == 1 && sigismember(&now, SIGSYS) == 0);
  a.sa_handler = handler;
  a.sa_mask = all;
  CHECK(sigaction(SIGUSR1, &a, NULL) == 0);
  raise(SIGUSR1);
  CHECK(in_handler == 1);
  CHECK(sigprocmask(SIG_BLOCK, &all, NULL) == 0 && kill(getpid(), SIGUSR1) == 0);
  in_handler = 0;
  sigdelset(&all, SIGUSR1);
  sigsuspend(&all); // the handler runs under this mask
  CHECK(in_handler == 1);
  sigprocmask(SIG_SETMASK, &was, NULL);
  kill(getpid(), SIGSYS); // sent by somebody: no refused call, nothing to change
  CHECK(refused());
}

static void threads(void) {
  pthread_t t[8];
  void *r;
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  for (int i = 0; i < 8; i++) CHECK(pthread_create(&t[i], NULL, thread, t) == 0);
  for (int i = 0; i < 8; i++) CHECK(pthread_join(t[i], &r) == 0 && r == t);
}

// spawned: a child gets all that posix_spawn can do, with every signal blocked and reset.
static void spawned(void) {
  int p[2];
  pid_t pid;
  char text[32] = "", name[] = "probe", part[] = "child";
  posix_spawn_file_actions_t f;
  posix_spawnattr_t a;
  sigset_t all;
  sigfillset(&all);
  CHECK(pipe(p) == 0 && posix_spawn_file_actions_init(&f) == 0 && posix_spawnattr_init(&a) == 0);
  CHECK(posix_spawn_file_actions_adddup2(&f, p[1], 1) == 0 && posix_spawn_file_actions_addclose(&f, p[0]) == 0);
  CHECK(posix_spawnattr_setsigdefault(&a, &all) == 0 && posix_spawnattr_setsigmask(&a, &all) == 0);
  CHECK(posix_spawnattr_setflags(&a, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_RESETIDS) == 0);
  char *argv[] = {name, part, NULL};
  CHECK(posix_spawn(&pid, self, &f, &a, argv, environ) == 0);
  close(p[1]);
  CHECK(read(p[0], text, sizeof text - 1) > 0);
  SAME(text, "child\n");
  CHECK(result_of(pid) == 0);
}

// children of vfork that use the program's own functions, as Bun and libuv do.
static void vforked(void) {
  char name[] = "probe", part[] = "child";
  char *argv[] = {name, part, NULL};
  sigset_t all;
  sigfillset(&all);
  pid_t pid = vfork();
  if (pid == 0) {
    struct sigaction a;
    memset(&a, 0, sizeof a);
    a.sa_handler = SIG_DFL;
    sigprocmask(SIG_SETMASK, &all, NULL);
    for (int s = 1; s < 65; s++) sigaction(s, &a, NULL);
    if (!refused() || dup2(1, 9) != 9) _exit(3);
    execve(self, argv, environ);
    _exit(4);
  }
  CHECK(result_of(pid) == 0);
}

// inherited: a parent that we never saw blocked SIGSYS.
static void inherited(void) {
  uint64_t all = ~0ULL;
  char name[] = "probe", part[] = "child";
  char *argv[] = {name, part, NULL};
  CHECK(syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, 0, 8) == 0);
  execve(self, argv, environ);
  CHECK(0);
}

#ifdef __x86_64__
// legacy: each call that only x86_64's policy refuses does what it always did.
static void legacy(void) {
  struct stat s;
  int p[2];
  long n;
  char b[64];
  const char *f = "legacy.file", *g = "legacy.other";
  unlink(f), unlink(g), rmdir("legacy.dir");
  CHECK(syscall(SYS_access, "/nowhere", F_OK) == -1 && errno == ENOENT);
  CHECK((n = syscall(SYS_creat, f, 0600)) >= 0 && write((int)n, "abc", 3) == 3 && close((int)n) == 0);
  CHECK((n = syscall(SYS_open, f, O_RDONLY)) >= 0 && read((int)n, b, sizeof b) == 3 && close((int)n) == 0);
  CHECK(syscall(SYS_stat, f, &s) == 0 && s.st_size == 3 && syscall(SYS_access, f, R_OK) == 0);
  CHECK(syscall(SYS_chmod, f, 0640) == 0 && syscall(SYS_lstat, f, &s) == 0 && (s.st_mode & 0777) == 0640);
  CHECK(syscall(SYS_chown, f, -1, -1) == 0 && syscall(SYS_lchown, f, -1, -1) == 0);
  CHECK(syscall(SYS_symlink, f, g) == 0 && syscall(SYS_lstat, g, &s) == 0 && S_ISLNK(s.st_mode));
  CHECK(syscall(SYS_readlink, g, b, sizeof b) == (long)strlen(f));
  CHECK(syscall(SYS_unlink, g) == 0 && syscall(SYS_link, f, g) == 0 && syscall(SYS_unlink, g) == 0);
  CHECK(syscall(SYS_rename, f, g) == 0 && syscall(SYS_stat, f, &s) == -1 && errno == ENOENT);
  CHECK(syscall(SYS_mkdir, "legacy.dir", 0700) == 0 && syscall(SYS_unlink, "legacy.dir") == -1 && syscall(SYS_rmdir, "legacy.dir") == 0);
  long times[2] = {1000, 2000};
  CHECK(syscall(SYS_utime, g, times) == 0 && stat(g, &s) == 0 && s.st_atime == 1000 && s.st_mtime == 2000);
  struct timeval tv[2] = {{3000, 5}, {4000, 999999}};
  CHECK(syscall(SYS_utimes, g, tv) == 0 && stat(g, &s) == 0 && s.st_mtim.tv_sec == 4000 && s.st_mtim.tv_nsec == 999999000);
  CHECK(syscall(SYS_futimesat, AT_FDCWD, g, NULL) == 0 && stat(g, &s) == 0 && s.st_mtime > 4000);
  CHECK(syscall(SYS_pipe, p) == 0);
  CHECK(syscall(SYS_dup2, p[0], 40) == 40 && syscall(SYS_dup2, 40, 40) == 40 && close(40) == 0);
  CHECK(syscall(SYS_dup2, 40, 40) == -1 && errno == EBADF && syscall(SYS_dup2, 40, 41) == -1 && errno == EBADF);
  struct pollfd pf = {p[0], POLLIN, 0};
  CHECK(syscall(SYS_poll, &pf, 1, 0) == 0 && syscall(SYS_poll, &pf, 1, 20) == 0);
  CHECK(write(p[1], "x", 1) == 1 && syscall(SYS_poll, &pf, 1, -1) == 1 && pf.revents == POLLIN);
  fd_set r;
  FD_ZERO(&r);
  FD_SET(p[0], &r);
  struct timeval none = {0, 0};
  CHECK(syscall(SYS_select, p[0] + 1, &r, 0, 0, 0) == 1 && FD_ISSET(p[0], &r) && read(p[0], b, 1) == 1);
  CHECK(syscall(SYS_select, p[0] + 1, &r, 0, 0, &none) == 0);
  long e = syscall(SYS_epoll_create, 1);
  struct epoll_event ev = {.events = EPOLLIN};
  CHECK(e >= 0 && syscall(SYS_epoll_create, 0) == -1 && epoll_ctl((int)e, EPOLL_CTL_ADD, p[0], &ev) == 0);
  CHECK(syscall(SYS_epoll_wait, e, &ev, 1, 0) == 0 && write(p[1], "x", 1) == 1 && syscall(SYS_epoll_wait, e, &ev, 1, -1) == 1);
  CHECK((n = syscall(SYS_eventfd, 7)) >= 0 && read((int)n, b, 8) == 8 && b[0] == 7);
  CHECK(syscall(SYS_inotify_init) >= 0 && syscall(SYS_getpgrp) == getpgid(0));
  CHECK(llabs(syscall(SYS_time, &n) - time(NULL)) < 100 && n > 1000000);
  CHECK(syscall(SYS_alarm, 100) == 0 && (n = syscall(SYS_alarm, 0)) > 90 && n <= 100);
  pid_t pid = (pid_t)syscall(SYS_fork);
  if (pid == 0) _exit(refused() ? 7 : 8);
  CHECK(result_of(pid) == 7);
  signal(SIGALRM, handler);
  in_handler = 0;
  ualarm(50000, 0);
  CHECK(syscall(SYS_pause) == -1 && errno == EINTR && in_handler == 1);
  unlink(g);
}
#endif

// ---- anywhere

static void accounts(void) {
  setenv("USER", "u0_a123", 1);
  setenv("HOME", "/data/home", 1);
  struct passwd *p = getpwuid(getuid()), one, *found;
  char room[2000];
  CHECK(p);
  SAME(p->pw_name, "u0_a123");
  SAME(p->pw_dir, "/data/home");
  CHECK(p->pw_gid == getgid() && getpwnam("u0_a123") && !getpwnam("nobody-else") && !getpwuid(getuid() + 1));
  CHECK(getpwuid_r(getuid() + 1, &one, room, sizeof room, &found) == 0 && !found);
  size_t n = 0;
  for (; n < sizeof room; n++) { // any size: an error or the whole, never beyond it
    memset(room, 'x', sizeof room);
    int e = getpwuid_r(getuid(), &one, room, n, &found);
    for (size_t i = n; i < sizeof room; i++) CHECK(room[i] == 'x');
    if (e == 0) break;
    CHECK(e == ERANGE && !found);
  }
  CHECK(found == &one && n > 10 && n < 600);
  SAME(one.pw_name, "u0_a123");
  struct group g, *gf;
  CHECK(getgrgid_r(20123, &g, room, sizeof room, &gf) == 0 && gf);
  SAME(gf->gr_name, "aid_20123");
  CHECK(getgrnam("aid_20123")->gr_gid == 20123 && getgrnam("root")->gr_gid == 0 && getgrnam("u0_a123")->gr_gid == getgid());
  CHECK(!getgrnam("aid_") && !getgrnam("aid_1x") && !getgrnam("other"));
  for (n = 0; getgrgid_r(20123, &g, room + 1, n, &gf) == ERANGE; n++) CHECK(n < 100);
  CHECK(gf == &g && !g.gr_mem[0]);
}

static int walked;
static int walk_ftw(const char *p, const struct stat *s, int kind, struct FTW *f) {
  (void)p, (void)s, (void)f;
  walked += kind == FTW_F;
  return 0;
}

// files: /tmp is $TMPDIR for every way to reach it.
static void files(void) {
  char name[] = "/tmp/w-XXXXXX", folder[] = "/tmp/d-XXXXXX", suffix[] = "/tmp/s-XXXXXX.txt", buf[PATH_MAX], link_[PATH_MAX];
  const char *temp = getenv("TMPDIR");
  CHECK(temp && strcmp(temp, "/tmp") != 0);
  int fd = mkstemp(name);
  struct stat s, t;
  CHECK(fd >= 0 && !strstr(name, "XXXXXX") && stat(name, &s) == 0 && write(fd, "abc", 3) == 3 && close(fd) == 0);
  snprintf(buf, sizeof buf, "%s/%s", temp, basename(name));
  CHECK(stat(buf, &t) == 0 && s.st_ino == t.st_ino && s.st_dev == t.st_dev);
  CHECK(mkdtemp(folder) && (fd = mkstemps(suffix, 4)) >= 0 && close(fd) == 0 && !strcmp(suffix + strlen(suffix) - 4, ".txt"));
  char bad[] = "/tmp/abc";
  CHECK(mkstemp(bad) == -1 && errno == EINVAL);
  FILE *f = fopen(name, "r");
  CHECK(f && fgetc(f) == 'a' && fclose(f) == 0 && access(name, R_OK) == 0 && access("/tmp/none", F_OK) == -1);
  snprintf(buf, sizeof buf, "%s/moved", folder);
  CHECK(rename(name, buf) == 0 && symlink("moved", strcat(strcpy(link_, buf), ".link")) == 0);
  CHECK(readlink(link_, buf, sizeof buf) == 5 && truncate(link_, 1) == 0 && stat(link_, &s) == 0 && s.st_size == 1);
  CHECK(realpath(folder, buf) && !strncmp(buf, temp, strlen(temp)));
  DIR *d = opendir(folder);
  int n = 0;
  for (struct dirent *e; (e = readdir(d));) n += e->d_name[0] != '.';
  CHECK(n == 2 && closedir(d) == 0);

  glob_t g;
  memset(&g, 0, sizeof g);
  snprintf(buf, sizeof buf, "%s/m*", folder);
  CHECK(glob(buf, 0, NULL, &g) == 0 && g.gl_pathc == 2 && !strncmp(g.gl_pathv[0], folder, strlen(folder)) && !(g.gl_flags & GLOB_ALTDIRFUNC));
  globfree(&g);
  struct dirent **names;
  CHECK((n = scandir(folder, &names, NULL, alphasort)) == 4);
  while (n > 0) free(names[--n]);
  free(names);
  CHECK(nftw(folder, walk_ftw, 8, FTW_PHYS) == 0 && walked == 1);
  char *paths[] = {folder, NULL};
  FTS *fts = fts_open(paths, FTS_PHYSICAL, NULL);
  n = 0;
  while (fts_read(fts)) n++;
  CHECK(n == 4 && fts_close(fts) == 0);
  f = tmpfile();
  CHECK(f && fputs("x", f) >= 0 && fclose(f) == 0);

  struct sockaddr_un u = {.sun_family = AF_UNIX};
  strcpy(u.sun_path, "/tmp/socket");
  int a = socket(AF_UNIX, SOCK_STREAM, 0), b = socket(AF_UNIX, SOCK_STREAM, 0), c;
  unlink(u.sun_path);
  CHECK(bind(a, (struct sockaddr *)&u, sizeof u) == 0 && listen(a, 1) == 0 && connect(b, (struct sockaddr *)&u, sizeof u) == 0);
  CHECK((c = accept(a, NULL, NULL)) >= 0 && stat(u.sun_path, &s) == 0 && unlink(u.sun_path) == 0);
  CHECK(unlink(link_) == 0 && remove(suffix) == 0 && chdir(folder) == 0 && unlink("moved") == 0 && chdir("..") == 0 && remove(folder) == 0);
}

static void shared(void) {
  shm_unlink("/probe"), sem_unlink("/probe");
  int fd = shm_open("/probe", O_RDWR | O_CREAT | O_EXCL, 0600);
  CHECK(fd >= 0 && ftruncate(fd, 4096) == 0 && shm_open("/probe", O_RDWR | O_CREAT | O_EXCL, 0600) == -1 && errno == EEXIST);
  CHECK(shm_unlink("/probe") == 0 && shm_open("/probe", O_RDWR, 0) == -1 && errno == ENOENT && shm_open("/a/b", O_RDWR, 0) == -1 && errno == EINVAL);
  sem_t *s = sem_open("/probe", O_CREAT | O_EXCL, 0600, 2), *t;
  int v;
  CHECK(s != SEM_FAILED && sem_getvalue(s, &v) == 0 && v == 2);
  CHECK(sem_open("/probe", O_CREAT | O_EXCL, 0600, 2) == SEM_FAILED && errno == EEXIST);
  CHECK((t = sem_open("/probe", 0)) != SEM_FAILED && sem_wait(t) == 0 && sem_getvalue(s, &v) == 0 && v == 1);
  CHECK(sem_close(t) == 0 && sem_close(s) == 0 && sem_unlink("/probe") == 0 && sem_open("/probe", 0) == SEM_FAILED && errno == ENOENT);
}

static void shells(void) {
  char text[32] = "";
  CHECK(WEXITSTATUS(system("exit 3")) == 3 && system(NULL) != 0);
  FILE *f = popen("echo hi", "r"), *g = popen("exit 5", "r");
  CHECK(f && g && fgets(text, sizeof text, f) && WEXITSTATUS(pclose(g)) == 5 && pclose(f) == 0);
  SAME(text, "hi\n");
  CHECK(popen("echo", "x") == NULL && errno == EINVAL && popen("echo", "rw") == NULL);
  struct sigaction a;
  CHECK(sigaction(SIGINT, NULL, &a) == 0 && a.sa_handler == SIG_DFL);
}

static void *run_scripts(void *script) {
  for (int i = 0; i < 25; i++) {
    char *argv[] = {(char *)script, (char *)script, NULL};
    pid_t pid;
    if (posix_spawn(&pid, script, NULL, NULL, argv, environ) != 0 || result_of(pid) != 0) return NULL;
  }
  return script;
}

// racing: two threads start different scripts; each must get its own name.
static void racing(char *a, char *b) {
  pthread_t t;
  void *r;
  CHECK(pthread_create(&t, NULL, run_scripts, a) == 0 && run_scripts(b) == b && pthread_join(t, &r) == 0 && r == a);
}

static void names(const char *host, const char *want) {
  struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM}, *found;
  int e = getaddrinfo(host, "80", &hints, &found);
  if (e) fprintf(stderr, "%s: %s\n", host, gai_strerror(e));
  CHECK(e == 0);
  SAME(inet_ntoa(((struct sockaddr_in *)(void *)found->ai_addr)->sin_addr), want);
  struct hostent *h = gethostbyname(host);
  CHECK(h && !memcmp(h->h_addr_list[0], &((struct sockaddr_in *)(void *)found->ai_addr)->sin_addr, 4));
}

// A shell that can say and exit.
static int shell(int argc, char **argv) {
  if (argc == 3 && !strncmp(argv[2], "exit ", 5)) return atoi(argv[2] + 5);
  if (argc == 3 && !strncmp(argv[2], "echo ", 5)) return puts(argv[2] + 5) < 0;
  for (int i = 0; i < argc; i++) printf("[%s]", argv[i]);
  puts("");
  return 0;
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(void);
  } parts[] = {{"signals", signals}, {"threads", threads}, {"spawned", spawned}, {"vforked", vforked}, {"inherited", inherited}, {"accounts", accounts}, {"files", files}, {"shared", shared}, {"shells", shells},
#ifdef __x86_64__
               {"legacy", legacy},
#endif
  };
  const char *name = strrchr(argv[0], '/');
  name = name ? name + 1 : argv[0];
  self = getenv("PROBE");
  if (!strcmp(name, "sh")) return shell(argc, argv);
  if (argc > 1 && !strcmp(argv[1], "child")) return puts("child") < 0 || (getenv("REFUSES") && !refused());
  if (argc > 2 && !strcmp(argv[1], "args")) {
    for (int i = 2; i < argc; i++) printf("[%s]", argv[i]);
    puts("");
    return 0;
  }
  if (argc > 2 && !strcmp(argv[1], "exec")) {
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    return 127;
  }
  if (argc > 3 && !strcmp(argv[1], "same")) return strcmp(argv[2], argv[3]) != 0; // SCRIPT: its own name, twice
  if (argc > 3 && !strcmp(argv[1], "racing")) return racing(argv[2], argv[3]), puts("ok") < 0;
  if (argc > 3 && !strcmp(argv[1], "names")) return names(argv[2], argv[3]), puts("ok") < 0;
  for (size_t i = 0; argc > 1 && i < sizeof parts / sizeof *parts; i++) {
    if (strcmp(parts[i].name, argv[1]) != 0) continue;
    parts[i].run();
    return puts("ok") < 0;
  }
  return 2;
}
