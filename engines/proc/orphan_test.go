package proc

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// The scene of the table tests: Keva 50 started engine 100 under user 1000 and is gone; Keva 60 looks for what it left.
const (
	oldKeva = 50
	newKeva = 60
	leader  = 100
	mark    = "50.abc.1"
)

func scene() (*fakeSystem, record) {
	uid := uint32(1000)
	f := &fakeSystem{boot: "boot-1", me: newKeva, uid: uid, broken: map[string]bool{}, procs: map[int]*fakeProc{
		1:       {start: 1, session: 1, cmdline: "init\x00"},
		40:      {start: 300, parent: 1, session: 40, uid: uid, cmdline: "shell\x00", environ: "A=b\x00"},
		newKeva: {start: 9000, parent: 40, session: 40, uid: uid, cmdline: "keva\x00", environ: "A=b\x00"},
		leader:  {start: 5000, parent: 1, session: leader, uid: uid, cmdline: "engine\x00-p\x00", environ: "A=b\x00" + MarkerEnv + "=" + mark + "\x00"},
		200:     {start: 6000, parent: 40, session: 40, uid: uid, cmdline: "editor\x00", environ: "A=b\x00"},
		201:     {start: 6001, parent: 1, session: 201, uid: 0, cmdline: "daemon\x00"},
	}}
	return f, record{
		Format: recordFormat, Marker: mark, Boot: "boot-1", UID: &uid, Keva: instance{oldKeva, 4000},
		Engine: "claude", Session: "s-1", Begun: time.Unix(1e9, 0).UTC(),
		Child: &instance{leader, 5000}, Cmdline: []byte("engine\x00-p\x00"),
	}
}

// reclaimRecord puts r on disk and reclaims it on f.
func reclaimRecord(t *testing.T, f *fakeSystem, r record) (out Reclaimed, kept bool) {
	t.Helper()
	n := run{dir: t.TempDir(), rec: r}
	if err := n.write(); err != nil {
		t.Fatal(err)
	}
	list := guard{probe: f, polite: 20 * time.Millisecond, hard: 20 * time.Millisecond}.reclaim(n.dir)
	if len(list) != 1 {
		t.Fatalf("%d results for one record: %+v", len(list), list)
	}
	_, err := os.Stat(n.path())
	return list[0], err == nil
}

// §4.4: alive, start time, command line, owner and boot must all be as recorded. What differs or can't be read is not
// ours: no signal, and no error.
func TestReclaimFailsClosed(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*fakeSystem, *record)
		found  Found
		killed []int
		kept   bool
	}{
		"as recorded":      {func(*fakeSystem, *record) {}, FoundReclaimed, []int{leader}, false},
		"the engine ended": {func(f *fakeSystem, _ *record) { delete(f.procs, leader) }, FoundGone, nil, false},
		"a zombie":         {func(f *fakeSystem, _ *record) { f.procs[leader].zombie = true }, FoundGone, nil, false},
		"another start time": {func(f *fakeSystem, _ *record) {
			f.procs[leader] = &fakeProc{start: 7000, uid: 1000, cmdline: "engine\x00-p\x00", environ: "A=b\x00"}
		}, FoundNotOurs, nil, false},
		"another command line":   {func(f *fakeSystem, _ *record) { f.procs[leader].cmdline = "engine\x00-q\x00" }, FoundNotOurs, nil, false},
		"one argument, not two":  {func(f *fakeSystem, _ *record) { f.procs[leader].cmdline = "engine -p\x00" }, FoundNotOurs, nil, false},
		"another owner":          {func(f *fakeSystem, _ *record) { f.procs[leader].uid = 0 }, FoundNotOurs, nil, false},
		"stat can't be read":     {func(f *fakeSystem, _ *record) { f.broken["stat 100"] = true }, FoundUnverified, nil, true},
		"owner can't be read":    {func(f *fakeSystem, _ *record) { f.broken["owner 100"] = true }, FoundUnverified, nil, true},
		"cmdline can't be read":  {func(f *fakeSystem, _ *record) { f.broken["cmdline 100"] = true }, FoundUnverified, nil, true},
		"list can't be read":     {func(f *fakeSystem, _ *record) { f.broken["pids"] = true }, FoundUnverified, nil, true},
		"boot id can't be read":  {func(f *fakeSystem, _ *record) { f.broken["boot"] = true }, FoundUnverified, nil, true},
		"another boot":           {func(f *fakeSystem, _ *record) { f.boot = "boot-2" }, FoundGone, nil, false},
		"another user's record":  {func(_ *fakeSystem, r *record) { uid := uint32(7); r.UID = &uid }, FoundNotOurs, nil, true},
		"its Keva still runs":    {func(f *fakeSystem, _ *record) { f.procs[oldKeva] = &fakeProc{start: 4000, uid: 1000} }, FoundInUse, nil, true},
		"its Keva is this one":   {func(_ *fakeSystem, r *record) { r.Keva = instance{newKeva, 9000} }, FoundInUse, nil, true},
		"its Keva can't be read": {func(f *fakeSystem, _ *record) { f.broken["stat 50"] = true }, FoundUnverified, nil, true},
		"its Keva is a zombie":   {func(f *fakeSystem, _ *record) { f.procs[oldKeva] = &fakeProc{start: 4000, zombie: true} }, FoundReclaimed, []int{leader}, false},
		"its Keva's pid is taken": {func(f *fakeSystem, _ *record) {
			f.procs[oldKeva] = &fakeProc{start: 4001, uid: 1000, environ: "A=b\x00"}
		}, FoundReclaimed, []int{leader}, false},
		"it ignores SIGTERM": {func(f *fakeSystem, _ *record) { f.procs[leader].stubborn = true }, FoundReclaimed, []int{leader}, false},
		"it can't be ended":  {func(f *fakeSystem, _ *record) { f.procs[leader].stuck = true }, FoundSurvived, []int{leader}, true},
	} {
		t.Run(name, func(t *testing.T) {
			f, r := scene()
			c.change(f, &r)
			before := maps.Clone(f.procs)
			got, kept := reclaimRecord(t, f, r)
			if got.Found != c.found || kept != c.kept {
				t.Errorf("found %q (%s), record kept %v; want %q, %v", got.Found, got.Why, kept, c.found, c.kept)
			}
			if !slices.Equal(f.signalled(), c.killed) {
				t.Errorf("signals %v, want only %v", f.sent, c.killed)
			}
			for pid := range before {
				if f.procs[pid] == nil && !slices.Contains(c.killed, pid) {
					t.Errorf("stranger %d was killed", pid)
				}
			}
			if got.Engine != "claude" || got.Session != "s-1" || got.PID != leader {
				t.Errorf("the result does not say whose it was: %+v", got)
			}
			if (got.Found == FoundUnverified || got.Found == FoundNotOurs || got.Found == FoundInUse) && got.Why == "" {
				t.Error("no reason is given")
			}
		})
	}
}

// Tools run in sessions of their own and outlive their engine: parent, session and marker each prove one. Everything else
// is a stranger, however much it looks like one of ours.
func TestReclaimEndsDescendants(t *testing.T) {
	env := "A=b\x00" + MarkerEnv + "=" + mark + "\x00"
	tool := func(parent, session int, environ string) *fakeProc {
		return &fakeProc{start: 6500, parent: parent, session: session, uid: 1000, cmdline: "tool\x00", environ: environ}
	}
	for name, c := range map[string]struct {
		change func(*fakeSystem, *record)
		killed []int
	}{
		"of a living engine, by parent, session and marker": {func(f *fakeSystem, _ *record) {
			f.procs[110] = tool(leader, 110, "")   // a session of its own, no marker
			f.procs[111] = tool(110, 111, "")      // below it
			f.procs[112] = tool(1, leader, "")     // lost its parent, still in the engine's session
			f.procs[113] = tool(1, 113, env)       // lost its parent, has a session of its own
			f.procs[114] = tool(1, 113, "X=y\x00") // in that session
		}, []int{leader, 110, 111, 112, 113, 114}},
		"of an engine that is gone, by the marker": {func(f *fakeSystem, _ *record) {
			delete(f.procs, leader)
			f.procs[113] = tool(1, 113, env)
			f.procs[115] = tool(113, 115, "")
		}, []int{113, 115}},
		"of a start that Keva did not live to complete": {func(_ *fakeSystem, r *record) {
			r.Child, r.Cmdline = nil, nil
		}, []int{leader}},
		"of an engine whose pid has a new owner": {func(f *fakeSystem, _ *record) {
			f.procs[leader] = &fakeProc{start: 7000, parent: 40, session: leader, uid: 1000, cmdline: "engine\x00-p\x00", environ: "A=b\x00"}
			f.procs[113] = tool(1, 113, env)
			f.procs[116] = tool(leader, leader, "A=b\x00") // the new owner's
		}, []int{113}},
		"not the engine itself when a fact differs": {func(f *fakeSystem, _ *record) {
			f.procs[leader].cmdline = "another"
			f.procs[113] = tool(leader, 113, env)
		}, []int{113}},
		"none when the engine can't be verified": {func(f *fakeSystem, _ *record) {
			f.broken["cmdline 100"] = true
			f.procs[113] = tool(1, 113, env)
		}, nil},
		"not with another marker": {func(f *fakeSystem, _ *record) {
			delete(f.procs, leader)
			f.procs[113] = tool(1, 113, MarkerEnv+"="+mark+"2\x00")
			f.procs[114] = tool(1, 114, "X"+MarkerEnv+"="+mark+"\x00")
			f.procs[115] = tool(1, 115, "NOTE="+MarkerEnv+"="+mark+"\x00")
		}, nil},
		"not of another user": {func(f *fakeSystem, _ *record) {
			f.procs[113] = tool(leader, leader, env)
			f.procs[113].uid = 0
		}, []int{leader}},
		"not when the environment can't be read": {func(f *fakeSystem, _ *record) {
			delete(f.procs, leader)
			f.procs[113] = tool(1, 113, env)
			f.broken["environ 113"] = true
		}, nil},
		"not the new Keva, nor who runs it": {func(f *fakeSystem, _ *record) {
			f.procs[40].environ, f.procs[40].parent = env, leader // a terminal that the engine opened
			f.procs[newKeva].environ = env
		}, []int{leader}},
	} {
		t.Run(name, func(t *testing.T) {
			f, r := scene()
			c.change(f, &r)
			got, _ := reclaimRecord(t, f, r)
			if !slices.Equal(f.signalled(), c.killed) {
				t.Errorf("signals %v, want only %v (%+v)", f.sent, c.killed, got)
			}
			if !slices.Equal(got.Ended, c.killed) {
				t.Errorf("reported as ended: %v, want %v", got.Ended, c.killed)
			}
			if want := FoundReclaimed; len(c.killed) > 0 && got.Found != want {
				t.Errorf("found %q, want %q", got.Found, want)
			}
		})
	}
}

// Who was proven once stays ours: a tool may lose its parent, begin a session and clear its environment after it was seen.
func TestProvenToolIsRemembered(t *testing.T) {
	f, _ := scene()
	tool := &fakeProc{start: 6500, parent: leader, session: leader, uid: 1000, cmdline: "tool\x00"}
	f.procs[110] = tool
	k := newKin(f, mark, identity{pid: leader, start: 5000, uid: 1000})
	if _, err := k.look(); err != nil {
		t.Fatal(err)
	}
	delete(f.procs, leader)
	tool.parent, tool.session, tool.cmdline = 1, 110, "renamed\x00"
	if _, left, err := k.end(leader, 20*time.Millisecond, 20*time.Millisecond); err != nil || len(left) != 0 {
		t.Errorf("left %v, %v", left, err)
	}
	if !slices.Equal(f.signalled(), []int{110}) {
		t.Errorf("signals %v, want only the tool", f.sent)
	}
}

// Between the check and the signal a pid may get a new owner. The handle is taken first and the check made after it.
func TestRecycledBetweenLookAndSignal(t *testing.T) {
	for _, pid := range []int{leader, 113} {
		t.Run(fmt.Sprint(pid), func(t *testing.T) {
			f, r := scene()
			f.procs[113] = &fakeProc{start: 6500, parent: leader, session: 113, uid: 1000, cmdline: "tool\x00"}
			f.before = func(p int) {
				if p == pid {
					f.procs[pid] = &fakeProc{start: 9999, parent: 40, session: 40, uid: 1000, cmdline: "stranger\x00"}
				}
			}
			reclaimRecord(t, f, r)
			if slices.Contains(f.signalled(), pid) {
				t.Errorf("stranger %d was signalled: %v", pid, f.sent)
			}
		})
	}
}

// A torn record is no record: cut anywhere, or with a fact missing or strange, it ends nobody, though the engine that it
// would mean lives.
func TestTornRecordIsNoRecord(t *testing.T) {
	_, whole := scene()
	n := run{dir: t.TempDir(), rec: whole}
	if err := n.write(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(n.path())
	if err != nil {
		t.Fatal(err)
	}
	torn := map[string][]byte{
		"two records":   append(slices.Clone(data), data...),
		"a stray field": []byte(`{"x":1,` + string(data[1:])),
		"zeros":         make([]byte, len(data)),
		"not a record":  []byte("null"),
	}
	for i := range data {
		torn[fmt.Sprintf("cut at %d", i)] = data[:i]
	}
	for name, change := range map[string]func(*record){
		"no boot":        func(r *record) { r.Boot = "" },
		"no owner":       func(r *record) { r.UID = nil },
		"no Keva":        func(r *record) { r.Keva = instance{} },
		"no start":       func(r *record) { r.Child.Start = 0 },
		"no pid":         func(r *record) { r.Child.PID = 0 },
		"a group's pid":  func(r *record) { r.Child.PID = -leader },
		"init":           func(r *record) { r.Child.PID = 1 },
		"no cmdline":     func(r *record) { r.Cmdline = nil },
		"a later format": func(r *record) { r.Format++ },
		"another marker": func(r *record) { r.Marker = "other" },
	} {
		_, r := scene()
		change(&r)
		m := run{dir: t.TempDir(), rec: r}
		if err := m.write(); err != nil {
			t.Fatal(err)
		}
		if torn[name], err = os.ReadFile(m.path()); err != nil {
			t.Fatal(err)
		}
	}
	for name, data := range torn {
		f, _ := scene()
		dir := t.TempDir()
		path := filepath.Join(dir, mark+recordExt)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		got := guard{probe: f, polite: 20 * time.Millisecond, hard: 20 * time.Millisecond}.reclaim(dir)
		if len(f.sent) != 0 {
			t.Fatalf("%s: a torn record was guessed: %v", name, f.sent)
		}
		if len(got) != 1 || got[0].Found != FoundTorn || got[0].Why == "" {
			t.Errorf("%s: %+v, want torn and why", name, got)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s: it is still there", name)
		}
	}
}

// Only records are touched in the folder.
func TestReclaimLeavesOtherFiles(t *testing.T) {
	dir := t.TempDir()
	for _, n := range []string{"notes.txt", "x.run.bak", recordTemp + "fresh"} {
		if err := os.WriteFile(filepath.Join(dir, n), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "dir"+recordExt), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "notes.txt"), filepath.Join(dir, "link"+recordExt)); err != nil {
		t.Fatal(err)
	}
	stale := filepath.Join(dir, recordTemp+"stale")
	if err := os.WriteFile(stale, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-2 * tempAge)
	if err := os.Chtimes(stale, old, old); err != nil {
		t.Fatal(err)
	}
	f, _ := scene()
	if got := (guard{probe: f}).reclaim(dir); len(got) != 0 {
		t.Errorf("%+v, want nothing", got)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 5 {
		t.Errorf("%d files are left (%v), want 5", len(left), err)
	}
	if _, err := os.Stat(stale); err == nil {
		t.Error("the remains of a write that was cut are still there")
	}
}

func TestReclaimWithoutFolder(t *testing.T) {
	f, _ := scene()
	if got := (guard{probe: f}).reclaim(filepath.Join(t.TempDir(), "none")); got != nil {
		t.Errorf("%+v, want nil", got)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := (guard{probe: f}).reclaim(file); len(got) != 1 || got[0].Found != FoundUnverified || got[0].Why == "" {
		t.Errorf("%+v, want one that could not be verified", got)
	}
}

// Records lie in a folder where anything may be written: any bytes must be read without a panic, and what is taken for a
// record must have every fact.
func FuzzParseRecord(f *testing.F) {
	f.Add([]byte(`{"format":1,"marker":"m","boot":"b","uid":0,"keva":{"pid":2,"start":3},"engine":"","session":"","begun":"2026-01-01T00:00:00Z","child":{"pid":4,"start":5},"cmdline":"eA=="}`))
	f.Add([]byte(`{"format":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := parseRecord("m"+recordExt, data)
		if err == nil && (r.Boot == "" || r.UID == nil || r.Keva.Start == 0 || r.Child != nil && (r.Child.PID < 2 || r.Child.Start == 0)) {
			t.Errorf("%q is taken for a record: %+v", data, r)
		}
	})
}
