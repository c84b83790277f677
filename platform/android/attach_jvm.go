//go:build jvmtest && !android

package android

/*
#cgo LDFLAGS: -L/usr/lib/jvm/default-java/lib/server -ljvm -Wl,-rpath,/usr/lib/jvm/default-java/lib/server
#include <jni.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern void Java_app_keva_AnswerReceiver_deliver(JNIEnv *, jclass, jstring, jstring, jstring, jstring);
static JavaVM *vm;

static int boot(char *path) {
	JavaVMOption o[] = {{path}, {"-Xcheck:jni"}, {"-Xmx128m"}, {"-Xrs"}, {"-XX:+UnlockDiagnosticVMOptions"}, {"-XX:+BytecodeVerificationRemote"}};
	JavaVMInitArgs a = {JNI_VERSION_1_8, sizeof o / sizeof *o, o, 0};
	JNIEnv *env;
	if (JNI_CreateJavaVM(&vm, (void **)&env, &a) != 0) return 1;
	jclass receiver = (*env)->FindClass(env, "app/keva/AnswerReceiver");
	if (receiver == NULL) { (*env)->ExceptionDescribe(env); return 2; }
	JNINativeMethod m = {"deliver", "(Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;)V", (void *)Java_app_keva_AnswerReceiver_deliver};
	if ((*env)->RegisterNatives(env, receiver, &m, 1) != 0) { (*env)->ExceptionDescribe(env); return 3; }
	(*vm)->DetachCurrentThread(vm);
	return 0;
}
static uintptr_t attach(void) { JNIEnv *env; return (*vm)->AttachCurrentThread(vm, (void **)&env, NULL) == 0 ? (uintptr_t)env : 0; }
static void detach(void) { (*vm)->DetachCurrentThread(vm); }
static uintptr_t context(uintptr_t e) {
	JNIEnv *env = (JNIEnv *)e;
	jclass k = (*env)->FindClass(env, "android/content/Context");
	return (uintptr_t)(*env)->NewObject(env, k, (*env)->GetMethodID(env, k, "<init>", "()V"));
}
static int pending(uintptr_t e) { JNIEnv *env = (JNIEnv *)e; return (*env)->ExceptionCheck(env); }
*/
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"
)

// boot starts the JVM of this process; there can be one.
func boot(classpath string) error {
	path := C.CString("-Djava.class.path=" + classpath)
	defer C.free(unsafe.Pointer(path))
	if r := C.boot(path); r != 0 {
		return fmt.Errorf("the Java VM did not start: %d", int(r))
	}
	return nil
}

// attached calls f as Fyne does on Android: on another goroutine, locked to a thread.
func attached(f func(env, ctx uintptr) error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		env := C.attach()
		defer C.detach()
		err := f(uintptr(env), uintptr(C.context(env)))
		if C.pending(env) != 0 {
			err = errors.New("an exception was left pending")
		}
		done <- err
	}()
	return <-done
}
