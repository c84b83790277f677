package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"keva/agent/onboarding"
	"keva/agent/session"
	"keva/engines/core"
)

// Android's storage is a real file system here, of 160 MB, in a mount namespace of its own: what is full is really full.
func TestStorageFull(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleEnv+"="+roleFull, "KEVA_HOME="+t.TempDir(), "KEVA_PACK="+writePack(t, "one", 4), "NEXT_PACK="+writePack(t, "two", 48))
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNS}
	if os.Getuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	}
	out, err := cmd.CombinedOutput()
	text := strings.TrimSpace(string(out))
	if reason, refused := strings.CutPrefix(text, "refused: "); refused || text == "" && err != nil {
		t.Fatalf("no file system of its own for this test (%v %s): run it as root, or allow user namespaces (sysctl kernel.apparmor_restrict_unprivileged_userns=0)", err, reason)
	}
	if err != nil || text != "ok" {
		t.Errorf("%v: %s", err, text)
	}
}

// full is TestStorageFull inside of the namespace. It prints what went wrong, or ok.
func full() {
	if err := inFull(context.Background()); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("ok")
}

func inFull(ctx context.Context) error {
	home := os.Getenv("KEVA_HOME")
	if err := unix.Mount("none", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("refused: %w", err)
	}
	if err := unix.Mount("keva", home, "tmpfs", 0, "size=160m"); err != nil {
		return fmt.Errorf("refused: %w", err)
	}
	c, _, err := open(ctx)
	if err != nil {
		return err
	}
	quiet := func(onboarding.Progress) {}
	if err := c.Unpack(ctx, quiet); err != nil {
		return fmt.Errorf("with room: %w", err)
	}
	dir := filepath.Join(home, "project")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	s, err := c.Service.Create(ctx, session.New{Dir: dir, Engine: "claude", Provider: "demo"})
	if err != nil {
		return err
	}
	s.SetDraft("half a thought")
	c.Close()
	// The app is updated, and there is no room for its tools.
	if err := os.Setenv("KEVA_PACK", os.Getenv("NEXT_PACK")); err != nil {
		return err
	}
	if c, _, err = open(ctx); err != nil {
		return err
	}
	defer func() { c.Close() }()
	photos := filepath.Join(home, "photos")
	if err := leave(home, photos, 60<<20); err != nil {
		return err
	}
	if err := missing(c.Unpack(ctx, quiet)); err != nil {
		return err
	}
	if err := old(ctx, c); err != nil {
		return fmt.Errorf("without room: %w", err)
	}
	// There is room when it begins, and something else takes it meanwhile.
	if err := os.Remove(photos); err != nil {
		return err
	}
	var taken error
	once := false
	err = c.Unpack(ctx, func(p onboarding.Progress) {
		if p.Done > 2<<20 && !once {
			once = true
			taken = leave(home, photos, 1<<20)
		}
		if !once {
			everyStep()
		}
	})
	if err == nil || taken != nil || !strings.Contains(err.Error(), "ran full") || !strings.Contains(err.Error(), "kept") {
		return fmt.Errorf("run full in the middle: %v; filled: %v (%v)", err, once, taken)
	}
	if err := old(ctx, c); err != nil {
		return fmt.Errorf("run full in the middle: %w", err)
	}
	if err := missing(c.Unpack(ctx, quiet)); err != nil {
		return fmt.Errorf("tried again while it is full: %w", err)
	}
	// The user deletes photos: it goes on from where it was.
	if err := os.Remove(photos); err != nil {
		return err
	}
	first := int64(-1)
	if err := c.Unpack(ctx, func(p onboarding.Progress) {
		if first < 0 && p.Done > 0 {
			first = p.Done
		}
	}); err != nil {
		return fmt.Errorf("with room again: %w", err)
	}
	if got := c.Tools(ctx); got != onboarding.ToolsReady || word() != "two" || first < 2<<20 {
		return fmt.Errorf("with room again the tools are %q, say %q, and began at %d bytes", got, word(), first)
	}
	return nil
}

// leave fills the file system until about n bytes are free.
func leave(home, file string, n int64) error {
	var st unix.Statfs_t
	if err := unix.Statfs(home, &st); err != nil {
		return err
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	err = unix.Fallocate(int(f.Fd()), 0, 0, int64(st.Bavail)*st.Bsize-n)
	return errors.Join(err, f.Close())
}

var megabytes = regexp.MustCompile(`(\d+) MB are needed, (\d+) MB are free. Free (\d+) MB`)

// missing fails unless err says how much is missing, and says it right.
func missing(err error) error {
	if err == nil {
		return errors.New("it was unpacked without room")
	}
	m := megabytes.FindStringSubmatch(err.Error())
	if m == nil {
		return fmt.Errorf("it does not say how much is missing: %w", err)
	}
	var n [3]int
	for i := range n {
		if n[i], err = strconv.Atoi(m[i+1]); err != nil {
			return err
		}
	}
	if n[0] <= n[1] || n[2] < n[0]-n[1]-1 || n[2] > n[0]-n[1]+1 {
		return fmt.Errorf("the numbers make no sense: %s", m[0])
	}
	return nil
}

// old fails unless the tools of before the update are in use and all else is there.
func old(ctx context.Context, c *core.Core) error {
	if got := c.Tools(ctx); got != onboarding.ToolsOutdated || word() != "one" {
		return fmt.Errorf("the tools are %q and say %q", got, word())
	}
	list, err := c.Service.Sessions(ctx)
	if err != nil || len(list) != 1 || list[0].Draft != "half a thought" {
		return fmt.Errorf("the sessions are %+v: %w", list, errors.Join(err, c.Store.Ephemeral()))
	}
	return nil
}
