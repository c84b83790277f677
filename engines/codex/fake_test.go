package codex

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"keva/agent/runtime"
)

// The test binary, copied under the engine's name, plays an app-server with the faults that the real one can't be made
// to show. A file beside it names the fault, because the adapter passes no environment on.
const (
	fakeName = "codex"
	faultIn  = "fault"
)

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == fakeName {
		fault, err := os.ReadFile(filepath.Join(filepath.Dir(os.Args[0]), faultIn))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(99)
		}
		fake(string(fault))
		return
	}
	os.Exit(m.Run())
}

// fakeEngine returns a binary that plays fault.
func fakeEngine(t *testing.T, fault string) string {
	t.Helper()
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, fakeName)
	if err := os.Link(self, bin); err != nil {
		copyFile(t, self, bin)
	}
	for name, text := range map[string]string{faultIn: fault, hostName: "#!/bin/sh\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return bin
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

const (
	fakeThread = "thread-1"
	fakeTurn   = "turn-1"
	bigOutput  = 20 << 20
)

// fake is the app-server. It answers what it must and misbehaves as fault says.
func fake(fault string) {
	switch fault {
	case "version":
		fmt.Println("codex-cli 9.9.9")
		return
	case "exit":
		fmt.Fprintln(os.Stderr, "ERROR something is wrong with key-in-stderr")
		os.Exit(3)
	case "mute":
		_, _ = io.Copy(io.Discard, os.Stdin)
		return
	case "deaf":
		time.Sleep(time.Minute)
		return
	}
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) || errors.Is(err, fs.ErrClosed) {
			return
		}
		msg, _ := decode(bytes.TrimSpace(line))
		fakeReply(fault, msg)
	}
}

func put(format string, args ...any) { fmt.Printf(format+"\n", args...) }

func fakeReply(fault string, msg message) {
	switch msg.Method {
	case "initialize":
		put(`{"id":%s,"result":{"userAgent":"keva/0.171.0 (x)"}}`, msg.ID)
	case "thread/start", "thread/resume":
		policy, thread := `"untrusted"`, fakeThread
		switch fault {
		case "on-request":
			policy = `"on-request"`
		case "granular":
			policy = `{"granular":{"rules":true}}`
		case "other-thread":
			thread = "thread-2"
		case "no-resume":
			put(`{"id":%s,"error":{"code":-32600,"message":"no rollout found for thread id"}}`, msg.ID)
			return
		}
		put(`{"id":%s,"result":{"thread":{"id":%q,"cliVersion":"0.171.0"},"model":"m","cwd":"/","approvalPolicy":%s,"approvalsReviewer":"user"}}`, msg.ID, thread, policy)
	case "turn/start":
		fakeTurnOf(fault, msg)
	case "turn/steer":
		put(`{"id":%s,"error":{"code":-32600,"message":"no active turn to steer"}}`, msg.ID)
		put(`{"method":"turn/completed","params":{"threadId":%q,"turn":{"id":%q,"status":"completed"}}}`, fakeThread, fakeTurn)
	case "thread/turns/list":
		put(`{"id":%s,"result":{"data":[{"id":"turn-0","status":"completed"},{"id":%q,"status":"failed","error":{"message":"x"}}]}}`, msg.ID, fakeTurn)
		put(`{"method":"turn/completed","params":{"threadId":%q,"turn":{"id":%q,"status":"completed"}}}`, fakeThread, fakeTurn)
	case "turn/interrupt":
		put(`{"id":%s,"result":{}}`, msg.ID)
		put(`{"method":"turn/completed","params":{"threadId":%q,"turn":{"id":%q,"status":"interrupted"}}}`, fakeThread, fakeTurn)
	case "":
		if msg.ID != nil { // an answer to a request of ours, told back for the test to see
			raw, _ := json.Marshal(msg)
			put(`{"method":"warning","params":{"message":%q}}`, "reply "+string(raw))
		}
	}
}

func fakeTurnOf(fault string, msg message) {
	start := fmt.Sprintf(`{"method":"turn/started","params":{"threadId":%q,"turn":{"id":%q,"status":"inProgress"}}}`, fakeThread, fakeTurn)
	end := fmt.Sprintf(`{"method":"turn/completed","params":{"threadId":%q,"turn":{"id":%q,"status":"completed"}}}`, fakeThread, fakeTurn)
	reply := fmt.Sprintf(`{"id":%s,"result":{"turn":{"id":%q,"status":"inProgress"}}}`, msg.ID, fakeTurn)
	switch fault {
	case "swapped":
		put("%s\n%s\n%s", start, end, reply)
	case "garbage":
		put("%s\n%s\n\xff\xfe{broken\n[1,2]\n\n{\"method\":5}\n{\"method\":\"turn/started\",\"params\":\"x\"}\n%s", reply, start, end)
	case "big":
		put("%s\n%s", reply, start)
		put(`{"method":"item/completed","params":{"threadId":%q,"turnId":%q,"item":{"type":"commandExecution","id":"c","status":"completed","exitCode":0,"aggregatedOutput":%q}}}`,
			fakeThread, fakeTurn, strings.Repeat("x", bigOutput))
		put("%s", end)
	case "requests":
		put("%s\n%s", reply, start)
		put(`{"method":"no/such/request","id":"a","params":{"threadId":%q}}`, fakeThread)
		put(`{"method":"item/commandExecution/requestApproval","id":{"odd":1},"params":5}`)
		put(`{"method":"attestation/generate","id":7,"params":{}}`)
		put(`{"method":"item/tool/call","id":8,"params":{"threadId":%q,"tool":"x"}}`, fakeThread)
		put(`{"method":"item/commandExecution/requestApproval","id":9,"params":{"threadId":%q,"turnId":%q,"itemId":"c","command":"x"}}`, fakeThread, fakeTurn)
	case "policy":
		put("%s\n%s", reply, start)
		put(`{"method":"thread/settings/updated","params":{"threadId":%q,"threadSettings":{"approvalPolicy":"never"}}}`, fakeThread)
	case "dies":
		put("%s\n%s", reply, start)
		os.Exit(5)
	case "closes":
		put("%s\n%s", reply, start)
		_ = os.Stdout.Close()
		time.Sleep(time.Minute)
	case "lost-end":
		put("%s\n%s", reply, start)
		put(`{"method":"thread/status/changed","params":{"threadId":%q,"status":{"type":"idle"}}}`, fakeThread)
	case "refuses":
		put(`{"id":%s,"error":{"code":-32600,"message":"thread not found"}}`, msg.ID)
	default:
		put("%s\n%s", reply, start)
	}
}

// startFake starts a fake engine in a fresh project.
func startFake(t *testing.T, fault string, change ...func(*Options, *runtime.Start)) (runtime.Runtime, *watcher, error) {
	t.Helper()
	o := Options{Binary: fakeEngine(t, fault), StateDir: t.TempDir()}
	s := runtime.Start{Session: "s", Dir: t.TempDir(), Provider: runtime.Provider{Key: "key-in-stderr"}}
	for _, f := range change {
		f(&o, &s)
	}
	w := newWatcher(t)
	rt, err := New(o).Start(t.Context(), lease(t), s, w.sink)
	if err == nil {
		t.Cleanup(func() { _ = rt.Stop(t.Context()) })
	}
	return rt, w, err
}
