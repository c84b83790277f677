#include <dlfcn.h>

#include "k.h"

void real(void **at, const char *name) { *at = dlsym(RTLD_NEXT, name); }
