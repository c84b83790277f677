#include "load.h"

#include <errno.h>
#include <sys/mman.h>

#include "raw.h"

#if defined(__x86_64__)
enum { machine = EM_X86_64 };
#else
enum { machine = EM_AARCH64 };
#endif

// No linker needs more; a damaged file might ask for it.
static const uint64_t limit = 1ULL << 28;

int measure(const Elf64_Ehdr *e, const Elf64_Phdr *p, uint64_t page, struct span *s) {
  if (e->e_ident[EI_MAG0] != ELFMAG0 || e->e_ident[EI_MAG1] != ELFMAG1 || e->e_ident[EI_MAG2] != ELFMAG2 ||
      e->e_ident[EI_MAG3] != ELFMAG3 || e->e_ident[EI_CLASS] != ELFCLASS64 || e->e_machine != machine || e->e_type != ET_DYN ||
      e->e_phentsize != sizeof(Elf64_Phdr) || e->e_phnum == 0 || e->e_phnum > load_heads)
    return -ENOEXEC;
  s->low = limit;
  s->high = 0;
  for (int i = 0; i < e->e_phnum; i++) {
    if (p[i].p_type != PT_LOAD || p[i].p_memsz == 0) continue;
    if (p[i].p_vaddr > limit || p[i].p_memsz > limit || p[i].p_offset > limit || p[i].p_filesz > p[i].p_memsz ||
        (p[i].p_vaddr - p[i].p_offset) % page != 0 || p[i].p_vaddr < s->high) // in order, and no page in two segments
      return -ENOEXEC;
    uint64_t from = p[i].p_vaddr & ~(page - 1), to = (p[i].p_vaddr + p[i].p_memsz + page - 1) & ~(page - 1);
    if (from < s->low) s->low = from;
    s->high = to;
  }
  if (s->high == 0 || e->e_entry < s->low || e->e_entry >= s->high) return -ENOEXEC;
  return 0;
}

static long map(uintptr_t at, uint64_t size, int access, int flags, int fd, uint64_t offset) {
  return raw(SYS_mmap, (long)at, (long)size, access, flags, fd, (long)offset);
}

// Results of mmap in the last page of addresses are errors.
static int failed(long r) { return r < 0 && r > -4096; }

static int segment(const Elf64_Phdr *p, uint64_t page, uintptr_t base, int fd) {
  int access = (p->p_flags & PF_R ? PROT_READ : 0) | (p->p_flags & PF_W ? PROT_WRITE : 0) | (p->p_flags & PF_X ? PROT_EXEC : 0);
  uintptr_t start = base + p->p_vaddr, from = start & ~(page - 1);
  uintptr_t filled = start + p->p_filesz, end = (start + p->p_memsz + page - 1) & ~(page - 1);
  uintptr_t paged = (filled + page - 1) & ~(page - 1); // where the file's pages end
  if (p->p_filesz > 0) {
    long r = map(from, filled - from, access, MAP_PRIVATE | MAP_FIXED, fd, p->p_offset - (start - from));
    if (failed(r)) return (int)r;
    // The rest of the last page is the file's next bytes, and must be zero where the program writes.
    if (access & PROT_WRITE && p->p_memsz > p->p_filesz) {
      for (volatile char *z = (volatile char *)filled; z < (volatile char *)paged; z++) *z = 0;
    }
  } else {
    paged = from;
  }
  if (end > paged) {
    long r = map(paged, end - paged, access, MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0);
    if (failed(r)) return (int)r;
  }
  return 0;
}

int load(const char *path, uint64_t page, struct loaded *out) {
  Elf64_Ehdr e;
  Elf64_Phdr p[load_heads];
  struct span s;
  int fd = sys_open(path, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return fd;
  int r = -ENOEXEC;
  if (sys_pread(fd, &e, sizeof e, 0) != sizeof e || e.e_phnum > load_heads) goto done;
  long size = (long)(e.e_phnum * sizeof p[0]);
  if (sys_pread(fd, p, (size_t)size, e.e_phoff) != size) goto done;
  r = measure(&e, p, page, &s);
  if (r < 0) goto done;
  long at = map(0, s.high - s.low, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); // one range that is ours
  r = failed(at) ? (int)at : 0;
  uintptr_t base = (uintptr_t)at - s.low;
  out->heads = 0;
  for (int i = 0; i < e.e_phnum && r == 0; i++) {
    if (p[i].p_type != PT_LOAD || p[i].p_memsz == 0) continue;
    r = segment(&p[i], page, base, fd);
    if (e.e_phoff >= p[i].p_offset && e.e_phoff - p[i].p_offset < p[i].p_filesz) out->heads = base + p[i].p_vaddr + (e.e_phoff - p[i].p_offset);
  }
  out->base = base;
  out->entry = base + e.e_entry;
  out->count = e.e_phnum;
done:
  sys_close(fd);
  return r;
}
