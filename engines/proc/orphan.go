package proc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"keva/agent/budget"
)

// Found is what became of a run record.
type Found string

// What Reclaim found.
const (
	FoundGone       Found = "gone"       // nothing of it lives
	FoundReclaimed  Found = "reclaimed"  // it was ours and is ended
	FoundSurvived   Found = "survived"   // it was ours and could not be ended
	FoundNotOurs    Found = "not_ours"   // the pid is somebody else's, as far as can be proven
	FoundUnverified Found = "unverified" // a fact could not be read, so nothing was touched
	FoundInUse      Found = "in_use"     // the Keva that started it still runs
	FoundTorn       Found = "torn"       // the file is not a whole record: it counts as none
)

// Reclaimed is what Reclaim found of one record.
type Reclaimed struct {
	Engine, Session string // of the record; "" when it is torn
	Begun           time.Time
	PID             int // of the engine; 0 when it was never noted
	Found           Found
	Ended           []int  // pids that were ours and are gone now
	Left            []int  // pids that are ours and still run
	Why             string // for the log: which fact decided
}

// Reclaim ends what an earlier run of Keva left running. It reads all records in dir, verifies each engine (alive, start
// time, command line and owner as recorded, the same boot), and ends those that pass, with their descendants. When the
// engine itself is gone, processes of this user that carry its marker are ended: they can only descend from it.
//
// It fails closed: what differs or can't be read is not ours, is not touched, and is no error. It would rather miss an
// orphan than end a stranger. A record is removed when nothing of it can be left; one that is torn counts as no record and
// is removed, for it names nobody. Records of a Keva that still runs, this one too, are left alone, so that calling it at
// any time is safe. The result has one entry for each record, in no order that means anything; it is nil when dir does not
// exist.
//
// It takes up to budget.StopKin for each engine that does not end when it is asked to, and up to budget.StopKill more when
// the system does not let go of it.
func Reclaim(dir string) []Reclaimed {
	return guard{probe: system{}, polite: budget.StopKin.Time, hard: budget.StopKill.Time, exec: budget.Fork.Time}.reclaim(dir)
}

// guard is the orphan guard.
type guard struct {
	probe probe
	// polite and hard are the waits after SIGTERM and SIGKILL.
	polite, hard time.Duration
	// exec is how long a process may need from its fork, when it still has Keva's environment, to its exec. It matters
	// when Keva was killed in between, a moment ago.
	exec time.Duration
}

// young is an age at which a start that was never completed may still be under way.
const young = 5 * time.Second

func (g guard) reclaim(dir string) []Reclaimed {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return []Reclaimed{{Found: FoundUnverified, Why: err.Error()}}
	}
	var out []Reclaimed
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case !e.Type().IsRegular():
		case strings.HasPrefix(e.Name(), recordTemp):
			g.sweep(path)
		case strings.HasSuffix(e.Name(), recordExt):
			out = append(out, g.one(path))
		}
	}
	return out
}

// tempAge is how old a half written file must be before it is nobody's.
const tempAge = time.Minute

// sweep removes what a write left that was cut. Its record, if there is one, is a file of its own.
func (g guard) sweep(path string) {
	if info, err := os.Lstat(path); err == nil && time.Since(info.ModTime()) > tempAge {
		_ = os.Remove(path) // tried again at the next start
	}
}

// one judges and settles one record.
func (g guard) one(path string) Reclaimed {
	data, err := readRecord(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Reclaimed{Found: FoundGone, Why: "its record was removed meanwhile"}
	}
	if err != nil {
		return Reclaimed{Found: FoundUnverified, Why: err.Error()}
	}
	r, err := parseRecord(filepath.Base(path), data)
	if err != nil {
		_ = os.Remove(path)
		return Reclaimed{Found: FoundTorn, Why: filepath.Base(path) + ": " + err.Error()}
	}
	out := Reclaimed{Engine: r.Engine, Session: r.Session, Begun: r.Begun}
	if r.Child != nil {
		out.PID = r.Child.PID
	}
	if out.Found, out.Why = g.premise(r); out.Found != "" {
		if out.Found == FoundGone {
			_ = os.Remove(path) // else the next start finds the same
		}
		return out
	}
	g.settle(r, &out)
	switch out.Found {
	case FoundGone, FoundReclaimed, FoundNotOurs:
		_ = os.Remove(path)
	case FoundSurvived, FoundUnverified, FoundInUse, FoundTorn:
	}
	return out
}

func readRecord(path string) ([]byte, error) {
	// A file that is replaced by a pipe must not hold up the start.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	return io.ReadAll(io.LimitReader(f, budget.RunRecord.Size))
}

// premise is what must hold before any process is looked at: the same boot, the same user, and a Keva that is gone.
// "" means that it holds.
func (g guard) premise(r record) (Found, string) {
	boot, err := g.probe.bootID()
	if err != nil {
		return FoundUnverified, err.Error()
	}
	if boot != r.Boot {
		return FoundGone, "the device was restarted"
	}
	if _, uid := g.probe.self(); *r.UID != uid {
		return FoundNotOurs, fmt.Sprintf("it was started by user %d", *r.UID)
	}
	keva, err := statOf(g.probe, r.Keva.PID)
	switch {
	case err != nil && !gone(err):
		return FoundUnverified, err.Error()
	case err == nil && keva.start == r.Keva.Start && !keva.dead:
		return FoundInUse, fmt.Sprintf("Keva (pid %d) still runs", keva.pid)
	}
	return "", ""
}

// settle ends what can be proven ours.
func (g guard) settle(r record, out *Reclaimed) {
	k := newKin(g.probe, r.Marker)
	if r.Child == nil && time.Since(r.Begun) < young {
		time.Sleep(g.exec)
	}
	if r.Child != nil {
		id, found, why := g.verify(r)
		out.Why = why
		switch found {
		case FoundUnverified:
			out.Found = found
			return
		case FoundReclaimed:
			k.known[id.pid] = id
		case FoundNotOurs, FoundGone, FoundSurvived, FoundInUse, FoundTorn:
			// The very process that failed must not come back by its marker: different means not ours.
			k.not[r.Child.PID] = r.Child.Start
			out.Found = found
		}
	}
	asked, left, err := k.end(0, g.polite, g.hard)
	for _, id := range left {
		out.Left = append(out.Left, id.pid)
		delete(asked, id.pid)
	}
	for pid := range asked {
		out.Ended = append(out.Ended, pid)
	}
	slices.Sort(out.Left)
	slices.Sort(out.Ended)
	switch {
	case len(left) > 0:
		out.Found, out.Why = FoundSurvived, "it did not end"
	case err != nil:
		out.Found, out.Why = FoundUnverified, err.Error()
	case len(asked) > 0:
		out.Found = FoundReclaimed
	case out.Found == "":
		out.Found = FoundGone
	}
}

// verify compares the recorded engine with the process that has its pid now: alive, start time, command line, owner.
// FoundReclaimed means that all four are as recorded.
func (g guard) verify(r record) (identity, Found, string) {
	pid := r.Child.PID
	id, err := identify(g.probe, pid)
	switch {
	case gone(err):
		return id, FoundGone, ""
	case err != nil:
		return id, FoundUnverified, err.Error()
	case id.start != r.Child.Start:
		return id, FoundNotOurs, fmt.Sprintf("pid %d has a new owner: it started at another time", pid)
	case id.uid != *r.UID:
		return id, FoundNotOurs, fmt.Sprintf("pid %d belongs to user %d", pid, id.uid)
	case id.dead:
		return id, FoundGone, ""
	}
	cmdline, err := g.probe.cmdline(pid)
	switch {
	case gone(err):
		return id, FoundGone, ""
	case err != nil:
		return id, FoundUnverified, err.Error()
	case !bytes.Equal(cmdline, r.Cmdline):
		return id, FoundNotOurs, fmt.Sprintf("pid %d runs another command line", pid)
	}
	return id, FoundReclaimed, ""
}
