package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"keva/agent/event"
	"keva/test/jail/drive"
)

// kill runs Keva as a child, kills the victim at its moment, and looks at what is left then and after the next start.
func kill(t drive.Task) (drive.Killed, error) {
	var k drive.Killed
	other := exec.Command("/proc/self/exe", "stranger")
	other.Env = append(os.Environ(), "KEVA_SESSION=another", "KEVA_CHILD=1.another.1")
	other.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := other.Start(); err != nil {
		return k, err
	}
	ended := make(chan struct{})
	go func() {
		_ = other.Wait() // how it ended is told by ended
		close(ended)
	}()
	defer func() { _ = other.Process.Kill() }()

	app, lines, err := start(t)
	if err != nil {
		return k, err
	}
	mine := func() ([]drive.Process, error) { return ours(t.Data, app.Process.Pid) }
	if err := strike(t, app, lines, mine, &k); err != nil {
		_ = app.Process.Kill()
		return k, errors.Join(err, app.Wait())
	}
	switch t.Victim {
	case drive.VictimKeva:
		_ = app.Wait() // killed, and the pipe is read to its end
		if k.After, err = mine(); err != nil {
			return k, err
		}
		next := t
		next.Prompt = ""
		again, lines, err := start(next)
		if err != nil {
			return k, err
		}
		for s := range lines {
			k.Reclaimed = append(k.Reclaimed, s.Reclaimed...)
		}
		if err := again.Wait(); err != nil {
			return k, fmt.Errorf("the next start: %w", err)
		}
	case drive.VictimEngine: // Keva lives, notices, tells, and ends the tools
		for s := range lines {
			if s.Event == nil {
				continue
			}
			switch b := s.Event.Body.(type) {
			case event.Notice:
				k.Told = append(k.Told, b.Text)
			case event.EngineExited:
				k.Told = append(k.Told, fmt.Sprintf("engine %s: %s", b.Class, b.Advice))
			}
			if _, over := s.Event.Body.(event.EngineExited); over {
				break
			}
		}
		if err := app.Wait(); err != nil {
			return k, fmt.Errorf("after its engine was killed, Keva: %w", err)
		}
	default:
		return k, fmt.Errorf("no such victim: %q", t.Victim)
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		if k.Left, err = mine(); err != nil || len(k.Left) == 0 || time.Now().After(deadline) {
			break
		}
	}
	select {
	case <-ended:
	default:
		k.Stranger = true
	}
	return k, err
}

// start runs Keva and reads its lines; the channel is closed when it says no more.
func start(t drive.Task) (*exec.Cmd, <-chan drive.Said, error) {
	text, err := json.Marshal(t)
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.Command("/proc/self/exe", "keva", string(text))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	lines := make(chan drive.Said)
	go func() {
		defer close(lines)
		in := bufio.NewReader(out)
		for {
			line, err := in.ReadBytes('\n')
			var s drive.Said
			switch {
			case err == io.EOF: // a line that the kill cut was not said
				return
			case err != nil, json.Unmarshal(line, &s) != nil:
				fmt.Fprintf(os.Stderr, "driver: read %q: %v\n", line, err)
				return
			}
			lines <- s
		}
	}()
	return cmd, lines, nil
}

// strike follows Keva, and kills the victim once the event was shown and the prompt's commands run.
func strike(t drive.Task, app *exec.Cmd, lines <-chan drive.Said, mine func() ([]drive.Process, error), k *drive.Killed) error {
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	late := time.After(patience)
	for shown := false; ; {
		select {
		case s, open := <-lines:
			if !open {
				return errors.New("it ended before its moment")
			}
			shown = shown || s.Event != nil && s.Event.Body.Kind() == t.When
			continue
		case <-look.C:
		case <-late:
			return fmt.Errorf("the moment did not come within %s; these run: %+v", patience, k.Before)
		}
		if !shown {
			continue
		}
		var err error
		if k.Before, err = mine(); err != nil {
			return err
		}
		if slices.ContainsFunc(t.Running, func(c string) bool { return !drive.Runs(k.Before, c) }) {
			continue
		}
		victim := app.Process.Pid
		if t.Victim == drive.VictimEngine {
			if victim, err = engineOf(app.Process.Pid, k.Before); err != nil {
				return err
			}
		}
		if err := syscall.Kill(victim, syscall.SIGKILL); err != nil {
			return err
		}
		if t.Victim == drive.VictimKeva {
			for range lines { // what it had said
			}
		}
		return nil
	}
}

// engineOf is Keva's only child.
func engineOf(keva int, list []drive.Process) (int, error) {
	var children []int
	for _, p := range list {
		if p.PPID == keva {
			children = append(children, p.PID)
		}
	}
	if len(children) != 1 {
		return 0, fmt.Errorf("%d children of Keva, want one: %+v", len(children), list)
	}
	return children[0], nil
}

func stranger() {
	signal.Ignore(syscall.SIGTERM)
	time.Sleep(time.Hour)
	os.Exit(0)
}

// ours lists the living processes that name data in their environment, which engines have their folders in, and Keva.
func ours(data string, keva int) ([]drive.Process, error) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	var list []drive.Process
	for _, path := range stats {
		p, living := read(path)
		dir := filepath.Dir(path)
		environ, err := os.ReadFile(filepath.Join(dir, "environ"))
		if !living || err != nil && p.PID != keva { // gone, dead, or not this user's
			continue
		}
		if p.PID == os.Getpid() || p.PID != keva && !strings.Contains(string(environ), data) {
			continue
		}
		cmdline, _ := os.ReadFile(filepath.Join(dir, "cmdline")) // for people
		p.Cmdline = strings.TrimSpace(strings.ReplaceAll(string(cmdline), "\x00", " "))
		list = append(list, p)
	}
	return list, nil
}

// read reads a process's line; living is false for one that is gone or only waits to be buried.
func read(path string) (p drive.Process, living bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return p, false
	}
	head, rest, _ := strings.Cut(string(text), " (")
	rest = rest[strings.LastIndexByte(rest, ')')+1:]
	var state string
	var group int
	_, err = fmt.Sscan(head+" "+rest, &p.PID, &state, &p.PPID, &group, &p.Session)
	return p, err == nil && state != "Z" && state != "X"
}
