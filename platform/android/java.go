//go:build android || jvmtest

package android

/*
#cgo android LDFLAGS: -llog
#cgo !android CFLAGS: -I/usr/lib/jvm/default-java/include -I/usr/lib/jvm/default-java/include/linux
#include <stdlib.h>
#include "bridge.h"
*/
import "C"

import (
	"fmt"
	"strings"
	"unicode/utf16"
	"unsafe"
)

// object is a reference to a Java object, good until run returns; 0 is null.
type object uint64

// thread is a thread that may call Java. After the first failure calls do nothing and give zero, so that a sequence of
// calls needs one look at err, which run returns.
type thread struct {
	env C.uintptr_t
	ctx object // the activity
	err error
}

// run calls f on a thread that may call Java.
func run(f func(t *thread)) error {
	return attached(func(env, ctx uintptr) error {
		t := &thread{env: C.uintptr_t(env), ctx: object(ctx)}
		if C.keva_push(t.env) == 0 {
			return &Exception{Call: "PushLocalFrame", Message: "Java has no memory left"}
		}
		defer C.keva_pop(t.env)
		f(t)
		return t.err
	})
}

// fail takes over what the bridge says of a call.
func (t *thread) fail(call string, failure *C.char) {
	if failure == nil {
		return
	}
	class, message, _ := strings.Cut(C.GoString(failure), "\n")
	C.free(unsafe.Pointer(failure))
	if t.err == nil {
		t.err = &Exception{Call: call, Class: class, Message: strings.ToValidUTF8(message, "\uFFFD")}
	}
}

// split takes "android/os/Build.getX(I)V" and "android/os/Build.MODEL Ljava/lang/String;" apart.
func split(member string) (class, name, sig string) {
	at := strings.IndexAny(member, "( ")
	dot := strings.LastIndexByte(member[:at], '.')
	return member[:dot], member[dot+1 : at], strings.TrimPrefix(member[at:], " ")
}

func (t *thread) call(o object, static bool, method string, args []any) uint64 {
	words := make([]C.uint64_t, len(args)+1) // never empty, so that its first element has an address
	for i, a := range args {
		words[i] = C.uint64_t(t.word(a))
	}
	if t.err != nil {
		return 0
	}
	class, name, sig := split(method)
	c, n, s := C.CString(class), C.CString(name), C.CString(sig)
	defer C.free(unsafe.Pointer(c))
	defer C.free(unsafe.Pointer(n))
	defer C.free(unsafe.Pointer(s))
	kind := C.int(0)
	if static {
		kind = 1
	}
	var failure *C.char
	r := C.keva_call(t.env, C.uintptr_t(o), kind, c, n, s, &words[0], &failure)
	t.fail(class+"."+name, failure)
	return uint64(r)
}

// word makes an argument of a Go value.
func (t *thread) word(a any) uint64 {
	switch v := a.(type) {
	case nil:
		return 0
	case object:
		return uint64(v)
	case string:
		return uint64(t.string(v))
	case int:
		return uint64(uint32(int32(v))) //nolint:gosec // Java's int has 32 bits; constants only
	case int64:
		return uint64(v) //nolint:gosec // the same bits
	case bool:
		if v {
			return 1
		}
		return 0
	case []byte:
		return uint64(t.bytes(v))
	case []string:
		return uint64(t.strings(v))
	}
	panic(fmt.Sprintf("an argument of type %T is not implemented", a)) // a mistake in this package
}

// object calls a method that gives an object; static, one of a class; create, a constructor.
func (t *thread) object(o object, method string, args ...any) object {
	return object(t.call(o, false, method, args))
}

func (t *thread) static(method string, args ...any) object {
	return object(t.call(0, true, method, args))
}

func (t *thread) create(method string, args ...any) object {
	return object(t.call(0, false, method, args))
}

func (t *thread) void(o object, method string, args ...any) { t.call(o, false, method, args) }

func (t *thread) bool(o object, method string, args ...any) bool {
	return t.call(o, false, method, args)&1 != 0
}

func (t *thread) int(o object, method string, args ...any) int {
	return int(int32(t.call(o, false, method, args))) //nolint:gosec // Java's int
}

func (t *thread) long(o object, method string, args ...any) int64 {
	return int64(t.call(o, false, method, args)) //nolint:gosec // Java's long
}

func (t *thread) text(o object, method string, args ...any) string {
	return t.goString(t.object(o, method, args...))
}

// field reads a field; of a class, if o is 0 and the field is static.
func (t *thread) field(o object, field string) uint64 {
	if t.err != nil {
		return 0
	}
	class, name, sig := split(field)
	c, n, s := C.CString(class), C.CString(name), C.CString(sig)
	defer C.free(unsafe.Pointer(c))
	defer C.free(unsafe.Pointer(n))
	defer C.free(unsafe.Pointer(s))
	var failure *C.char
	r := C.keva_field(t.env, C.uintptr_t(o), c, n, s, &failure)
	t.fail(class+"."+name, failure)
	return uint64(r)
}

func (t *thread) string(s string) object {
	if t.err != nil {
		return 0
	}
	units := utf16.Encode([]rune(s))
	var failure *C.char
	var first *C.uint16_t
	if len(units) > 0 {
		first = (*C.uint16_t)(&units[0])
	}
	r := C.keva_string(t.env, first, C.int(len(units)), &failure)
	t.fail("NewString", failure)
	return object(r)
}

// goString is "" for null.
func (t *thread) goString(o object) string {
	if t.err != nil || o == 0 {
		return ""
	}
	n := C.keva_string_length(t.env, C.uintptr_t(o))
	if n == 0 {
		return ""
	}
	units := make([]uint16, n)
	C.keva_string_copy(t.env, C.uintptr_t(o), (*C.uint16_t)(&units[0]), n)
	return string(utf16.Decode(units))
}

func (t *thread) bytes(b []byte) object {
	if t.err != nil {
		return 0
	}
	var first *C.uint8_t
	if len(b) > 0 {
		first = (*C.uint8_t)(&b[0])
	}
	var failure *C.char
	r := C.keva_bytes(t.env, first, C.int(len(b)), &failure)
	t.fail("NewByteArray", failure)
	return object(r)
}

func (t *thread) goBytes(o object) []byte {
	if t.err != nil || o == 0 {
		return nil
	}
	b := make([]byte, C.keva_length(t.env, C.uintptr_t(o)))
	if len(b) > 0 {
		C.keva_bytes_copy(t.env, C.uintptr_t(o), (*C.uint8_t)(&b[0]), C.int(len(b)))
	}
	return b
}

func (t *thread) strings(list []string) object {
	if t.err != nil {
		return 0
	}
	var failure *C.char
	a := C.keva_strings(t.env, C.int(len(list)), &failure)
	t.fail("NewObjectArray", failure)
	for i, s := range list {
		o := t.string(s)
		if t.err != nil {
			return 0
		}
		C.keva_set(t.env, a, C.int(i), C.uintptr_t(o), &failure)
		t.fail("SetObjectArrayElement", failure)
	}
	return object(a)
}

func (t *thread) goStrings(o object) []string {
	if t.err != nil || o == 0 {
		return nil
	}
	var list []string
	for i := range int(C.keva_length(t.env, C.uintptr_t(o))) {
		var failure *C.char
		e := C.keva_element(t.env, C.uintptr_t(o), C.int(i), &failure)
		t.fail("GetObjectArrayElement", failure)
		list = append(list, t.goString(object(e)))
	}
	return list
}

// list are the elements of a java.util.List; none for null.
func (t *thread) list(o object) []object {
	if t.err != nil || o == 0 {
		return nil
	}
	var all []object
	for i := range t.int(o, "java/util/List.size()I") {
		all = append(all, t.object(o, "java/util/List.get(I)Ljava/lang/Object;", i))
	}
	return all
}

// keep makes a reference that outlives run; drop ends it.
func (t *thread) keep(o object) object { return object(C.keva_keep(t.env, C.uintptr_t(o))) }
func (t *thread) drop(o object)        { C.keva_drop(t.env, C.uintptr_t(o)) }

// service is a system service, by its name in android.content.Context.
func (t *thread) service(name string) object {
	return t.object(t.ctx, "android/content/Context.getSystemService(Ljava/lang/String;)Ljava/lang/Object;", name)
}

func (t *thread) packageName() string {
	return t.text(t.ctx, "android/content/Context.getPackageName()Ljava/lang/String;")
}

func (t *thread) resolver() object {
	return t.object(t.ctx, "android/content/Context.getContentResolver()Landroid/content/ContentResolver;")
}

func (t *thread) sdk() int {
	return int(int32(t.field(0, "android/os/Build$VERSION.SDK_INT I"))) //nolint:gosec // Java's int
}

// javaThread is the thread on which Java called us.
func javaThread(env *C.JNIEnv) *thread {
	return &thread{env: C.uintptr_t(uintptr(unsafe.Pointer(env)))}
}

// ref: cgo takes Java's references for words.
func ref(s C.jstring) object { return object(s) }
