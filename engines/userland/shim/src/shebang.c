#include "shebang.h"

#include <string.h>

static int blank(char c) { return c == ' ' || c == '\t'; }

int shebang(const unsigned char *bytes, size_t n, struct shebang *s) {
  if (n < 3 || bytes[0] != '#' || bytes[1] != '!') return 0;
  if (n > shebang_room - 1) n = shebang_room - 1;
  size_t k = 0;
  int whole = 0; // a name that is cut off must not run another program
  for (size_t i = 2; i < n && bytes[i] != '\n' && bytes[i] != 0; i++) s->line[k++] = (char)bytes[i];
  whole = k + 2 < shebang_room - 1;
  while (k > 0 && (blank(s->line[k - 1]) || s->line[k - 1] == '\r')) k--;
  s->line[k] = 0;
  s->interpreter = s->line + strspn(s->line, " \t");
  if (!*s->interpreter) return 0;
  s->argument = strpbrk(s->interpreter, " \t");
  if (!s->argument) return whole;
  *s->argument++ = 0;
  s->argument += strspn(s->argument, " \t");
  return 1;
}
