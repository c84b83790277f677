package plan

import (
	"os"
	"path/filepath"
	"runtime"
)

// Folders of a userland: see the layout that engines/userland/build makes.
const (
	libLink  = "l" // leads to usr/lib/TRIPLET
	preload  = "k.so"
	stub     = "ldk"
	linkers  = "ld-linux-*.so.*"
	caBundle = "etc/ssl/certs/ca-certificates.crt"
)

// user is who a userland's programs take the user for: Android's uids have no names (the preload library makes the passwd
// entry of it).
const user = "keva"

// newPack is how a device gets a pack when there is none, or none that can be mended.
var newPack = map[bool]string{
	true:  "If there is none to be had, install Keva again: it brings one.",
	false: "`make pack` builds a new one, to be installed.",
}[runtime.GOOS == "android"]

// Pack is the userland whose tree is at root, with the user's folders below data. Nothing of this process's environment is
// in it. /system/bin holds Android's own tools; elsewhere there is none, and looking costs nothing.
func Pack(root, data string) Place {
	at := func(path string) string { return filepath.Join(root, filepath.FromSlash(path)) }
	ca := at(caBundle)
	return Place{
		Kind: KindPack, Root: root, Data: data,
		Home: filepath.Join(data, "home"), Temp: filepath.Join(data, "tmp"),
		Path: list(at("usr/bin"), "/system/bin"), Sh: at("usr/bin/bash"), Lang: "C.UTF-8",
		Env: []string{
			"USER=" + user, "LOGNAME=" + user,
			"LOCPATH=" + at("usr/lib/locale"),                                    // else bash warns in each output
			"GCONV_PATH=" + at(libLink+"/gconv"),                                 // iconv
			"TZDIR=" + at("usr/share/zoneinfo"),                                  // glibc looks at a path of its own
			"SSL_CERT_FILE=" + ca,                                                // both engines, python, openssl
			"NODE_EXTRA_CA_CERTS=" + ca,                                          // claude, node
			"CODEX_CA_CERTIFICATE=" + ca,                                         // codex
			"GIT_SSL_CAINFO=" + ca,                                               //
			"CURL_CA_BUNDLE=" + ca, "REQUESTS_CA_BUNDLE=" + ca, "PIP_CERT=" + ca, //
			"npm_config_cafile=" + ca, //
			"NODE_USE_ENV_PROXY=1",    // else node asks a name server that is not there
		},
	}
}

// Prepare makes the folders that the place's programs write to: on the host they are there. An error is a *Problem.
func (p Place) Prepare() error {
	if p.Kind != KindPack {
		return nil
	}
	for _, d := range []struct {
		dir    string
		reason Reason
	}{{p.Home, HomeUnwritable}, {p.Temp, TempUnwritable}} {
		err := os.MkdirAll(d.dir, 0o700)
		if err == nil {
			err = os.Chmod(d.dir, 0o700) // they hold what only the user may see
		}
		if err != nil {
			return p.problem(d.reason, d.dir, err.Error())
		}
	}
	return nil
}

// NoPack says that there is no userland to run anything in. err is what the installation's records say.
func NoPack(err error) error {
	p := Place{Kind: KindPack}.problem(NotInstalled, "The pack", err.Error())
	p.Remedy = newPack
	return p
}
