//go:build jail

package jail

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"keva/agent/event"
	"keva/engines/proc"
	"keva/test/jail/drive"
	"keva/test/jail/lab"
)

// Keva or the engine is killed while a command of the model runs that has put one process into a session of its own and
// another one into the background. The next start, or the Keva that survived, ends all of them, and no stranger.
func TestKill(t *testing.T) {
	for _, policy := range policies(lab.Oldest, lab.Newest) {
		for _, engine := range engines {
			for _, victim := range []drive.Victim{drive.VictimKeva, drive.VictimEngine} {
				t.Run(fmt.Sprintf("%s/%s/%s", policy, engine, victim), func(t *testing.T) {
					t.Parallel()
					kill(t, policy, engine, victim)
				})
			}
		}
	}
}

func kill(t *testing.T, policy, engine string, victim drive.Victim) {
	dir := folder(t, fmt.Sprintf("kill-%s-%s-%s", policy, engine, victim))
	sleeps := []string{"sleep 3601", "sleep 3602", "sleep 3603"}
	text, err := json.Marshal(drive.Task{
		Tree: jail.Tree, Data: dir + "/data", Engine: engine, Project: dir + "/projects/ledger",
		Prompt: "run setsid -f sleep 3601; sleep 3602 & sleep 3603",
		Slow:   emulated(), Model: model(engine),
		Victim: victim, When: event.KindApprovalResolved, Running: sleeps,
	})
	if err != nil {
		t.Fatal(err)
	}
	out, err := run(t, app(t, policy, lab.Driver, "kill", string(text)))
	if err != nil {
		t.Fatalf("the driver: %v\n%s", err, tail(out))
	}
	var k drive.Killed
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &k); err != nil {
		t.Fatalf("%v\n%s", err, tail(out))
	}
	if victim == drive.VictimKeva {
		if !drive.Runs(k.After, sleeps[0]) {
			t.Errorf("nothing was left behind, so nothing was reclaimed: %+v", k.After)
		}
		if len(k.Reclaimed) != 1 || k.Reclaimed[0].Found != proc.FoundReclaimed || len(k.Reclaimed[0].Ended) == 0 || len(k.Reclaimed[0].Left) > 0 {
			t.Errorf("reclaimed: %+v", k.Reclaimed)
		}
	} else if len(k.Told) == 0 {
		t.Error("the engine was killed, and nobody was told")
	}
	if len(k.Left) > 0 {
		t.Errorf("of ours are left: %+v", k.Left)
	}
	if !k.Stranger {
		t.Error("a stranger was ended")
	}
}
