package secret

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"sync"
	"unicode/utf8"

	"keva/agent/event"
)

// passphraseRounds is what a passphrase costs: guessing one takes as many steps as using it (OWASP's figure for PBKDF2 with
// SHA-256, 2023). It is a variable for the race detector's sake only, and a blob does not open with another one.
var passphraseRounds = 600_000

const (
	passphraseShort = 8 // characters; a shorter one is refused
	saltLen         = 16
)

// Passphrase seals with a key made of a passphrase (PBKDF2-HMAC-SHA256, AES-256-GCM). The passphrase is kept in no place
// but the user's head: whoever forgets it enters the keys again.
type Passphrase struct {
	phrase []byte

	mu   sync.Mutex
	salt []byte                 // of what is sealed from now on
	keys map[string]cipher.AEAD // by salt
}

var _ Sealer = (*Passphrase)(nil)

// NewPassphrase refuses one that is guessed in no time.
func NewPassphrase(phrase string) (*Passphrase, error) {
	if utf8.RuneCountInString(phrase) < passphraseShort {
		return nil, &event.Error{
			Class: event.ClassRequest, Message: "This passphrase is too short: it protects your keys. Take at least 8 characters; a few words are good.",
		}
	}
	return &Passphrase{phrase: []byte(phrase), keys: map[string]cipher.AEAD{}}, nil
}

// String keeps the phrase out of anything that prints it.
func (p *Passphrase) String() string { return "secret.Passphrase" }

// GoString is String for %#v.
func (p *Passphrase) GoString() string { return p.String() }

// aead is the key of a salt. Making one takes a noticeable part of a second, so it is kept.
func (p *Passphrase) aead(salt []byte) (cipher.AEAD, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if a := p.keys[string(salt)]; a != nil {
		return a, nil
	}
	key, err := pbkdf2.Key(sha256.New, string(p.phrase), salt, passphraseRounds, 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	a, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, err
	}
	p.keys[string(salt)] = a
	return a, nil
}

// Seal implements Sealer.
func (p *Passphrase) Seal(_ context.Context, name string, plain []byte) ([]byte, error) {
	p.mu.Lock()
	if p.salt == nil {
		p.salt = make([]byte, saltLen)
		_, _ = rand.Read(p.salt) // never fails
	}
	salt := p.salt
	p.mu.Unlock()
	a, err := p.aead(salt)
	if err != nil {
		return nil, err
	}
	return a.Seal(append([]byte{}, salt...), nil, plain, []byte(name)), nil
}

// Open implements Sealer. A wrong passphrase and a damaged blob look the same.
func (p *Passphrase) Open(_ context.Context, name string, blob []byte) ([]byte, error) {
	if len(blob) < saltLen {
		return nil, ErrKeyLost
	}
	a, err := p.aead(blob[:saltLen])
	if err != nil {
		return nil, err
	}
	plain, err := a.Open(nil, nil, blob[saltLen:], []byte(name))
	if err != nil {
		return nil, errors.Join(ErrKeyLost, err)
	}
	return plain, nil
}
