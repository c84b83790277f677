package unpack

import (
	"os"
	"syscall"
)

// inode is the identity of a file.
func inode(info os.FileInfo) any {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	return st.Ino
}
