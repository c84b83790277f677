//go:build android || jvmtest

package android

/*
#include <jni.h>
*/
import "C"

// Java calls this on its main thread (AnswerReceiver.tell): it must not wait.
//
//export Java_app_keva_AnswerReceiver_deliver
func Java_app_keva_AnswerReceiver_deliver(env *C.JNIEnv, _ C.jclass, kind, a, b, c C.jstring) {
	t := javaThread(env)
	m := message{kind: t.goString(ref(kind)), a: t.goString(ref(a)), b: t.goString(ref(b)), c: t.goString(ref(c))}
	if m.kind == "service" && (m.a == string(ServiceDestroyed) || m.a == string(ServiceRefused)) {
		go serviceGone() // whoever starts it holds the lock, and may wait for this thread
	}
	received.put(m)
}
