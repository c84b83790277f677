// refuse POLICY PROGRAM ARGUMENT…: runs a program under the seccomp policy of an Android release, as a policy file of
// test/jail/policies says. Needs no rights.
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "check.h"

int main(int argc, char **argv) {
  static struct sock_filter f[2048];
  unsigned short n = 0;
  char line[200], name[100];
  int nr;
  CHECK(argc > 2);
  FILE *policy = fopen(argv[1], "r");
  CHECK(policy);
  f[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  while (fgets(line, sizeof line, policy)) {
    if (line[0] == '#' || sscanf(line, "%99s %d", name, &nr) != 2) continue;
    CHECK(n < 2000);
    f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)nr, 0, 1);
    f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  }
  CHECK(n > 100);
  f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
  struct sock_fprog p = {n, f};
  CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p, 0, 0) == 0);
  execv(argv[2], argv + 2);
  return 127;
}
