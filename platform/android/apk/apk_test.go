package apk

import (
	"os"
	"path/filepath"
	"testing"
)

func FuzzClasses(f *testing.F) {
	f.Add([]byte("dex\n038\x00"))
	f.Add(append([]byte("dex\n038\x00"), make([]byte, 0x100)...))
	f.Fuzz(func(_ *testing.T, data []byte) { _, _ = classes(data) })
}

// What is no archive of the right kind is refused before an APK is built with it.
func TestCheckPack(t *testing.T) {
	dir := t.TempDir()
	for text, good := range map[string]bool{
		"\x28\xb5\x2f\xfd...": true, "\x5e\x2a\x4d\x18...": true, "PK\x03\x04": false, "": false, "\x28\xb5": false, "\x7fELF": false,
	} {
		path := filepath.Join(dir, "pack")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := CheckPack(path); (err == nil) != good {
			t.Errorf("%q: %v", text, err)
		}
	}
	if err := CheckPack(filepath.Join(dir, "none")); err == nil {
		t.Error("a file that is not there passes")
	}
}
