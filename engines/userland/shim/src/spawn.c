// spawn.c: posix_spawn, system and popen.
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "k.h"
#include "place.h"
#include "start.h"

DECLARE_REAL(posix_spawn);
EXPORT int posix_spawn(pid_t *restrict pid, const char *restrict path, const posix_spawn_file_actions_t *restrict actions,
                       const posix_spawnattr_t *restrict attr, char *const argv[restrict], char *const envp[restrict]) {
  struct start s;
  posix_spawnattr_t changed;
  short flags = 0;
  int e = decide(&s, path, argv);
  if (e) return e;
  // make asks for it; setresgid is refused, and the ids are equal anyway.
  if (attr && posix_spawnattr_getflags(attr, &flags) == 0 && flags & POSIX_SPAWN_RESETIDS) {
    changed = *attr;
    (void)posix_spawnattr_setflags(&changed, (short)(flags & ~POSIX_SPAWN_RESETIDS));
    attr = &changed;
  }
  if (s.count == 0) return CALL_REAL(posix_spawn)(pid, s.path, actions, attr, argv, envp);
  const char *a[arguments(argv) + 13];
  char *copy[arguments(argv) + 13];
  fill(&s, argv, a);
  memcpy(copy, a, sizeof copy); // the same pointers, without const
  return CALL_REAL(posix_spawn)(pid, s.path, actions, attr, copy, envp);
}

EXPORT int posix_spawnp(pid_t *restrict pid, const char *restrict file, const posix_spawn_file_actions_t *restrict actions,
                        const posix_spawnattr_t *restrict attr, char *const argv[restrict], char *const envp[restrict]) {
  if (strchr(file, '/')) return posix_spawn(pid, file, actions, attr, argv, envp);
  const char *path = getenv("PATH");
  char buf[PATH_MAX];
  int denied = 0;
  for (const char *s = path ? path : "/usr/bin:/system/bin";; s++) {
    size_t k = strcspn(s, ":"), n = k;
    if (k + strlen(file) + 2 <= sizeof buf) {
      memcpy(buf, s, k);
      buf[n] = 0;
      (void)((k == 0 || append(buf, sizeof buf, &n, "/")) && append(buf, sizeof buf, &n, file));
      int e = posix_spawn(pid, buf, actions, attr, argv, envp);
      if (e == EACCES) denied = 1;
      else if (e != ENOENT && e != ENOTDIR && e != ENAMETOOLONG) return e;
    }
    s += k;
    if (!*s) break;
  }
  return denied ? EACCES : ENOENT;
}

static int spawn_shell(pid_t *pid, const char *command, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attr) {
  char name[] = "sh", option[] = "-c", *text = strdup(command);
  if (!text) return ENOMEM;
  char *argv[] = {name, option, text, NULL};
  int e = posix_spawn(pid, "/bin/sh", actions, attr, argv, environ);
  free(text);
  return e;
}

static int wait_for(pid_t pid) {
  int status;
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return status;
}

// As POSIX has it: the caller ignores SIGINT and SIGQUIT and doesn't hear of its child meanwhile; the child does.
static pthread_mutex_t calm = PTHREAD_MUTEX_INITIALIZER;
static int waiting;
static struct sigaction old_int, old_quit;

static void quiet(int on) {
  struct sigaction ignore;
  memset(&ignore, 0, sizeof ignore);
  ignore.sa_handler = SIG_IGN;
  pthread_mutex_lock(&calm);
  if (on && waiting++ == 0) {
    sigaction(SIGINT, &ignore, &old_int);
    sigaction(SIGQUIT, &ignore, &old_quit);
  } else if (!on && --waiting == 0) {
    sigaction(SIGINT, &old_int, NULL);
    sigaction(SIGQUIT, &old_quit, NULL);
  }
  pthread_mutex_unlock(&calm);
}

EXPORT int system(const char *command) {
  sigset_t child, before, reset;
  posix_spawnattr_t attr;
  pid_t pid;
  if (!command) return 1;
  quiet(1);
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  pthread_sigmask(SIG_BLOCK, &child, &before);
  sigemptyset(&reset);
  if (old_int.sa_handler != SIG_IGN) sigaddset(&reset, SIGINT);
  if (old_quit.sa_handler != SIG_IGN) sigaddset(&reset, SIGQUIT);
  int e = posix_spawnattr_init(&attr), status = 127 << 8;
  if (e == 0) {
    posix_spawnattr_setsigmask(&attr, &before);
    posix_spawnattr_setsigdefault(&attr, &reset);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    e = spawn_shell(&pid, command, NULL, &attr);
    if (e == 0) status = wait_for(pid);
    posix_spawnattr_destroy(&attr);
  }
  int failed = errno;
  quiet(0);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = e ? e : failed;
  return status;
}

// Streams of popen, with whose end each waits for.
struct pipe_stream {
  FILE *file;
  pid_t pid;
  struct pipe_stream *next;
};
static struct pipe_stream *streams;
static pthread_mutex_t streams_lock = PTHREAD_MUTEX_INITIALIZER;

EXPORT FILE *popen(const char *command, const char *mode) {
  int writes = mode[0] == 'w', ends[2];
  if ((!writes && mode[0] != 'r') || (mode[1] && (mode[1] != 'e' || mode[2]))) {
    errno = EINVAL;
    return NULL;
  }
  struct pipe_stream *p = malloc(sizeof *p);
  if (!p) return NULL;
  if (pipe2(ends, O_CLOEXEC) < 0) {
    free(p);
    return NULL;
  }
  int ours = ends[writes], theirs = ends[!writes], e = ENOMEM;
  posix_spawn_file_actions_t actions;
  p->file = fdopen(ours, writes ? "w" : "r");
  if (p->file && (e = posix_spawn_file_actions_init(&actions)) == 0) {
    e = posix_spawn_file_actions_adddup2(&actions, theirs, !writes);
    if (e == 0) e = spawn_shell(&p->pid, command, &actions, NULL);
    posix_spawn_file_actions_destroy(&actions);
  }
  close(theirs);
  if (e) {
    if (p->file) fclose(p->file);
    else close(ours);
    free(p);
    errno = e;
    return NULL;
  }
  FILE *file = p->file; // p may be gone as soon as others see it
  pthread_mutex_lock(&streams_lock);
  p->next = streams;
  streams = p;
  pthread_mutex_unlock(&streams_lock);
  return file;
}

EXPORT int pclose(FILE *file) {
  pthread_mutex_lock(&streams_lock);
  struct pipe_stream **at = &streams, *p;
  while ((p = *at) != NULL && p->file != file) at = &p->next;
  if (p) *at = p->next;
  pthread_mutex_unlock(&streams_lock);
  if (!p) {
    errno = EINVAL;
    return -1;
  }
  pid_t pid = p->pid;
  free(p);
  fclose(file);
  return wait_for(pid);
}
