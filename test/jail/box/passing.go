//go:build linux && amd64

package box

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// socketpair is what the outside and the first process of the box talk over, once.
func socketpair() (a, b *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	return os.NewFile(uintptr(fds[0]), "box"), os.NewFile(uintptr(fds[1]), "box"), nil
}

// sendFiles passes descriptors; none is a message as well.
func sendFiles(to *os.File, fds []int) error {
	return unix.Sendmsg(int(to.Fd()), []byte{byte(len(fds))}, unix.UnixRights(fds...), nil, 0)
}

// receiveFiles is the other end. It waits; io.EOF means that the other side is gone.
func receiveFiles(from *os.File) ([]*os.File, error) {
	buf, oob := make([]byte, 1), make([]byte, unix.CmsgSpace(16*4))
	n, on, _, _, err := unix.Recvmsg(int(from.Fd()), buf, oob, unix.MSG_CMSG_CLOEXEC)
	switch {
	case err != nil:
		return nil, err
	case n == 0:
		return nil, io.EOF
	case buf[0] == 0:
		return nil, nil
	}
	messages, err := unix.ParseSocketControlMessage(oob[:on])
	if err != nil || len(messages) != 1 {
		return nil, errors.Join(err, fmt.Errorf("%d control messages", len(messages)))
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return nil, err
	}
	var files []*os.File
	for _, fd := range fds {
		files = append(files, os.NewFile(uintptr(fd), "passed"))
	}
	return files, nil
}

func receiveListeners(from *os.File) ([]net.Listener, error) {
	files, err := receiveFiles(from)
	if errors.Is(err, io.EOF) {
		return nil, errors.New("its first process ended early")
	}
	if err != nil {
		return nil, err
	}
	var list []net.Listener
	for _, f := range files {
		l, err := net.FileListener(f)
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
		list = append(list, l)
	}
	return list, nil
}
