// accounts.c: one user, made of $USER, $HOME and $SHELL, and groups by number. An app has no /etc/passwd, and ssh, git,
// Python and Node ask who they are.
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "k.h"
#include "place.h"
#include "root.h"

static const char *variable(const char *name, const char *otherwise) {
  const char *v = getenv(name);
  return v && *v ? v : otherwise;
}

static const char *user(void) { return variable("USER", "keva"); }

// put copies s to the room that is left and gives the copy, or NULL.
static char *put(char **room, size_t *left, const char *s) {
  size_t n = strlen(s) + 1;
  if (n > *left) return NULL;
  char *at = *room;
  memcpy(at, s, n);
  *room += n;
  *left -= n;
  return at;
}

static int me(struct passwd *p, char *room, size_t left) {
  char bash[PATH_MAX];
  p->pw_uid = getuid();
  p->pw_gid = getgid();
  p->pw_name = put(&room, &left, user());
  p->pw_gecos = p->pw_name;
  p->pw_passwd = put(&room, &left, "x");
  p->pw_dir = put(&room, &left, variable("HOME", keva_root));
  p->pw_shell = put(&room, &left, variable("SHELL", within("/usr/bin/bash", bash)));
  return p->pw_name && p->pw_passwd && p->pw_dir && p->pw_shell ? 0 : ERANGE;
}

static int passwd(int known, struct passwd *p, char *room, size_t left, struct passwd **found) {
  *found = NULL;
  if (!known) return 0; // POSIX: not found is no error
  int e = me(p, room, left);
  if (e == 0) *found = p;
  return e;
}

EXPORT int getpwuid_r(uid_t u, struct passwd *restrict p, char *restrict room, size_t n, struct passwd **restrict found) {
  return passwd(u == getuid(), p, room, n, found);
}
EXPORT int getpwnam_r(const char *restrict name, struct passwd *restrict p, char *restrict room, size_t n, struct passwd **restrict found) {
  return passwd(!strcmp(name, user()), p, room, n, found);
}

// What these return is overwritten by their next call, as everywhere.
static struct passwd *passwd_static(int known) {
  static struct passwd p;
  static char room[3 * PATH_MAX];
  struct passwd *found;
  int e = passwd(known, &p, room, sizeof room, &found);
  if (e) errno = e;
  return found;
}
EXPORT struct passwd *getpwuid(uid_t u) { return passwd_static(u == getuid()); }
EXPORT struct passwd *getpwnam(const char *name) { return passwd_static(!strcmp(name, user())); }

// Android's groups have numbers only; 0 has its name everywhere.
static int group(gid_t g, struct group *o, char *room, size_t left, struct group **found) {
  char number[24];
  const char *name = number;
  *found = NULL;
  if (g == getgid()) name = user();
  else if (g == 0) name = "root";
  else snprintf(number, sizeof number, "aid_%u", g);
  size_t shift = (size_t)-(uintptr_t)room % sizeof(char *);
  if (left < shift + sizeof(char *)) return ERANGE;
  o->gr_mem = (char **)(void *)(room + shift);
  o->gr_mem[0] = NULL;
  room += shift + sizeof(char *);
  left -= shift + sizeof(char *);
  o->gr_gid = g;
  o->gr_name = put(&room, &left, name);
  o->gr_passwd = put(&room, &left, "x");
  if (!o->gr_name || !o->gr_passwd) return ERANGE;
  *found = o;
  return 0;
}

// number gives the group of a name: the user's own, root, or aid_N.
static int number(const char *name, gid_t *g) {
  *g = 0;
  if (!strcmp(name, user())) *g = getgid();
  else if (!strncmp(name, "aid_", 4) && name[4] >= '0' && name[4] <= '9') {
    char *end;
    unsigned long v = strtoul(name + 4, &end, 10);
    if (*end || v > UINT_MAX) return 0;
    *g = (gid_t)v;
  } else if (strcmp(name, "root") != 0) return 0;
  return 1;
}

EXPORT int getgrgid_r(gid_t g, struct group *restrict o, char *restrict room, size_t n, struct group **restrict found) {
  return group(g, o, room, n, found);
}
EXPORT int getgrnam_r(const char *restrict name, struct group *restrict o, char *restrict room, size_t n, struct group **restrict found) {
  gid_t g;
  *found = NULL;
  return number(name, &g) ? group(g, o, room, n, found) : 0;
}

static struct group *group_static(gid_t g) {
  static struct group o;
  static char room[PATH_MAX];
  struct group *found;
  int e = group(g, &o, room, sizeof room, &found);
  if (e) errno = e;
  return found;
}
EXPORT struct group *getgrgid(gid_t g) { return group_static(g); }
EXPORT struct group *getgrnam(const char *name) {
  gid_t g;
  return number(name, &g) ? group_static(g) : NULL;
}
