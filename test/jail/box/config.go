//go:build linux && amd64

package box

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// Config is one box around one command.
type Config struct {
	Root   string // a folder that Make filled
	Policy Policy
	Mode   Mode
	Log    string   // with ModeRecord: where "count name program" lines go, outside the box
	Dir    string   // working directory in the box; "" = FilesDir
	Free   bool     // confine nothing: namespaces only, as a measure for what confinement costs
	Ptrace bool     // allow ptrace, which some vendors deny and some don't
	Flat   bool     // files have no modes, no owners and no links of any kind, as on shared storage
	Host   bool     // keep the host's network, instead of one with nothing but loopback
	Qemu   string   // a static qemu-aarch64 of the host, which runs arm64 programs in the box; "" = none
	Listen []string // TCP addresses in the box's network that the outside serves: see Box.Listeners
	Env    []string // all that the command gets
	Args   []string // Args[0] is a path in the box
}

// rootless says that there is no root to begin with: the box is made in a user namespace.
func rootless() bool { return os.Geteuid() != 0 }

// Box is a command that was started in a box.
type Box struct {
	*exec.Cmd
	// Listeners are those of Config.Listen, in the same order: made inside, accepted from outside. The caller closes them.
	Listeners []net.Listener
}

// stage is how the program knows that it is a stage of a box: see Stage.
const (
	stageEnv  = "KEVA_BOX_STAGE"
	configEnv = "KEVA_BOX"
)

// Command prepares the box; exe is a static program that calls Stage first. The caller sets the standard files, then
// calls Start. When ctx ends, everything in the box is killed.
func (c Config) Command(ctx context.Context, exe string) (*Box, error) {
	if len(c.Args) == 0 || !filepath.IsAbs(c.Root) {
		return nil, fmt.Errorf("a box needs the absolute path of a root, and a command")
	}
	if c.Mode != ModeOff && len(c.Policy.Calls) == 0 {
		return nil, fmt.Errorf("a box in mode %s needs a policy", c.Mode)
	}
	text, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, exe)
	cmd.Env = []string{configEnv + "=" + string(text), stageEnv + "=init"}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS,
		Pdeathsig:  syscall.SIGKILL, Setsid: true,
	}
	if !c.Host {
		cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWNET
	}
	switch {
	case !rootless() && c.Qemu != "": // a table of foreign programs of its own comes with a user namespace only
		all := []syscall.SysProcIDMap{{ContainerID: 0, HostID: 0, Size: 1 << 16}}
		cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings, cmd.SysProcAttr.GidMappings, cmd.SysProcAttr.GidMappingsEnableSetgroups = all, all, true
	case rootless():
		cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: AppUID, HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: AppUID, HostID: os.Getgid(), Size: 1}}
		cmd.SysProcAttr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SYS_CHROOT, unix.CAP_DAC_OVERRIDE}
	}
	return &Box{Cmd: cmd}, nil
}

// Start starts the box and takes its listeners.
func (b *Box) Start() error {
	ours, theirs, err := socketpair()
	if err != nil {
		return err
	}
	defer func() { _ = ours.Close() }()
	b.ExtraFiles = []*os.File{theirs}
	err = b.Cmd.Start()
	_ = theirs.Close()
	if err != nil {
		return fmt.Errorf("this machine makes no namespaces (root, or unprivileged user namespaces, are needed; see docs/userland.md): %w", err)
	}
	if b.Listeners, err = receiveListeners(ours); err != nil {
		_ = b.Process.Kill()
		_ = b.Wait() // the cause is what counts; it is on standard error as well
		return fmt.Errorf("the box was not made: %w", err)
	}
	return nil
}

// Run is Start and Wait.
func (b *Box) Run() error {
	if err := b.Start(); err != nil {
		return err
	}
	return b.Wait()
}
