package proc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"keva/agent/budget"
	"keva/agent/event"
)

// RecordSpec asks for a run record: the note by which a later start of Keva finds an engine that outlived this one.
type RecordSpec struct {
	Dir     string // Keva's own folder for records; made when missing. "" = no record
	Engine  string // for people, as Session is
	Session string
}

// record is what is known of a child, on disk. It is written twice before the first byte is sent: without a process just
// before the start, so that the marker is known whenever Keva is killed, and with it just after.
//
// It proves nothing by itself: Reclaim compares each fact with the living process.
type record struct {
	Format  int       `json:"format"`
	Marker  string    `json:"marker"`
	Boot    string    `json:"boot"`
	UID     *uint32   `json:"uid"` // a pointer, because 0 is an owner and not a missing one
	Keva    instance  `json:"keva"`
	Engine  string    `json:"engine"`
	Session string    `json:"session"`
	Begun   time.Time `json:"begun"`
	// Child is nil before the process is known.
	Child   *instance `json:"child,omitempty"`
	Cmdline []byte    `json:"cmdline,omitempty"` // as in /proc, byte by byte
}

// instance is a pid and the start that tells it from a later owner of the number.
type instance struct {
	PID   int    `json:"pid"`
	Start uint64 `json:"start"` // clock ticks since boot
}

const (
	recordFormat = 1
	recordExt    = ".run"
	recordTemp   = ".tmp-"
)

// parseRecord reads a record strictly: what is torn, incomplete or more than a record is no record at all. Nothing is
// guessed, for a guess ends in a signal.
func parseRecord(name string, data []byte) (record, error) {
	var r record
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return record{}, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return record{}, errors.New("something follows the record")
	}
	switch {
	case r.Format != recordFormat:
		return record{}, fmt.Errorf("format %d", r.Format)
	case r.Marker == "" || name != r.Marker+recordExt:
		return record{}, errors.New("the marker is not the file's name")
	case r.Boot == "" || r.UID == nil || r.Keva.PID < 1 || r.Keva.Start == 0: // in a container Keva may be pid 1
		return record{}, errors.New("a fact is missing")
	case r.Child == nil && len(r.Cmdline) > 0, r.Child != nil && (r.Child.PID < 2 || r.Child.Start == 0 || len(r.Cmdline) == 0):
		return record{}, errors.New("a fact of the child is missing")
	}
	return r, nil
}

// run is a record on disk. A nil run is none.
type run struct {
	dir string
	rec record
}

// begin writes the record of a child that is about to be started with mark. Whatever can't be known or written is an
// error: an engine without a record could go on unseen.
func begin(pr probe, s RecordSpec, mark string) (*run, error) {
	if s.Dir == "" {
		return nil, nil
	}
	boot, err := pr.bootID()
	if err != nil {
		return nil, err
	}
	pid, uid := pr.self()
	self, err := identify(pr, pid)
	if err != nil {
		return nil, err
	}
	r := &run{dir: s.Dir, rec: record{
		Format: recordFormat, Marker: mark, Boot: boot, UID: &uid, Keva: instance{pid, self.start},
		Engine: s.Engine, Session: s.Session, Begun: time.Now().UTC().Truncate(time.Second),
	}}
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return nil, err
	}
	return r, r.write()
}

// complete adds the process.
func (r *run) complete(pr probe, id identity) error {
	if r == nil {
		return nil
	}
	if id.start == 0 {
		return errors.New("who the process is can't be read")
	}
	if _, uid := pr.self(); id.uid != uid {
		return fmt.Errorf("the process belongs to user %d", id.uid) // a set-uid program; it could not be ended
	}
	cmdline, err := settledCmdline(pr, id)
	if err != nil {
		return err
	}
	if cmdline == nil {
		return nil
	}
	r.rec.Child, r.rec.Cmdline = &instance{id.pid, id.start}, cmdline
	return r.write()
}

// settledCmdline reads the command line of a process that was just started, nil when it has ended already. The kernel
// reports the exec before it has set the arguments, so for a moment there are none (seen under load).
func settledCmdline(pr probe, id identity) ([]byte, error) {
	for deadline := time.Now().Add(budget.Exec.Time); ; time.Sleep(time.Millisecond) {
		cmdline, err := pr.cmdline(id.pid)
		if err != nil || len(cmdline) > 0 {
			return cmdline, err
		}
		// It is not waited for yet, so its pid is still its own.
		if now, err := identify(pr, id.pid); err != nil || now.dead {
			return nil, err
		}
		if time.Now().After(deadline) {
			return nil, errors.New("the command line is empty")
		}
	}
}

func (r *run) path() string { return filepath.Join(r.dir, r.rec.Marker+recordExt) }

// write puts the whole record in the place of the old one, or leaves the old one as it is, also when the power fails.
func (r *run) write() error {
	data, err := json.Marshal(r.rec)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(r.dir, recordTemp+"*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), r.path())
	}
	if err != nil {
		_ = os.Remove(f.Name()) // Reclaim sweeps what stays
		return err
	}
	return syncDir(r.dir)
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// remove is called when nothing of the child is left. A record that can't be removed is harmless: the next Reclaim finds
// nobody and removes it.
func (r *run) remove() {
	if r != nil {
		_ = os.Remove(r.path())
	}
}

// recordError says why an engine was not started, or was ended again before it got a byte.
func recordError(dir string, err error) error {
	return &event.Error{
		Class: event.ClassEngine,
		Message: "The engine was not started, because Keva can't note down that it runs: after a crash of Keva it could go on unseen. " +
			"Check the free space and the permissions of " + strings.TrimSuffix(dir, "/") + ".",
		Detail: err.Error(),
	}
}
