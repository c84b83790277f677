package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// keystore is where the key lies: the file that KEVA_KEYSTORE names, or one in the user's configuration folder. Beside it
// lies its password, in a file with ".pass" at its end. It is never in the build folder, which one may delete.
func keystore() (string, error) {
	if path := os.Getenv("KEVA_KEYSTORE"); path != "" {
		return filepath.Abs(path)
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("there is no place for the signing key; name one in KEVA_KEYSTORE: %w", err)
	}
	return filepath.Join(dir, "keva", "apk-signing.p12"), nil
}

// key finds the signing key, or makes it, once.
func key() (store string, err error) {
	if store, err = keystore(); err != nil {
		return "", err
	}
	pass := store + ".pass"
	_, err = os.Stat(store)
	if err == nil {
		if _, err := os.Stat(pass); err != nil {
			return "", fmt.Errorf("the signing key is there, its password is not: %w", err)
		}
		return store, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if os.Getenv("KEVA_KEYSTORE") != "" { // a key that was named is not to be replaced by another
		return "", fmt.Errorf("KEVA_KEYSTORE names no file: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(store), 0o700); err != nil {
		return "", err
	}
	if err := os.WriteFile(pass, []byte(rand.Text()+"\n"), 0o600); err != nil {
		return "", err
	}
	err = tool(filepath.Dir(store), nil, "keytool", "-genkeypair", "-keystore", store, "-storetype", "PKCS12", "-storepass:file", pass,
		"-alias", "keva", "-keyalg", "RSA", "-keysize", "3072", "-validity", "10950", "-dname", "CN=Keva")
	if err != nil {
		return "", err
	}
	if err := os.Chmod(store, 0o600); err != nil {
		return "", err
	}
	fmt.Fprintf(os.Stderr, `
  ===================================================================================
  A NEW SIGNING KEY WAS MADE:
      %s
      %s (its password)
  Keep both, with a copy elsewhere, and show them to nobody. Android installs an update
  only if it has the same key: without it every user has to uninstall Keva first, and
  loses all sessions and keys that are on the phone.
  ===================================================================================

`, store, pass)
	return store, nil
}

// sign signs the aligned APK by all three schemes.
func sign(in, out string) error {
	store, err := key()
	if err != nil {
		return err
	}
	tmp := out + ".signing" // never half an APK under the right name
	err = tool(filepath.Dir(out), nil, "apksigner", "sign", "--ks", store, "--ks-pass", "file:"+store+".pass", "--ks-key-alias", "keva",
		"--v1-signing-enabled", "true", "--v2-signing-enabled", "true", "--v3-signing-enabled", "true", "--v4-signing-enabled", "false",
		"--min-sdk-version", "24", "--out", tmp, in)
	if err != nil {
		_ = os.Remove(tmp)
		return err
	}
	return os.Rename(tmp, out)
}
