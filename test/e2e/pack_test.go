//go:build jail

package e2e

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"keva/agent/event"
	"keva/agent/slot"
	"keva/engines/catalog"
	"keva/engines/userland/pack"
	"keva/engines/userland/plan"
	"keva/engines/userland/unpack"
	compose "keva/test/world"
)

// packEnv names the pack to test, as it does for the jail's tests.
const packEnv = "KEVA_JAIL_PACK"

// packFile is the pack that is tested: the one that the jail's tests are given, else what `make pack` leaves.
func packFile(t *testing.T) string {
	t.Helper()
	file := os.Getenv(packEnv)
	if file == "" {
		file = "../../build/keva-userland-" + runtime.GOARCH + ".tar.zst"
	}
	if _, err := os.Stat(file); err != nil {
		t.Fatalf("there is no pack; run `make pack ARCH=%s`, or name one in %s: %v", runtime.GOARCH, packEnv, err)
	}
	return file
}

// The pack on a desktop, from its file to a settled tour: installed, looked at by everything that doctor looks at, then run
// by both engines through the product's own path. That its programs are the ones that ran is asked of the processes.
func TestTourFromThePack(t *testing.T) {
	src, err := pack.OpenFile(packFile(t))
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	w := &world{t: t, dir: t.TempDir()}
	tree, err := unpack.Install(t.Context(), src, catalog.UserlandDir(w.dir), unpack.Options{})
	if err != nil {
		t.Fatal(err)
	}
	places := catalog.Places{Data: w.dir, Chosen: func() plan.Kind { return plan.KindPack }}
	o, err := compose.Open(context.Background(), compose.Options{
		Dir: w.dir, Cache: t.TempDir(), Place: places.Place, Log: func(what string, err error) { t.Logf("log: %s: %v", what, err) },
	})
	if err != nil {
		t.Fatal(err)
	}
	w.World, w.store, w.slot, w.svc, w.access = o, o.Store, o.Slot, o.Service, o.Access
	t.Cleanup(w.close)

	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			lease, err := w.slot.Acquire(t.Context(), slot.Holder{Who: "the test"}, nil)
			if err != nil {
				t.Fatal(err)
			}
			found, kind, err := catalog.Problems(t.Context(), catalog.Options{Place: places.Place, StateDir: w.dir}, engine,
				plan.Options{Lease: lease, Full: true})
			lease.Release()
			if err != nil || kind != plan.KindPack || len(found) > 0 {
				t.Fatalf("%s: %+v, %v", kind, found, err)
			}
			version, err := w.svc.Check(t.Context(), engine, "the test")
			if err != nil {
				t.Fatal(err)
			}
			t.Log(engine, version)

			dir := w.sample()
			k := w.talk(engine, dir)
			v := k.say("Start the tour")
			if v.Verdict != event.Success || !passes(t, dir) {
				t.Fatalf("verdict %q, fixed: %v%s", v.Verdict, passes(t, dir), tail(k.shown, 10))
			}
			pids, _ := processes(t, k.s.ID())
			if len(pids) != 1 {
				t.Fatalf("the engine's processes are %v", pids)
			}
			exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pids[0]))
			if err != nil || !strings.HasPrefix(exe, tree.Root+"/opt/"+engine+"/") {
				t.Errorf("what runs is %s, %v", exe, err)
			}
			for _, b := range bodies[event.Notice](k.shown) {
				if b.Level == event.LevelError {
					t.Errorf("%+v", b)
				}
			}
		})
	}
}
