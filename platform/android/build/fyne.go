package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"keva/platform/android/toolchain"
)

// tags are those of every build of the app. no_emoji is not among them: answers are full of emoji.
const tags = "sqlite_fts5,migrated_fynedo"

// toolchain finds the NDK, or makes what stands for one, and the build cache that goes with it.
func (b *build) toolchain() error {
	under := filepath.Join(b.root, "build", "android")
	hash := ""
	if b.ndk = os.Getenv("ANDROID_NDK_HOME"); b.ndk != "" {
		props, err := os.ReadFile(filepath.Join(b.ndk, "source.properties"))
		if err != nil {
			return fmt.Errorf("ANDROID_NDK_HOME names no NDK: %w", err)
		}
		if m := regexp.MustCompile(`Pkg\.Revision *= *([\w.-]+)`).FindSubmatch(props); m != nil {
			hash = "ndk-" + string(m[1])
		} else {
			return errors.New("the NDK in ANDROID_NDK_HOME does not say its revision")
		}
	} else {
		var err error
		if hash, err = toolchain.Hash(); err != nil {
			return err
		}
		b.ndk = filepath.Join(under, "toolchain-"+hash)
		if _, err := os.Stat(b.ndk); err != nil {
			if err := os.MkdirAll(under, 0o755); err != nil {
				return err
			}
			if err := toolchain.Write(b.ndk); err != nil {
				return err
			}
		}
	}
	if b.cache == "" {
		b.cache = filepath.Join(under, "gocache-"+hash)
		for _, pattern := range []string{"gocache-*", "toolchain-*"} { // of toolchains that are no more
			old, err := filepath.Glob(filepath.Join(under, pattern))
			if err != nil {
				return err
			}
			for _, dir := range old {
				if dir != b.cache && dir != b.ndk {
					_ = os.RemoveAll(dir)
				}
			}
		}
	}
	return nil
}

// sdk makes what Fyne's tool looks for in an Android SDK, of Debian's packages, and returns the folder.
func (b *build) sdk() (string, error) {
	dir := filepath.Join(b.work, "sdk")
	for name, to := range map[string]string{
		"build-tools/debian/aapt2":         "/usr/bin/aapt2",
		"platforms/android-29/android.jar": "/usr/share/android-framework-res/framework-res.apk",
	} {
		if _, err := os.Stat(to); err != nil {
			return "", fmt.Errorf("%w: run ./setup.sh apk", err)
		}
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return "", err
		}
		if err := os.Symlink(to, name); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// runFyne packages the copy of the tree with the tool, and returns the APK that it made.
func (b *build) runFyne(tree string) (string, error) {
	if err := b.sameFyne(); err != nil {
		return "", err
	}
	bin := filepath.Join(b.work, "bin")
	if err := tool(b.root, []string{"GOBIN=" + bin, "GOFLAGS="}, "go", "install", b.fyne); err != nil {
		return "", err
	}
	sdk, err := b.sdk()
	if err != nil {
		return "", err
	}
	env := []string{
		"ANDROID_NDK_HOME=" + b.ndk, "ANDROID_HOME=" + sdk, "GOCACHE=" + b.cache, "GOWORK=off",
		// No paths, no build id, nothing of the version control: the same source gives the same bytes.
		`GOFLAGS=-trimpath -buildvcs=false "-ldflags=-w -buildid= -X main.version=` + b.version + `"`,
		"CGO_CFLAGS=-O2", "CGO_CXXFLAGS=-O2", "CGO_LDFLAGS=-O2 -Wl,-z,max-page-size=16384 -Wl,--build-id=none",
	}
	err = tool(tree, env, filepath.Join(bin, "fyne"), "package", "--os", "android/"+b.arch.Go, "--tags", tags, "--app-id", "app.keva")
	if err != nil {
		return "", err
	}
	return filepath.Join(tree, "Keva.apk"), nil
}

// sameFyne refuses a tool that was made for another Fyne than ours: its Java part must fit the library's.
func (b *build) sameFyne() error {
	pkg, version, ok := strings.Cut(b.fyne, "@")
	module, _, cut := strings.Cut(pkg, "/cmd/")
	if !ok || !cut {
		return errors.New("-fyne is missing, for instance fyne.io/tools/cmd/fyne@v1.7.4 (the Makefile knows which)")
	}
	const library = "fyne.io/fyne/v2"
	ours, err := goOutput(b.root, "list", "-mod=readonly", "-m", "-f", "{{.Version}}", library)
	if err != nil {
		return fmt.Errorf("which Fyne is ours: %w", err)
	}
	info, err := goOutput(b.root, "mod", "download", "-json", module+"@"+version)
	if err != nil {
		return fmt.Errorf("%s@%s can't be had: %w", module, version, err)
	}
	var download struct{ GoMod string }
	if err := json.Unmarshal([]byte(info), &download); err != nil {
		return err
	}
	text, err := os.ReadFile(download.GoMod)
	if err != nil {
		return err
	}
	if !strings.Contains(string(text), library+" "+ours+"\n") {
		return fmt.Errorf("%s@%s was made for another Fyne than ours, %s: choose its release that names %s in go.mod", module, version, ours, ours)
	}
	return nil
}

// goOutput is what the go command says, without the flags of whoever runs us.
func goOutput(dir string, args ...string) (string, error) {
	cmd := exec.Command("go", args...) //nolint:gosec // go
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
}
