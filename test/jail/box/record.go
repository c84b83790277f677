//go:build linux && amd64

package box

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// call is what the policy would have trapped: the number, and the program that made the call.
type call struct {
	number  int
	program string
}

// record counts the calls that are outside the policy.
type record struct {
	mu     sync.Mutex
	counts map[call]int
	err    error
}

func newRecord() *record { return &record{counts: map[call]int{}} }

// The structures and requests of seccomp_unotify(2).
type notification struct {
	id          uint64
	pid, flags  uint32
	number      int32
	arch        uint32
	instruction uint64
	args        [6]uint64
}

type response struct {
	id    uint64
	value int64
	errno int32
	flags uint32
}

const (
	notifyReceive = 0xc0502100
	notifySend    = 0xc0182101
	goOn          = 1 // SECCOMP_USER_NOTIF_FLAG_CONTINUE
)

// watch lets every call go on that the policy would trap, and counts it, until the last process is gone.
func (r *record) watch(sock *os.File) {
	files, err := receiveFiles(sock)
	if err == nil && len(files) == 1 {
		_, err = sock.Write([]byte{1})
	}
	if err != nil || len(files) != 1 {
		r.fail(errors.Join(err, errors.New("the command passed no listener")))
		return
	}
	fd := files[0].Fd()
	for {
		var n notification
		if _, _, errno := unix.Syscall(unix.SYS_IOCTL, fd, notifyReceive, uintptr(unsafe.Pointer(&n))); errno != 0 {
			if errno == unix.EINTR || errno == unix.ENOENT { // ENOENT: it was killed meanwhile
				continue
			}
			r.fail(errno)
			return
		}
		exe, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(int(n.pid)), "exe"))
		if err != nil {
			exe = "?"
		}
		r.mu.Lock()
		r.counts[call{int(n.number), filepath.Base(exe)}]++
		r.mu.Unlock()
		answer := response{id: n.id, flags: goOn}
		if _, _, errno := unix.Syscall(unix.SYS_IOCTL, fd, notifySend, uintptr(unsafe.Pointer(&answer))); errno != 0 && errno != unix.ENOENT {
			r.fail(errno)
			return
		}
	}
}

func (r *record) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err = err
}

// write prints "count number program", the most frequent first.
func (r *record) write(w io.Writer) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range slices.SortedFunc(maps.Keys(r.counts), func(a, b call) int {
		return cmp.Or(r.counts[b]-r.counts[a], a.number-b.number, cmp.Compare(a.program, b.program))
	}) {
		if _, err := fmt.Fprintln(w, r.counts[c], c.number, c.program); err != nil {
			return err
		}
	}
	return r.err
}
