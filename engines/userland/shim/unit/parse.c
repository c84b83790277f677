// parse.c: the parts that read what others wrote: #! lines, paths, resolv.conf, ELF headers. A table for each, then random
// input in exact-size blocks, so that the sanitizers see one byte too many.
#include <arpa/inet.h>
#include <limits.h>
#include <stdint.h>
#include <unistd.h>

#include "../src/load.h"
#include "../src/nameservers.h"
#include "../src/place.h"
#include "../src/root.h"
#include "../src/shebang.h"
#include "check.h"

static void lines(void) {
  static const struct {
    const char *text, *interpreter, *argument;
  } t[] = {
      {"#!/bin/sh\n", "/bin/sh", NULL},
      {"#!/bin/sh", "/bin/sh", NULL},
      {"#! /bin/sh -e \n", "/bin/sh", "-e"},
      {"#!\t/usr/bin/perl -w -T\nx", "/usr/bin/perl", "-w -T"},
      {"#!/usr/bin/env -S node --x\n", "/usr/bin/env", "-S node --x"}, // one argument: env splits it
      {"#!/bin/sh\r\n", "/bin/sh", NULL},
      {"#!/bin/sh\t \n", "/bin/sh", NULL},
      {"#!\n/bin/sh", NULL, NULL},
      {"#!  \n", NULL, NULL},
      {"#!", NULL, NULL},
      {"#", NULL, NULL},
      {"", NULL, NULL},
      {"/bin/sh\n", NULL, NULL},
  };
  struct shebang s;
  for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
    int r = shebang((const unsigned char *)t[i].text, strlen(t[i].text), &s);
    CHECK(r == (t[i].interpreter != NULL));
    if (!r) continue;
    SAME(s.interpreter, t[i].interpreter);
    CHECK(!s.argument == !t[i].argument);
    if (s.argument) SAME(s.argument, t[i].argument);
  }
  char big[400] = "#!/";
  memset(big + 3, 'a', sizeof big - 4);
  CHECK(!shebang((unsigned char *)big, sizeof big - 1, &s)); // cut off: another program would run
}

static void paths(void) {
  static const char *const t[][2] = {{"/", "/"}, {"//", "/"}, {"/a//b/", "/a/b"}, {"/./a/.", "/a"}, {"/a/../b", "/b"}, {"/..", "/"}, {"/../../x", "/x"}, {"/a/b/../../..", "/"}, {"/...", "/..."}, {"/a/..b", "/a/..b"}};
  char buf[PATH_MAX], mapped[PATH_MAX];
  for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
    CHECK(clean(t[i][0], buf, sizeof buf) == strlen(t[i][1]));
    SAME(buf, t[i][1]);
  }
  CHECK(clean("/abc", buf, 5) == 4 && clean("/abc", buf, 4) == 0);
  CHECK(under("/tmp", "/tmp") && under("/tmp/x", "/tmp") && !under("/tmpx", "/tmp") && !under("/tm", "/tmp"));

  char root[] = "/var/tmp/placeXXXXXX", made[PATH_MAX];
  CHECK(mkdtemp(root));
  memset(keva_root, 0, sizeof keva_root);
  strcpy(keva_root, root);
  snprintf(made, sizeof made, "mkdir -p %s/usr/bin %s/etc && touch %s/usr/bin/only-here", root, root, root);
  CHECK(system(made) == 0);
  setenv("TMPDIR", "/data/tmp", 1);
  SAME(place("/tmp", mapped), "/data/tmp");
  SAME(place("/tmp/a b", mapped), "/data/tmp/a b");
  SAME(place("/tmp/d/", mapped), "/data/tmp/d/");
  SAME(place("//tmp/./x", mapped), "/data/tmp/x");
  SAME(place("/var/tmp/x", mapped), "/data/tmp/x");
  SAME(place("/tmpfile", mapped), "/tmpfile");
  SAME(place("/tmp/../nowhere", mapped), "/tmp/../nowhere"); // not in /tmp
  SAME(place("tmp/x", mapped), "tmp/x");
  SAME(place("", mapped), "");
  CHECK(place(NULL, mapped) == NULL);
  snprintf(made, sizeof made, "%s/usr/bin/only-here", root);
  SAME(place("/usr/bin/only-here", mapped), made);
  SAME(place("/usr/../usr/bin/only-here", mapped), made);
  SAME(place("/usr/bin/not-here", mapped), "/usr/bin/not-here");
  SAME(place("/data/usr/bin/only-here", mapped), "/data/usr/bin/only-here");
  setenv("TMPDIR", "/tmp/inside", 1); // no circle
  SAME(place("/tmp/x", mapped), "/tmp/x");
  setenv("TMPDIR", "relative", 1);
  SAME(place("/tmp/x", mapped), "/tmp/x");
  char *longest = malloc(2 * PATH_MAX);
  CHECK(longest);
  memset(longest, 'x', 2 * PATH_MAX);
  memcpy(longest, "/tmp/", 5);
  longest[2 * PATH_MAX - 1] = 0;
  setenv("TMPDIR", "/data/tmp", 1);
  CHECK(place(longest, mapped) == longest);
  longest[PATH_MAX - 3] = 0; // fits as it is, not with what is put before it
  CHECK(place(longest, mapped) == longest);
  free(longest);
  snprintf(made, sizeof made, "rm -r %s", root);
  CHECK(system(made) == 0);
}

static void servers(void) {
  struct sockaddr_in a[3];
  const char *text = "# x\nsearch local\nnameserver 10.0.0.1\nnameserver\t127.0.0.1:5353 # ours\nnameserver ::1\nnameserver 1.2.3\nnameserver 1.2.3.256\nnameserver 1.2.3.4:0\nnameserver 8.8.8.8\nnameserver 9.9.9.9";
  CHECK(nameservers(text, strlen(text), a, 3) == 3);
  CHECK(ntohl(a[0].sin_addr.s_addr) == 0x0a000001 && ntohs(a[0].sin_port) == 53);
  CHECK(ntohl(a[1].sin_addr.s_addr) == 0x7f000001 && ntohs(a[1].sin_port) == 5353);
  CHECK(ntohl(a[2].sin_addr.s_addr) == 0x08080808);
  CHECK(nameservers("nameserver", 10, a, 3) == 0 && nameservers("", 0, a, 3) == 0 && nameservers("nameserver 1.2.3.4:99999", 24, a, 3) == 0);
}

static void headers(void) {
  Elf64_Ehdr e;
  Elf64_Phdr p[load_heads];
  struct span s;
  memset(&e, 0, sizeof e);
  memset(p, 0, sizeof p);
  memcpy(e.e_ident, ELFMAG, SELFMAG);
  e.e_ident[EI_CLASS] = ELFCLASS64;
#ifdef __x86_64__
  e.e_machine = EM_X86_64;
#else
  e.e_machine = EM_AARCH64;
#endif
  e.e_type = ET_DYN;
  e.e_phentsize = sizeof p[0];
  e.e_phnum = 2;
  e.e_entry = 0x100;
  p[0] = (Elf64_Phdr){.p_type = PT_LOAD, .p_filesz = 0x200, .p_memsz = 0x200};
  p[1] = (Elf64_Phdr){.p_type = PT_LOAD, .p_vaddr = 0x11200, .p_offset = 0x1200, .p_filesz = 0x100, .p_memsz = 0x5000};
  CHECK(measure(&e, p, 4096, &s) == 0 && s.low == 0 && s.high == 0x17000);
  CHECK(measure(&e, p, 16384, &s) == 0 && s.high == 0x18000); // pages of newer phones
  Elf64_Ehdr bad = e;
#define REFUSED(field, value) do { bad = e; bad.field = value; CHECK(measure(&bad, p, 4096, &s) == -ENOEXEC); } while (0)
  REFUSED(e_machine, EM_386);
  REFUSED(e_type, ET_EXEC);
  REFUSED(e_phnum, 0);
  REFUSED(e_phnum, load_heads + 1);
  REFUSED(e_phentsize, 32);
  REFUSED(e_entry, 0x17000);
  REFUSED(e_ident[EI_CLASS], ELFCLASS32);
  Elf64_Phdr was = p[1];
#define REFUSED_SEGMENT(field, value) do { p[1] = was; p[1].field = value; CHECK(measure(&e, p, 4096, &s) == -ENOEXEC); } while (0)
  REFUSED_SEGMENT(p_vaddr, 0x11201);            // doesn't match its place in the file
  REFUSED_SEGMENT(p_vaddr, UINT64_MAX - 0xdff); // wraps
  REFUSED_SEGMENT(p_memsz, UINT64_MAX);
  REFUSED_SEGMENT(p_filesz, 0x6000);
  REFUSED_SEGMENT(p_vaddr, 0x200); // in the first one's page
  REFUSED_SEGMENT(p_offset, UINT64_MAX - 0xdff);
}

static uint64_t state = 88172645463325252ULL;
static uint64_t next(void) { // xorshift: the same in every run
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

// text makes n characters of those that matter, or any.
static char *text(size_t n) {
  static const char *const words[] = {"#!", "/", "//", "..", ".", " ", "\t", "\n", "/tmp", "/usr/", "env", "-S", "nameserver ", "127.0.0.1", ":53", "\r", "a"};
  char *s = malloc(n + 1);
  CHECK(s);
  size_t at = 0;
  while (at < n) {
    if (next() % 4 == 0) {
      s[at++] = (char)next();
      continue;
    }
    const char *w = words[next() % (sizeof words / sizeof *words)];
    for (; *w && at < n; w++) s[at++] = *w;
  }
  s[n] = 0;
  return s;
}

static void noise(long rounds) {
  setenv("TMPDIR", "/data/tmp", 1);
  strcpy(keva_root, "/data/root");
  char buf[PATH_MAX], out[64];
  for (long i = 0; i < rounds; i++) {
    size_t n = 1 + next() % (next() % 50 == 0 ? 6000 : 300);
    char *t = text(n);
    char *exact = malloc(n); // no NUL behind it
    CHECK(exact);
    memcpy(exact, t, n);
    struct shebang s;
    if (shebang((unsigned char *)exact, n, &s)) CHECK(s.interpreter[0] && strlen(s.interpreter) < shebang_room);
    struct sockaddr_in a[3];
    int k = nameservers(exact, n, a, 3);
    CHECK(k >= 0 && k <= 3);
    t[0] = '/';
    size_t c = clean(t, out, sizeof out);
    CHECK(c < sizeof out && (c == 0 || (out[0] == '/' && strlen(out) == c && !strstr(out, "//"))));
    const char *r = place(t, buf);
    CHECK(r == t || (r == buf && strlen(buf) < sizeof buf && !strncmp(buf, "/data/", 6)));
    Elf64_Ehdr e;
    Elf64_Phdr p[load_heads];
    struct span sp;
    for (size_t b = 0; b < sizeof e; b++) ((unsigned char *)&e)[b] = (unsigned char)next();
    for (size_t b = 0; b < sizeof p; b++) ((unsigned char *)p)[b] = next() % 3 ? 0 : (unsigned char)next();
    memcpy(e.e_ident, ELFMAG, SELFMAG);
    e.e_ident[EI_CLASS] = ELFCLASS64;
    e.e_type = ET_DYN, e.e_phentsize = sizeof p[0], e.e_phnum = (Elf64_Half)(next() % 20), e.e_entry = next() % 4096;
    e.e_machine = next() % 2 ? EM_X86_64 : EM_AARCH64;
    for (int h = 0; h < load_heads; h++) p[h].p_type = PT_LOAD;
    if (measure(&e, p, 4096, &sp) == 0) CHECK(sp.low < sp.high && sp.high <= 1ULL << 30);
    free(exact);
    free(t);
  }
}

int main(int argc, char **argv) {
  lines();
  paths();
  servers();
  headers();
  noise(argc > 1 ? atol(argv[1]) : 20000);
  puts("ok");
  return 0;
}
