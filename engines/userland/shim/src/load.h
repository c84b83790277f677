// load.h: maps a shared object, as the kernel maps an interpreter.
#pragma once

#include <elf.h>
#include <stdint.h>

// What load found; errors are those of the kernel, or of the checks.
struct loaded {
  uintptr_t base;  // what is added to the file's addresses
  uintptr_t entry; // where it starts
  uintptr_t heads; // its program headers in memory, 0 when they are not mapped
  uint16_t count;  // of program headers
};

// Places of a file's segments, checked: every later addition stays in range.
struct span {
  uint64_t low, high; // page aligned
};

enum { load_heads = 16 }; // program headers that we read; linkers have about ten

// measure checks an ELF header and its program headers for a page size (a power of two) and gives the memory that they
// need. It returns 0, or -ENOEXEC.
__attribute__((visibility("hidden"))) int measure(const Elf64_Ehdr *e, const Elf64_Phdr *p, uint64_t page, struct span *s);

// load maps the shared object at path. It returns 0 or a negative errno.
__attribute__((visibility("hidden"))) int load(const char *path, uint64_t page, struct loaded *out);
