package pack

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// encode makes the manifest's JSON and sets its ID.
func (m *Manifest) encode() ([]byte, error) {
	m.ID = ""
	raw, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	m.ID = digest(raw)
	return json.Marshal(m)
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Decode reads a manifest and checks it: its ID against all else, then everything that [Manifest.Validate] checks.
func Decode(raw []byte) (*Manifest, error) {
	var head struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return nil, &Error{Reason: ReasonFormat, Message: "This is no userland pack of Keva: it has no manifest." + again, Cause: err}
	}
	if head.Format != Format {
		return nil, &Error{
			Reason:  ReasonVersion,
			Message: fmt.Sprintf("The userland pack has format %d, this Keva reads format %d. Use the pack that came with this version of Keva.", head.Format, Format),
		}
	}
	m := &Manifest{}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(m); err != nil {
		return nil, hostile(ManifestName, "can't be read (%v)", err)
	}
	if dec.More() {
		return nil, hostile(ManifestName, "goes on after its end")
	}
	// The ID covers the bytes themselves: the writer's JSON with the ID cut out. No second spelling has the same one.
	start := fmt.Appendf(nil, `{"format":%d,"id":"`, Format)
	if len(m.ID) != 2*sha256.Size || !bytes.HasPrefix(raw, append(start, m.ID...)) {
		return nil, hostile(ManifestName, "does not begin with its ID")
	}
	without := append(start[:len(start):len(start)], raw[len(start)+len(m.ID):]...)
	if got := digest(without); got != m.ID {
		return nil, Corrupt(ManifestName, fmt.Sprintf("its ID is %s, its content gives %s", m.ID, got))
	}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	return m, nil
}
