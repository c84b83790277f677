// root.h: the absolute path that the installation writes into a product, NUL padded: the tree's in k.so, the linker's in ldk.
#pragma once

extern char keva_root[256] __attribute__((visibility("hidden")));
