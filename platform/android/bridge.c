//go:build android || jvmtest

#include "bridge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENV JNIEnv *env = (JNIEnv *)e

static char *say(const char *class, const char *message) {
	size_t n = strlen(class) + strlen(message) + 2;
	char *s = malloc(n);
	if (s != NULL) snprintf(s, n, "%s\n%s", class, message);
	return s;
}

/* ask calls a method without arguments that gives a string, and forgets whatever goes wrong. */
static char *ask(JNIEnv *env, jobject o, const char *class, const char *method) {
	char *text = NULL;
	jclass c = o == NULL ? NULL : (*env)->FindClass(env, class);
	jmethodID m = c == NULL ? NULL : (*env)->GetMethodID(env, c, method, "()Ljava/lang/String;");
	jstring s = m == NULL ? NULL : (jstring)(*env)->CallObjectMethod(env, o, m);
	if ((*env)->ExceptionCheck(env)) {
		(*env)->ExceptionClear(env);
		s = NULL;
	}
	const char *p = s == NULL ? NULL : (*env)->GetStringUTFChars(env, s, NULL);
	if (p != NULL) {
		text = strdup(p);
		(*env)->ReleaseStringUTFChars(env, s, p);
	}
	return text;
}

/* failed clears a pending exception and tells of it. */
static int failed(JNIEnv *env, char **failure) {
	if (!(*env)->ExceptionCheck(env)) return 0;
	jthrowable t = (*env)->ExceptionOccurred(env);
	(*env)->ExceptionClear(env);
	char *class = ask(env, (*env)->GetObjectClass(env, t), "java/lang/Class", "getName");
	char *message = ask(env, t, "java/lang/Throwable", "getMessage");
	*failure = say(class ? class : "an unnamed exception", message ? message : "");
	free(class);
	free(message);
	return 1;
}

uint64_t keva_call(uintptr_t e, uintptr_t o, int is_static, const char *class, const char *name, const char *sig, const uint64_t *words, char **failure) {
	ENV;
	jobject object = (jobject)o;
	const jvalue *args = (const jvalue *)words;
	jvalue r;
	memset(&r, 0, sizeof r);
	int creates = strcmp(name, "<init>") == 0;
	if (object == NULL && !is_static && !creates) {
		*failure = say("", "called on null");
		return 0;
	}
	jclass c = (*env)->FindClass(env, class);
	if (failed(env, failure)) return 0;
	jmethodID m = is_static ? (*env)->GetStaticMethodID(env, c, name, sig) : (*env)->GetMethodID(env, c, name, sig);
	if (failed(env, failure)) return 0;
	if (creates) {
		r.l = (*env)->NewObjectA(env, c, m, args);
		return failed(env, failure) ? 0 : (uint64_t)(uintptr_t)r.l;
	}
	switch (strchr(sig, ')')[1]) {
	case 'V':
		if (is_static) (*env)->CallStaticVoidMethodA(env, c, m, args);
		else (*env)->CallVoidMethodA(env, object, m, args);
		break;
	case 'Z':
		r.j = is_static ? (*env)->CallStaticBooleanMethodA(env, c, m, args) : (*env)->CallBooleanMethodA(env, object, m, args);
		break;
	case 'I':
		r.j = is_static ? (*env)->CallStaticIntMethodA(env, c, m, args) : (*env)->CallIntMethodA(env, object, m, args);
		break;
	case 'J':
		r.j = is_static ? (*env)->CallStaticLongMethodA(env, c, m, args) : (*env)->CallLongMethodA(env, object, m, args);
		break;
	case 'L':
	case '[':
		r.l = is_static ? (*env)->CallStaticObjectMethodA(env, c, m, args) : (*env)->CallObjectMethodA(env, object, m, args);
		break;
	default:
		*failure = say("", "a result of this type is not implemented");
		return 0;
	}
	return failed(env, failure) ? 0 : (uint64_t)r.j;
}

uint64_t keva_field(uintptr_t e, uintptr_t o, const char *class, const char *name, const char *sig, char **failure) {
	ENV;
	jobject object = (jobject)o;
	jclass c = (*env)->FindClass(env, class);
	if (failed(env, failure)) return 0;
	jfieldID f = object == NULL ? (*env)->GetStaticFieldID(env, c, name, sig) : (*env)->GetFieldID(env, c, name, sig);
	if (failed(env, failure)) return 0;
	switch (sig[0]) {
	case 'Z': return object == NULL ? (*env)->GetStaticBooleanField(env, c, f) : (*env)->GetBooleanField(env, object, f);
	case 'I': return (uint64_t)(int64_t)(object == NULL ? (*env)->GetStaticIntField(env, c, f) : (*env)->GetIntField(env, object, f));
	case 'J': return (uint64_t)(object == NULL ? (*env)->GetStaticLongField(env, c, f) : (*env)->GetLongField(env, object, f));
	case 'L':
	case '[': return (uint64_t)(uintptr_t)(object == NULL ? (*env)->GetStaticObjectField(env, c, f) : (*env)->GetObjectField(env, object, f));
	}
	*failure = say("", "a field of this type is not implemented");
	return 0;
}

uintptr_t keva_string(uintptr_t e, const uint16_t *text, int n, char **failure) {
	ENV;
	static const jchar none[1];
	jstring s = (*env)->NewString(env, n == 0 ? none : (const jchar *)text, n);
	return failed(env, failure) ? 0 : (uintptr_t)s;
}
int keva_string_length(uintptr_t e, uintptr_t s) { ENV; return (*env)->GetStringLength(env, (jstring)s); }
void keva_string_copy(uintptr_t e, uintptr_t s, uint16_t *to, int n) { ENV; (*env)->GetStringRegion(env, (jstring)s, 0, n, (jchar *)to); }

uintptr_t keva_bytes(uintptr_t e, const uint8_t *data, int n, char **failure) {
	ENV;
	jbyteArray a = (*env)->NewByteArray(env, n);
	if (failed(env, failure)) return 0;
	if (n > 0) (*env)->SetByteArrayRegion(env, a, 0, n, (const jbyte *)data);
	return failed(env, failure) ? 0 : (uintptr_t)a;
}
void keva_bytes_copy(uintptr_t e, uintptr_t a, uint8_t *to, int n) { ENV; (*env)->GetByteArrayRegion(env, (jbyteArray)a, 0, n, (jbyte *)to); }
uintptr_t keva_strings(uintptr_t e, int n, char **failure) {
	ENV;
	jclass c = (*env)->FindClass(env, "java/lang/String");
	if (failed(env, failure)) return 0;
	jobjectArray a = (*env)->NewObjectArray(env, n, c, NULL);
	return failed(env, failure) ? 0 : (uintptr_t)a;
}
void keva_set(uintptr_t e, uintptr_t a, int i, uintptr_t value, char **failure) {
	ENV;
	(*env)->SetObjectArrayElement(env, (jobjectArray)a, i, (jobject)value);
	failed(env, failure);
}
int keva_length(uintptr_t e, uintptr_t a) { ENV; return (*env)->GetArrayLength(env, (jarray)a); }
uintptr_t keva_element(uintptr_t e, uintptr_t a, int i, char **failure) {
	ENV;
	jobject o = (*env)->GetObjectArrayElement(env, (jobjectArray)a, i);
	return failed(env, failure) ? 0 : (uintptr_t)o;
}

int keva_push(uintptr_t e) {
	ENV;
	if ((*env)->PushLocalFrame(env, 256) == 0) return 1;
	(*env)->ExceptionClear(env); /* no memory */
	return 0;
}
void keva_pop(uintptr_t e) { ENV; (*env)->PopLocalFrame(env, NULL); }
uintptr_t keva_keep(uintptr_t e, uintptr_t ref) { ENV; return (uintptr_t)(*env)->NewGlobalRef(env, (jobject)ref); }
void keva_drop(uintptr_t e, uintptr_t ref) { ENV; (*env)->DeleteGlobalRef(env, (jobject)ref); }
