package claude

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// TestMain lets the test binary be the engine: a scripted CLI for what the real one can't be made to do.
func TestMain(m *testing.M) {
	if mode := os.Getenv("KEVA_FAKE"); mode != "" {
		fake(mode)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// fake plays a CLI. Its modes before the first word: exits, garbage, silent, lost (nothing to resume), version. After it,
// each prompt says what to do.
func fake(mode string) {
	in := bufio.NewReader(os.Stdin)
	switch mode {
	case "exits":
		fmt.Fprintln(os.Stderr, "fatal: something is missing")
		os.Exit(3)
	case "exits quietly":
		return
	case "garbage":
		fmt.Println("Usage: other-program [options]")
		os.Exit(2)
	case "silent":
		for {
			if _, err := in.ReadString('\n'); err != nil {
				return
			}
		}
	case "lost":
		fmt.Fprintln(os.Stderr, "No conversation found with session ID: s-1")
		say(`{"type":"result","subtype":"error_during_execution","is_error":true,"num_turns":0,"errors":["No conversation found with session ID: s-1"]}`)
		os.Exit(1)
	case "version":
		fmt.Println(os.Getenv("KEVA_FAKE_VERSION"))
		return
	}
	for {
		raw, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var l line
		if decode(bytes.TrimSpace(raw), &l) != nil {
			os.Exit(1)
		}
		switch l.Type {
		case "control_request":
			var r controlRequest
			_ = decode(l.Request, &r)
			say(fmt.Sprintf(`{"type":"control_response","response":{"subtype":"success","request_id":%q,"response":{}}}`, l.RequestID))
			if r.Subtype == "interrupt" {
				say(`{"type":"result","subtype":"error_during_execution","is_error":true,"terminal_reason":"aborted_tools","errors":["[ede_diagnostic] x"]}`)
			}
		case "user":
			var m message
			_ = decode(l.Message, &m)
			bs, _ := blocks(m.Content)
			play(plainText(bs))
		case "control_response":
			text, _ := json.Marshal("answer " + string(bytes.TrimSpace(raw)))
			say(fmt.Sprintf(`{"type":"assistant","message":{"id":"a","content":[{"type":"text","text":%s}]}}`, text))
		}
	}
}

func say(l string) { fmt.Println(l) }

const (
	fakeInit = `{"type":"system","subtype":"init","session_id":"s-1","cwd":"/p","model":"m","permissionMode":"default","claude_code_version":"2.1.197"}`
	fakeEnd  = `{"type":"result","subtype":"success","is_error":false,"terminal_reason":"completed"}`
)

// play does what a prompt says.
func play(prompt string) {
	if prompt != "unsafe mode" {
		say(fakeInit)
	}
	switch {
	case prompt == "big":
		say(`{"type":"assistant","message":{"id":"b","content":[{"type":"text","text":"` + strings.Repeat("x", 20<<20) + `"}]}}`)
		say(fakeEnd)
	case prompt == "broken":
		os.Stdout.Write([]byte("\xff\xfe\x00\n\n{\"type\":\"assistant\"\n[]\n{\"type\":\"from the future\",\"x\":\"\xc3\x28\"}\n"))
		say(fakeEnd)
	case prompt == "ask":
		say(`{"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"make <all> & go"},"tool_use_id":"u1"}}`)
	case prompt == "ask badly":
		say(`{"type":"control_request","request_id":"r2","request":{"subtype":"can_use_tool","tool_name":7}}`)
		say(`{"type":"control_request","request_id":"r3","request":{"subtype":"hook_callback"}}`)
		say(`{"type":"control_request","request_id":"r4","request":"?"}`)
	case prompt == "question":
		say(`{"type":"control_request","request_id":"q1","request":{"subtype":"can_use_tool","tool_name":"AskUserQuestion","input":{"questions":[{"question":"Which?","multiSelect":true,"options":[{"label":"A"},{"label":"B"}]}],"extra":1},"tool_use_id":"u2"}}`)
	case prompt == "close stdout":
		os.Stdout.Close()
		time.Sleep(time.Minute)
	case prompt == "die":
		os.Exit(9)
	case prompt == "unsafe mode":
		say(strings.Replace(fakeInit, "default", "bypassPermissions", 1))
	case prompt == "hang":
	default:
		say(fakeEnd)
	}
}
