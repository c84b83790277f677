package update

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// format is the only version of the manifest that this build reads.
const format = 1

// context is signed in front of the payload, so that a signature of something else is none of a manifest.
const context = "keva update manifest\n"

// Manifest describes the newest version. It is what is signed.
type Manifest struct {
	Format    int       `json:"format"`
	Sequence  uint64    `json:"sequence"` // grows with every manifest that is published
	Version   string    `json:"version"`  // major.minor.patch
	Published time.Time `json:"published"`
	Expires   time.Time `json:"expires"` // after this moment it says nothing any more
	Notes     string    `json:"notes"`   // plain text for the user
	Page      string    `json:"page"`    // https address to open; "" = none
}

// envelope carries the signed bytes as they were signed.
type envelope struct {
	Payload   string `json:"payload"`   // base64 of the manifest's JSON
	Signature string `json:"signature"` // base64 of ed25519 over context and payload
}

// Sign makes the file that is published. It signs nothing that an app would refuse.
func Sign(key ed25519.PrivateKey, m Manifest) ([]byte, error) {
	m.Format = format
	if f := m.check(); f != nil {
		return nil, errors.New("apps would refuse this: " + f.Detail)
	}
	return sign(key, m)
}

// Verify is what apps do with a published file.
func Verify(data []byte, key ed25519.PublicKey) (Manifest, error) {
	m, f := open(data, key)
	if f != nil {
		return Manifest{}, f
	}
	return m, nil
}

func sign(key ed25519.PrivateKey, m Manifest) ([]byte, error) {
	payload, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	sig := ed25519.Sign(key, append([]byte(context), payload...))
	return json.MarshalIndent(envelope{base64.StdEncoding.EncodeToString(payload), base64.StdEncoding.EncodeToString(sig)}, "", "  ")
}

// open verifies a published file. Nothing of it is looked at before the signature holds.
func open(data []byte, key ed25519.PublicKey) (Manifest, *Failure) {
	var e envelope
	if err := strict(data, &e); err != nil {
		return Manifest{}, &Failure{Class: Malformed, Detail: "envelope: " + err.Error()}
	}
	payload, err := base64.StdEncoding.Strict().DecodeString(e.Payload)
	if err != nil {
		return Manifest{}, &Failure{Class: Malformed, Detail: "payload: " + err.Error()}
	}
	sig, err := base64.StdEncoding.Strict().DecodeString(e.Signature)
	if err != nil {
		return Manifest{}, &Failure{Class: Malformed, Detail: "signature: " + err.Error()}
	}
	if len(key) != ed25519.PublicKeySize || len(sig) != ed25519.SignatureSize ||
		!ed25519.Verify(key, append([]byte(context), payload...), sig) {
		return Manifest{}, &Failure{Class: Unsigned, Detail: "the signature is not the key's"}
	}
	var m Manifest
	if err := json.Unmarshal(payload, &m); err != nil {
		return Manifest{}, &Failure{Class: Malformed, Detail: "manifest: " + err.Error()}
	}
	return m, m.check()
}

// strict decodes one object and nothing behind it.
func strict(data []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(to); err != nil {
		return err
	}
	if rest := bytes.TrimSpace(data[d.InputOffset():]); len(rest) > 0 {
		return errors.New("something behind the end")
	}
	return nil
}

// check looks for what even a signed manifest must not say.
func (m Manifest) check() *Failure {
	wrong := func(what string) *Failure { return &Failure{Class: Malformed, Detail: what} }
	if m.Format != format {
		return wrong("format " + strconv.Itoa(m.Format))
	}
	if _, ok := parse(m.Version); !ok {
		return wrong("version")
	}
	if m.Sequence == 0 || m.Published.IsZero() || m.Expires.IsZero() {
		return wrong("sequence or times are missing")
	}
	if len(m.Notes) > 16<<10 || !utf8.ValidString(m.Notes) {
		return wrong("notes")
	}
	if m.Page != "" {
		u, err := url.Parse(m.Page)
		if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil {
			return wrong("page is not an https address")
		}
	}
	return nil
}

// parse reads major.minor.patch; what follows a + or - is not compared.
func parse(v string) (n [3]int, ok bool) {
	v = strings.TrimPrefix(v, "v")
	if i := strings.IndexAny(v, "-+"); i >= 0 {
		v = v[:i]
	}
	parts := strings.Split(v, ".")
	if len(parts) != 3 {
		return n, false
	}
	for i, p := range parts {
		x, err := strconv.Atoi(p)
		if err != nil || x < 0 || p != strconv.Itoa(x) {
			return n, false
		}
		n[i] = x
	}
	return n, true
}

// newer reports whether a is newer than b.
func newer(a, b [3]int) bool {
	for i := range a {
		if a[i] != b[i] {
			return a[i] > b[i]
		}
	}
	return false
}
