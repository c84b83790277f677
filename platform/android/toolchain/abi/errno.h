#ifndef KEVA_ERRNO_H
#define KEVA_ERRNO_H
#include <linux/errno.h>
#define ENOTSUP EOPNOTSUPP
int *__errno(void) __attribute__((__const__));
#define errno (*__errno())
#endif
