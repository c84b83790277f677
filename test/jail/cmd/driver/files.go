package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"keva/agent/event"
	"keva/agent/session"
)

// files is a session.Store of plain files: NAME.meta and NAME.events, one event on a line. The driver has one session and
// one writer, so it needs no lock.
type files struct{ dir string }

func (f files) path(id, ext string) string { return filepath.Join(f.dir, id+ext) }

func (f files) PutSession(_ context.Context, m session.Meta) error {
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return err
	}
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	next := f.path(m.ID, ".new")
	if err := os.WriteFile(next, text, 0o600); err != nil {
		return err
	}
	return os.Rename(next, f.path(m.ID, ".meta"))
}

func (f files) Session(_ context.Context, id string) (session.Meta, error) {
	var m session.Meta
	text, err := os.ReadFile(f.path(id, ".meta"))
	if errors.Is(err, fs.ErrNotExist) {
		return m, session.ErrNotFound
	}
	if err != nil {
		return m, err
	}
	return m, json.Unmarshal(text, &m)
}

func (f files) Sessions(ctx context.Context) ([]session.Meta, error) {
	names, err := filepath.Glob(f.path("*", ".meta"))
	if err != nil {
		return nil, err
	}
	var list []session.Meta
	for _, n := range names {
		m, err := f.Session(ctx, strings.TrimSuffix(filepath.Base(n), ".meta"))
		if err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	slices.SortFunc(list, func(a, b session.Meta) int { return b.Updated.Compare(a.Updated) })
	return list, nil
}

func (f files) DeleteSession(_ context.Context, id string) error {
	return errors.Join(os.Remove(f.path(id, ".meta")), os.Remove(f.path(id, ".events")))
}

func (f files) Append(ctx context.Context, evs []event.Event) (err error) {
	if len(evs) == 0 {
		return nil
	}
	id := evs[0].Session
	stored, err := f.Events(ctx, id, 0, 0)
	if err != nil {
		return err
	}
	var text []byte
	for i, e := range evs {
		if want := int64(len(stored) + i + 1); e.Seq != want {
			return fmt.Errorf("event %d of %s where %d must follow", e.Seq, id, want)
		}
		line, err := json.Marshal(e)
		if err != nil {
			return err
		}
		text = append(append(text, line...), '\n')
	}
	out, err := os.OpenFile(f.path(id, ".events"), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	_, err = out.Write(text)
	return err
}

func (f files) Events(_ context.Context, id string, after int64, limit int) ([]event.Event, error) {
	text, err := os.ReadFile(f.path(id, ".events"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []event.Event
	for line := range strings.Lines(string(text)) {
		if !strings.HasSuffix(line, "\n") {
			break // a write that a kill cut was not acknowledged
		}
		var e event.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			return nil, err
		}
		if e.Seq > after && (limit == 0 || len(list) < limit) {
			list = append(list, e)
		}
	}
	return list, nil
}

func (files) Ephemeral() error { return nil }
