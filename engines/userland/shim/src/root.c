#include "root.h"

// A file of its own, so that no compiler takes it for the empty string that it is here.
__attribute__((section(".keva.root"), used)) char keva_root[256] = {0};
