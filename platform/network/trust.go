package network

import (
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"io"
	"os"
	"path/filepath"

	"keva/agent/budget"
	"keva/agent/event"
)

// trust adds a file of certificates to the system's. A file that can't be used is told and nothing more: it can't make
// anything pass that should not.
func (s *Snapshot) trust(path string, from Origin) {
	s.caBundle, s.caOrigin = path, from
	data, err := readCertificates(path)
	if err != nil {
		s.problems = append(s.problems, &event.Error{
			Class:   event.ClassConfig,
			Message: "The extra certificates from " + from.Label() + " can't be used: " + path + ". Choose a PEM file that holds certificates.",
			Detail:  err.Error(),
		})
		return
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
		s.problems = append(s.problems, &event.Error{
			Class:   event.ClassConfig,
			Message: "The device's own certificates can't be read, so only the extra ones are trusted.", Detail: err.Error(),
		})
	}
	roots.AppendCertsFromPEM(data)
	s.roots, s.extra = roots, data
}

// readCertificates returns the certificates of a PEM file and nothing else of it: a private key in it must not be copied.
func readCertificates(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, budget.NetCertificates.Size+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > budget.NetCertificates.Size {
		return nil, errors.New("the file is too long")
	}
	var out bytes.Buffer
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			continue
		}
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			continue // bundles of systems hold some that Go does not take
		}
		if err := pem.Encode(&out, &pem.Block{Type: block.Type, Bytes: block.Bytes}); err != nil {
			return nil, err
		}
	}
	if out.Len() == 0 {
		return nil, errors.New("no certificate in it")
	}
	return out.Bytes(), nil
}

// systemBundles are where systems keep all their certificates in one file.
var systemBundles = []string{
	"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
	"/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/cert.pem",
}

// Bundle writes a file with the certificates of system (a PEM file; "" = the first of the usual places) and the policy's
// extra ones, and returns its path: engines and their tools take one file that replaces the system's. Without extra ones
// it is system itself, "" where there is none to name. The file's name says what is in it, so it never changes under a
// running engine.
func (s *Snapshot) Bundle(dir, system string) (string, error) {
	if s.extra == nil {
		return system, nil
	}
	candidates := systemBundles
	if system != "" {
		candidates = []string{system}
	}
	var all []byte
	for _, path := range candidates {
		data, err := readCertificates(path)
		if err == nil {
			all = data
			break
		}
		if system != "" {
			return "", bundleError(err)
		}
	}
	all = append(all, s.extra...)
	sum := sha256.Sum256(all)
	path := filepath.Join(dir, "certificates-"+hex.EncodeToString(sum[:8])+".pem")
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, all) {
		return path, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", bundleError(err)
	}
	tmp, err := os.CreateTemp(dir, "certificates-*.tmp")
	if err != nil {
		return "", bundleError(err)
	}
	_, err = tmp.Write(all)
	err = errors.Join(err, tmp.Sync(), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return "", bundleError(errors.Join(err, os.Remove(tmp.Name())))
	}
	return path, nil
}

func bundleError(err error) error {
	return &event.Error{
		Class:   event.ClassConfig,
		Message: "The list of trusted certificates for the engines could not be made. Check free space and permissions of Keva's data folder.",
		Detail:  err.Error(),
	}
}
