//go:build apktest

package apk

import (
	"archive/zip"
	"bytes"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// original is the APK that is spoilt in these tests.
func original(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../../../build/keva-arm64-v8a-shell.apk")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("there is no APK to spoil; `make apk SHELL_ONLY=1` makes one: %v", err)
	}
	return path
}

// edit is a change to a copy: by name, the new content of an entry; nil removes it. An entry whose name begins with "+" is
// compressed, others are stored.
type edit map[string]func(old []byte) []byte

// spoil writes a copy with changes, and opens it.
func spoil(t *testing.T, e edit) *APK {
	t.Helper()
	in, err := zip.OpenReader(original(t))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	path := filepath.Join(t.TempDir(), "spoilt.apk")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := zip.NewWriter(f)
	done := map[string]bool{}
	put := func(name string, method uint16, data []byte) {
		h := &zip.FileHeader{Name: name, Method: method}
		if method == zip.Store {
			h.CRC32, h.CompressedSize64, h.UncompressedSize64 = crc32.ChecksumIEEE(data), uint64(len(data)), uint64(len(data))
			raw, err := w.CreateRaw(h)
			if err != nil {
				t.Fatal(err)
			}
			_, err = raw.Write(data)
			if err != nil {
				t.Fatal(err)
			}
			return
		}
		out, err := w.CreateHeader(h)
		if err == nil {
			_, err = out.Write(data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range in.File {
		change, ok := e[file.Name]
		if !ok {
			if err := w.Copy(file); err != nil {
				t.Fatal(err)
			}
			continue
		}
		done[file.Name] = true
		data, err := read(file)
		if err != nil {
			t.Fatal(err)
		}
		if data = change(data); data != nil {
			put(file.Name, file.Method, data)
		}
	}
	for name, change := range e {
		if done[name] {
			continue
		}
		method := zip.Store
		if strings.HasPrefix(name, "+") {
			method = zip.Deflate
		}
		put(strings.TrimPrefix(name, "+"), method, change(nil))
	}
	if err := errors.Join(w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	a, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	return a
}

// says fails unless the check of this name says this, and says nothing of the kind of what was not spoilt.
func says(t *testing.T, a *APK, check, words string) {
	t.Helper()
	found := func(a *APK) (all []string, hit bool) {
		for _, c := range checks {
			if c.name != check {
				continue
			}
			for _, text := range c.look(a) {
				all = append(all, text)
				hit = hit || strings.Contains(text, words)
			}
		}
		return all, hit
	}
	if all, hit := found(a); !hit {
		t.Errorf("%s: nobody says %q, but %q", check, words, all)
	}
	if all := untouched(t)[check]; len(all) > 0 {
		t.Errorf("%s: of the untouched APK it says %q", check, all)
	}
}

var ofUntouched map[string][]string

// untouched is what is wrong with the APK that was not spoilt, by check.
func untouched(t *testing.T) map[string][]string {
	t.Helper()
	if ofUntouched == nil {
		whole, err := Open(original(t))
		if err != nil {
			t.Fatal(err)
		}
		defer whole.Close()
		ofUntouched = map[string][]string{}
		for _, p := range whole.Check() {
			ofUntouched[p.Check] = append(ofUntouched[p.Check], p.Text)
		}
	}
	return ofUntouched
}

func always(data string) func([]byte) []byte { return func([]byte) []byte { return []byte(data) } }

// replace changes bytes, which must be there.
func replace(t *testing.T, old, with string) func([]byte) []byte {
	t.Helper()
	return func(data []byte) []byte {
		if !bytes.Contains(data, []byte(old)) {
			t.Fatalf("%q is not there to be replaced", old)
		}
		return bytes.ReplaceAll(data, []byte(old), []byte(with))
	}
}

const library = "lib/arm64-v8a/libkeva.so"

// Every check fails of what it is for.
func TestEveryCheckCanFail(t *testing.T) {
	zstd := "\x28\xb5\x2f\xfd and more"
	modules, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		edit  edit
		check string
		words string
	}{
		{"a library of another processor", edit{library: replace(t, "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x03\x00\xb7\x00", "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x03\x00\x3e\x00")}, "native library", "EM_X86_64"},
		{"small pages", edit{library: pages}, "native library", "16 KiB"},
		{"a function that Android lacks", edit{library: replace(t, "\x00getaddrinfo\x00", "\x00getaddrinfX\x00")}, "native library", "it wants getaddrinfX"},
		{"a library that Android lacks", edit{library: replace(t, "\x00libEGL.so\x00", "\x00libFGL.so\x00")}, "native library", "it needs libFGL.so"},
		{"no entry for Java", edit{library: replace(t, "\x00JNI_OnLoad\x00", "\x00JNI_OnLoaX\x00")}, "native library", "it does not offer JNI_OnLoad"},
		{"no answers", edit{library: replace(t, "\x00Java_app_keva_AnswerReceiver_deliver\x00", "\x00Java_app_keva_AnswerReceiver_delivex\x00")}, "native library", "AnswerReceiver_deliver"},
		{"debug sections", edit{library: debug(t)}, "native library", "not stripped: .debug_secret"},
		{"no library at all", edit{library: func([]byte) []byte { return nil }}, "native library", "libraries for one architecture"},
		{"two architectures", edit{"lib/x86_64/libkeva.so": always("x")}, "native library", "libraries for one architecture"},
		{"a class renamed", edit{"classes2.dex": replace(t, "Lapp/keva/RunService;", "Lapp/keva/RunServicf;")}, "Java classes", "RunServicf"},
		{"no second dex", edit{"classes2.dex": func([]byte) []byte { return nil }}, "Java classes", "1 dex files"},
		{"a dex that is none", edit{"classes2.dex": always("dex?")}, "Java classes", "no dex file"},
		{"a third dex", edit{"classes3.dex": always("dex?")}, "Java classes", "no dex file"},
		{"Fyne's class gone", edit{"classes.dex": replace(t, "Lorg/golang/app/GoNativeActivity;", "Lorg/golang/app/GoNativeActivitx;")}, "Java classes", "GoNativeActivity"},
		{"a loose program", edit{"assets/tool": always("\x7fELF...")}, "assets", "loose"},
		{"a loose program elsewhere", edit{"res/raw/tool": always("\x7fELF...")}, "assets", "loose"},
		{"another asset", edit{"assets/notes.txt": always("x")}, "assets", "nobody asked for"},
		{"a userland that is none", edit{PackEntry: always("PK\x03\x04")}, "userland", "no Zstandard"},
		{"a compressed userland", edit{"+" + PackEntry: always(zstd)}, "userland", "in place"},
		{"the modules' folder", edit{"res/x": always(strings.TrimSpace(string(modules)) + "/x")}, "nothing of the build machine, no secrets", "the modules' folder"},
		{"a key", edit{"res/x": always("key=sk-ant-" + strings.Repeat("Ab3_", 12))}, "nothing of the build machine, no secrets", "looks like a key"},
		{"a private key", edit{"res/x": always("-----BEGIN PRIVATE KEY-----\n" + strings.Repeat("MIIE", 9))}, "nothing of the build machine, no secrets", "looks like a key"},
		{"changed after signing", edit{"classes2.dex": replace(t, "RunService", "RunServicf")}, "signature", "apksigner verify"},
		{"no signature of the first kind", edit{"META-INF/MANIFEST.MF": func([]byte) []byte { return nil }}, "signature", "apksigner verify"},
		{"out of line", edit{"a": always("x"), "resources.arsc": func(d []byte) []byte { return append(d, 0) }, "b": always("y"), "res/c.png": always("z")}, "alignment of the archive", "zipalign"},
	} {
		t.Run(c.name, func(t *testing.T) { says(t, spoil(t, c.edit), c.check, c.words) })
	}
}

// A userland that is whole passes; one with a flipped bit does not.
func TestUserlandDamage(t *testing.T) {
	good := spoil(t, edit{PackEntry: always("\x28\xb5\x2f\xfd and more")})
	if bad := good.checkPack(); len(bad) > 0 || !good.HasPack() {
		t.Fatalf("a good one: %q", bad)
	}
	f, err := good.file(PackEntry)
	if err != nil {
		t.Fatal(err)
	}
	at, err := f.DataOffset()
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(good.Path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteAt([]byte("X"), at+6); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	says(t, good, "userland", "damaged")
}

func TestSizes(t *testing.T) {
	a, err := Open(original(t))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	a.want.Shell = a.Sizes().Total - 1
	if bad := a.checkSize(); len(bad) != 1 || !strings.Contains(bad[0], "shell") {
		t.Errorf("one byte too much: %q", bad)
	}
	a.want.Total = a.want.Shell
	if bad := a.checkSize(); len(bad) != 2 {
		t.Errorf("one byte too much in all: %q", bad)
	}
}

// pages gives the first segment that is loaded the alignment of small pages.
func pages(data []byte) []byte {
	const phoff, size, load, align = 64, 56, 1, 48
	for at := phoff; at+size <= len(data); at += size {
		if data[at] == load {
			copy(data[at+align:], []byte{0, 0x10, 0, 0, 0, 0, 0, 0})
			break
		}
	}
	return data
}

func debug(t *testing.T) func([]byte) []byte {
	t.Helper()
	return func(data []byte) []byte {
		dir := t.TempDir()
		in, out, text := filepath.Join(dir, "in"), filepath.Join(dir, "out"), filepath.Join(dir, "text")
		if err := errors.Join(os.WriteFile(in, data, 0o600), os.WriteFile(text, []byte("x"), 0o600)); err != nil {
			t.Fatal(err)
		}
		if o, err := exec.Command("llvm-objcopy", "--add-section", ".debug_secret="+text, in, out).CombinedOutput(); err != nil {
			t.Fatalf("llvm-objcopy: %v: %s", err, o)
		}
		data, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
}

// signWith signs a copy with a key of its own and other schemes.
func signWith(t *testing.T, name string, schemes ...string) *APK {
	t.Helper()
	dir := t.TempDir()
	store, out := filepath.Join(dir, "k.p12"), filepath.Join(dir, "out.apk")
	for _, cmd := range [][]string{
		{"keytool", "-genkeypair", "-keystore", store, "-storetype", "PKCS12", "-storepass", "secret", "-alias", "k", "-keyalg", "RSA", "-dname", name},
		append(append([]string{"apksigner", "sign", "--ks", store, "--ks-pass", "pass:secret", "--min-sdk-version", "24"}, schemes...), "--out", out, original(t)),
	} {
		if o, err := exec.Command(cmd[0], cmd[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", cmd[0], err, o)
		}
	}
	a, err := Open(out)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	return a
}

func TestSignatures(t *testing.T) {
	says(t, signWith(t, "CN=x", "--v1-signing-enabled", "false"), "signature", "MANIFEST.MF")
	says(t, signWith(t, "CN=x", "--v3-signing-enabled", "false", "--v1-signing-enabled", "true"), "signature", "v3 scheme")
	says(t, signWith(t, "CN=gomobile", "--v1-signing-enabled", "true"), "signature", "everybody has")
}

// manifest compiles ours with a change. Its icons are left out: they are a folder of pictures, and another check's.
func manifest(t *testing.T, old, with string) func([]byte) []byte {
	t.Helper()
	return func([]byte) []byte {
		text, err := os.ReadFile("../app/AndroidManifest.xml")
		if err != nil {
			t.Fatal(err)
		}
		s := strings.NewReplacer("{{.Code}}", "100", "{{.Version}}", "0.1.0", `android:icon="@mipmap/ic_launcher"`, "",
			`android:roundIcon="@mipmap/ic_launcher_round"`, "").Replace(string(text))
		if !strings.Contains(s, old) {
			t.Fatalf("%q is not in the manifest", old)
		}
		s = strings.ReplaceAll(s, old, with)
		dir := t.TempDir()
		in, out := filepath.Join(dir, "AndroidManifest.xml"), filepath.Join(dir, "out.apk")
		if err := os.WriteFile(in, []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
		if o, err := exec.Command("aapt2", "link", "-o", out, "--manifest", in, "-I", "/usr/share/android-framework-res/framework-res.apk").CombinedOutput(); err != nil {
			t.Fatalf("aapt2: %v: %s", err, o)
		}
		z, err := zip.OpenReader(out)
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		f, err := fs.FS(z).Open("AndroidManifest.xml")
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(f)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
}

func TestManifestChecks(t *testing.T) {
	for _, c := range []struct{ name, old, with, check, words string }{
		{"no icon", "Keva", "Keva", "manifest", "icon"},
		{"another app", `package="app.keva"`, `package="app.kevb"`, "manifest", "package"},
		{"a newer target", `targetSdkVersion="28"`, `targetSdkVersion="29"`, "manifest", "target"},
		{"an older Android", `minSdkVersion="28"`, `minSdkVersion="21"`, "manifest", "oldest Android"},
		{"debuggable", `debuggable="false"`, `debuggable="true"`, "manifest", "debug"},
		{"backup", `allowBackup="false"`, `allowBackup="true"`, "manifest", "allowBackup"},
		{"libraries in the APK", `extractNativeLibs="true"`, `extractNativeLibs="false"`, "manifest", "extractNativeLibs"},
		{"a forgotten change", "|fontScale", "", "manifest", "configChanges"},
		{"a service for all", `RunService" android:exported="false"`, `RunService" android:exported="true"`, "manifest", "service: other apps"},
		{"a receiver for all", `AnswerReceiver" android:exported="false"`, `AnswerReceiver" android:exported="true"`, "manifest", "receiver: other apps"},
		{"another service", "app.keva.RunService", "app.keva.RunServicf", "manifest", "RunServicf"},
		{"a permission more", "<uses-feature", `<uses-permission android:name="android.permission.CAMERA" /><uses-feature`, "permissions", "CAMERA"},
		{"a permission less", `<uses-permission android:name="android.permission.WAKE_LOCK" />`, "", "permissions", "it asks for"},
		{"a provider", "<receiver", `<provider android:name="x.Y" android:authorities="x" /><receiver`, "manifest", "provider"},
	} {
		t.Run(c.name, func(t *testing.T) {
			says(t, spoil(t, edit{"AndroidManifest.xml": manifest(t, c.old, c.with)}), c.check, c.words)
		})
	}
}
