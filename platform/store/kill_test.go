package store

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"keva/agent/event"
)

const killDir = "KEVA_STORE_KILL_DIR"

// appendForEver is the child: it tells on stdout each seq that Append has acknowledged, until it is killed.
func appendForEver(dir string) {
	fail := func(err error) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	ctx := context.Background()
	s, _, err := Open(ctx, dir)
	if err != nil {
		fail(err)
	}
	if err := s.Ephemeral(); err != nil {
		fail(err)
	}
	if err := s.PutSession(ctx, meta("s1")); err != nil {
		fail(err)
	}
	evs, err := s.Events(ctx, "s1", 0, 0)
	if err != nil {
		fail(err)
	}
	for seq := int64(len(evs)) + 1; ; {
		var batch []event.Event
		for range 1 + rand.IntN(30) {
			batch = append(batch, killEvent(seq))
			seq++
		}
		if err := s.Append(ctx, batch); err != nil {
			fail(err)
		}
		if _, err := fmt.Println(seq - 1); err != nil {
			fail(err)
		}
	}
}

func killEvent(seq int64) event.Event {
	if seq%5 == 0 {
		return ev("s1", seq, event.ApprovalAsked{ID: fmt.Sprint(seq), Tool: event.ToolCommand, Command: "ls"})
	}
	return ev("s1", seq, event.TextFinal{Block: fmt.Sprint(seq), Text: strings.Repeat("word ", int(seq%300))})
}

// I-15: the app is killed at any moment; every event that Append has acknowledged is there on reopen, in order, whole,
// and so is what is derived from it.
func TestKilledWriterLosesNothingAcknowledged(t *testing.T) {
	dir := t.TempDir()
	rnd := rand.New(rand.NewPCG(7, 7))
	var acked int64
	for round := range 8 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), killDir+"="+dir)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		first := true
		for lines.Scan() {
			n, err := strconv.ParseInt(lines.Text(), 10, 64)
			if err != nil {
				break // the kill cut the line: not acknowledged
			}
			if n <= acked {
				t.Fatalf("acknowledged %d after %d", n, acked)
			}
			acked = n
			if first { // the moment counts from the first work, not from the start of the process
				first = false
				time.AfterFunc(time.Duration(rnd.IntN(40_000))*time.Microsecond, func() { _ = cmd.Process.Kill() })
			}
		}
		if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != -1 {
			t.Fatalf("round %d: the child ended by itself: %v", round, err)
		}

		s := mustDisk(t, dir)
		sane(t, s)
		got := all(t, s, "s1")
		if int64(len(got)) < acked {
			t.Fatalf("round %d: %d events acknowledged, %d found", round, acked, len(got))
		}
		asked := 0
		for i, e := range got {
			want := killEvent(int64(i + 1))
			if !reflect.DeepEqual(e, want) {
				t.Fatalf("round %d: event %d is %+v", round, i+1, e)
			}
			if e.Body.Kind() == event.KindApprovalAsked {
				asked++
			}
		}
		as, err := s.Approvals(t.Context(), "s1")
		if err != nil || len(as) != asked {
			t.Fatalf("round %d: %d approvals, want %d, %v", round, len(as), asked, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if acked == 0 {
		t.Fatal("nothing was ever acknowledged")
	}
}
