/*
 * What differs between glibc and Android's C library on the two 64-bit architectures, as far as our C code meets it.
 * It is included before everything else. All else comes from glibc's headers, whose 64-bit ABI is the kernel's, as
 * Android's is. A function that is missing in symbols.txt fails at link time, not on the phone.
 */
#ifndef KEVA_ABI_H
#define KEVA_ABI_H
#define __BIONIC__ 1
#define __INTRODUCED_IN(x)
#define __INTRODUCED_IN_32(x)
#define __INTRODUCED_IN_64(x)
#define __INTRODUCED_IN_NO_GUARD_FOR_NDK(x)
#define __DEPRECATED_IN(...)
#define __REMOVED_IN(...)
#define __RENAME_IF_FILE_OFFSET64(x)
#define __NO_CTYPE 1 /* no tables of glibc's: call the functions */
#ifndef __ASSEMBLER__

/* sigset_t is one word. */
#define ____sigset_t_defined
typedef struct { unsigned long __val[1]; } __sigset_t;

/* Sizes of the thread objects. */
#define _BITS_PTHREADTYPES_ARCH_H 1
#define __SIZEOF_PTHREAD_ATTR_T 56
#define __SIZEOF_PTHREAD_MUTEX_T 40
#define __SIZEOF_PTHREAD_MUTEXATTR_T 8
#define __SIZEOF_PTHREAD_CONDATTR_T 8
#define __SIZEOF_PTHREAD_COND_T 48
#define __SIZEOF_PTHREAD_RWLOCK_T 56
#define __SIZEOF_PTHREAD_RWLOCKATTR_T 8
#define __SIZEOF_PTHREAD_BARRIER_T 32
#define __SIZEOF_PTHREAD_BARRIERATTR_T 4
#define __LOCK_ALIGNMENT
#define __ONCE_ALIGNMENT

/* struct sigaction: the flags come first. */
#define _BITS_SIGACTION_H 1
struct sigaction;
#include <stdint.h>
#include <sys/types.h>
#include <signal.h>
struct sigaction {
	int sa_flags;
	union { void (*sa_handler)(int); void (*sa_sigaction)(int, siginfo_t *, void *); };
	sigset_t sa_mask;
	void (*sa_restorer)(void);
};
#define SA_NOCLDSTOP 1
#define SA_NOCLDWAIT 2
#define SA_SIGINFO 4
#define SA_ONSTACK 0x08000000
#define SA_RESTART 0x10000000
#define SA_NODEFER 0x40000000
#define SA_RESETHAND 0x80000000
#define SIG_BLOCK 0
#define SIG_UNBLOCK 1
#define SIG_SETMASK 2

/* The resolver: another order of members, other constants. */
#include <sys/socket.h>
#define addrinfo keva_glibc_addrinfo
#define getaddrinfo keva_glibc_getaddrinfo
#define freeaddrinfo keva_glibc_freeaddrinfo
#define getnameinfo keva_glibc_getnameinfo
#include <netdb.h>
#undef addrinfo
#undef getaddrinfo
#undef freeaddrinfo
#undef getnameinfo
struct addrinfo {
	int ai_flags, ai_family, ai_socktype, ai_protocol;
	socklen_t ai_addrlen;
	char *ai_canonname;
	struct sockaddr *ai_addr;
	struct addrinfo *ai_next;
};
int getaddrinfo(const char *, const char *, const struct addrinfo *, struct addrinfo **);
void freeaddrinfo(struct addrinfo *);
int getnameinfo(const struct sockaddr *, socklen_t, char *, size_t, char *, size_t, int);
#undef AI_PASSIVE
#undef AI_CANONNAME
#undef AI_NUMERICHOST
#undef AI_NUMERICSERV
#undef AI_ALL
#undef AI_V4MAPPED
#undef AI_ADDRCONFIG
#define AI_PASSIVE 1
#define AI_CANONNAME 2
#define AI_NUMERICHOST 4
#define AI_NUMERICSERV 8
#define AI_ALL 0x100
#define AI_V4MAPPED_CFG 0x200
#define AI_ADDRCONFIG 0x400
#define AI_V4MAPPED 0x800
#undef EAI_ADDRFAMILY
#undef EAI_AGAIN
#undef EAI_BADFLAGS
#undef EAI_FAIL
#undef EAI_FAMILY
#undef EAI_MEMORY
#undef EAI_NODATA
#undef EAI_NONAME
#undef EAI_SERVICE
#undef EAI_SOCKTYPE
#undef EAI_SYSTEM
#undef EAI_OVERFLOW
#define EAI_ADDRFAMILY 1
#define EAI_AGAIN 2
#define EAI_BADFLAGS 3
#define EAI_FAIL 4
#define EAI_FAMILY 5
#define EAI_MEMORY 6
#define EAI_NODATA 7
#define EAI_NONAME 8
#define EAI_SERVICE 9
#define EAI_SOCKTYPE 10
#define EAI_SYSTEM 11
#define EAI_OVERFLOW 14
#undef NI_NOFQDN
#undef NI_NUMERICHOST
#undef NI_NAMEREQD
#undef NI_NUMERICSERV
#undef NI_DGRAM
#define NI_NOFQDN 1
#define NI_NUMERICHOST 2
#define NI_NAMEREQD 4
#define NI_NUMERICSERV 8
#define NI_DGRAM 16

/* sysconf's names are numbered otherwise. One that is not here does not compile. */
#include <unistd.h>
#undef _SC_PAGESIZE
#undef _SC_PAGE_SIZE
#undef _SC_NPROCESSORS_CONF
#undef _SC_NPROCESSORS_ONLN
#define _SC_PAGESIZE 0x27
#define _SC_PAGE_SIZE 0x28
#define _SC_NPROCESSORS_CONF 0x60
#define _SC_NPROCESSORS_ONLN 0x61
long sysconf(int name) __attribute__((diagnose_if(
	name != 0x27 && name != 0x28 && name != 0x60 && name != 0x61, "keva_abi.h does not know Android's number of this name", "error")));

int remove(const char *);

#include <pthread.h>
#include <sys/stat.h>
_Static_assert(sizeof(sigset_t) == 8, "sigset_t");
_Static_assert(sizeof(struct sigaction) == 32, "struct sigaction");
_Static_assert(sizeof(pthread_t) == 8, "pthread_t");
_Static_assert(sizeof(pthread_attr_t) == 56, "pthread_attr_t");
_Static_assert(sizeof(pthread_mutex_t) == 40, "pthread_mutex_t");
_Static_assert(sizeof(pthread_cond_t) == 48, "pthread_cond_t");
_Static_assert(sizeof(struct addrinfo) == 48, "struct addrinfo");
#ifdef __aarch64__
_Static_assert(sizeof(struct stat) == 128, "struct stat");
#else
_Static_assert(sizeof(struct stat) == 144, "struct stat");
#endif
#endif
#endif
