package signin

import (
	"bytes"
	"context"
	"encoding/json"
	"time"
)

// RecordKey is where the record of an open sign-in lies in the store.
const RecordKey = "signin"

// Values is the part of the store that is needed.
type Values interface {
	// Value is nil when nothing was stored.
	Value(ctx context.Context, key string) (json.RawMessage, error)
	PutValue(ctx context.Context, key string, value json.RawMessage) error
}

// record is what outlives Keva of an open sign-in: enough to say what became of it, and no address or code, which are of
// no use to anybody but the process that asked for them.
type record struct {
	ID     string    `json:"id"`
	Method string    `json:"method"`
	Begun  time.Time `json:"begun"`
	// Before is the account that the engine had when it began: being signed in afterwards proves nothing when it is the
	// same.
	Before Account `json:"before"`
}

// load is the record of a sign-in that was not brought to an end, nil for none.
func load(ctx context.Context, v Values) (*record, error) {
	raw, err := v.Value(ctx, RecordKey)
	if err != nil || len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return nil, err
	}
	var r record
	if err := json.Unmarshal(raw, &r); err != nil || r.ID == "" || r.Method == "" {
		return nil, nil // not ours, or torn: it says nothing
	}
	return &r, nil
}

func (r *record) save(ctx context.Context, v Values) error {
	raw, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return v.PutValue(ctx, RecordKey, raw)
}
