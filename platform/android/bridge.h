#ifndef KEVA_BRIDGE_H
#define KEVA_BRIDGE_H
#include <jni.h>
#include <stdint.h>

/*
 * Java, called by name. References and environments are words, so that Go's garbage collector never takes one for a
 * pointer. No function leaves an exception pending: it is cleared and told in *failure, "class\nmessage", to be freed.
 * *failure must be NULL at first.
 */

/* keva_call calls a method; object 0 means a static one, the name "<init>" a constructor. The result is in the low bits. */
uint64_t keva_call(uintptr_t env, uintptr_t object, int is_static, const char *class, const char *name, const char *sig, const uint64_t *args, char **failure);
/* keva_field reads a field; object 0 means a static one. */
uint64_t keva_field(uintptr_t env, uintptr_t object, const char *class, const char *name, const char *sig, char **failure);

uintptr_t keva_string(uintptr_t env, const uint16_t *text, int n, char **failure);
int keva_string_length(uintptr_t env, uintptr_t string);
void keva_string_copy(uintptr_t env, uintptr_t string, uint16_t *to, int n);

uintptr_t keva_bytes(uintptr_t env, const uint8_t *data, int n, char **failure);
void keva_bytes_copy(uintptr_t env, uintptr_t array, uint8_t *to, int n);
uintptr_t keva_strings(uintptr_t env, int n, char **failure);
void keva_set(uintptr_t env, uintptr_t array, int i, uintptr_t value, char **failure);
int keva_length(uintptr_t env, uintptr_t array);
uintptr_t keva_element(uintptr_t env, uintptr_t array, int i, char **failure);

/* A frame for local references, and references that outlive it. */
int keva_push(uintptr_t env);
void keva_pop(uintptr_t env);
uintptr_t keva_keep(uintptr_t env, uintptr_t ref);
void keva_drop(uintptr_t env, uintptr_t ref);
#endif
