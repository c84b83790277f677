package update

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"
)

// State is what is remembered between runs, for the screen and against replays. Zero times mean never.
type State struct {
	LastAttempt time.Time `json:"last_attempt"`
	LastSuccess time.Time `json:"last_success"`
	// Failure is why the last attempt failed, "" when it did not; Sentence says it to the user.
	Failure  Class  `json:"failure,omitempty"`
	Sentence string `json:"sentence,omitempty"`
	// Sequence is the highest that was ever seen: an older manifest is a replay.
	Sequence uint64    `json:"sequence,omitempty"`
	Found    *Manifest `json:"found,omitempty"`   // the last one that held
	Address  string    `json:"address,omitempty"` // digest of the address that all this is of
}

// digest names an address without telling it: one that was refused may hold a password.
func digest(address string) string {
	sum := sha256.Sum256([]byte(address))
	return hex.EncodeToString(sum[:8])
}

// load reads the state. One that is missing is empty; one that is damaged is empty too, and the error says so.
func load(path string) (State, error) {
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return State{}, nil
	case err != nil:
		return State{}, err
	}
	var s State
	if err := strict(data, &s); err != nil {
		return State{}, err
	}
	return s, nil
}

// save replaces the file in one step: killed at any moment, either state is there.
func save(path string, s State) error {
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	err = errors.Join(err, tmp.Sync(), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(tmp.Name()) // the first error tells more
	}
	return err
}
