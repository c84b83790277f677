package nameserver

import (
	"errors"
	"os"
	"path/filepath"

	"keva/agent/event"
)

// Announce writes a resolv.conf that names this server with its port. The userland's own library and c-ares (Node, Bun)
// take a port there; glibc by itself and musl don't, and an app can't have port 53. The port is another one after each
// start, so the file must be written anew then.
func (s *Server) Announce(path string) error {
	failed := func(err error) error {
		return &event.Error{
			Class:   event.ClassConfig,
			Message: "The userland could not be told where to look names up. Programs that do so by themselves will not find any; check free space.",
			Detail:  err.Error(),
		}
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".resolv.conf-*")
	if err != nil {
		return failed(err)
	}
	_, err = tmp.WriteString("# Written by Keva at each start.\nnameserver " + s.Addr() + "\n")
	err = errors.Join(err, tmp.Chmod(0o644), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(tmp.Name()) // the first error tells more
		return failed(err)
	}
	return nil
}
