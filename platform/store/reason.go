package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/mattn/go-sqlite3"

	"keva/agent/event"
)

// errDamaged is wrapped by what the integrity check finds.
var errDamaged = errors.New("the data file is damaged")

// damaged reports whether err says that the content of the file is not what SQLite wrote.
func damaged(err error) bool {
	var s sqlite3.Error
	if errors.As(err, &s) {
		return s.Code == sqlite3.ErrCorrupt || s.Code == sqlite3.ErrNotADB
	}
	return errors.Is(err, errDamaged)
}

// errGone is a data file that was removed or replaced while it was open.
var errGone = errors.New("the data file was removed while it was open")

// diskReason turns an error of the disk into the reason for keeping data in memory. It is nil for everything that another
// place of storage would not cure: a broken rule of the data, a lock, a cancelled context.
func diskReason(dir string, err error) *event.Error {
	r := &event.Error{Class: event.ClassConfig, Detail: fmt.Sprintf("%s: %v", dir, err)}
	var s sqlite3.Error
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.Is(err, errGone):
		r.Message = "Nothing is being saved: the data file was removed while Keva was running. " +
			"Try again to save everything from this run into a new one."
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.As(err, &s) && s.Code == sqlite3.ErrFull:
		r.Message = "Nothing is being saved: the storage is full. Free some space, then try again."
	case damaged(err):
		r.Message = "Nothing is being saved: the data file is damaged. Try again to put it aside and begin a new one."
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS),
		errors.As(err, &s) && (s.Code == sqlite3.ErrReadonly || s.Code == sqlite3.ErrPerm):
		r.Message = "Nothing is being saved: Keva may not write to its data folder " + dir +
			". Give it the right to, then try again."
	case errors.As(err, &path), errors.As(err, &link), errors.As(err, &s) && (s.Code == sqlite3.ErrCantOpen || s.Code == sqlite3.ErrIoErr):
		r.Message = "Nothing is being saved: the data folder " + dir +
			" can't be used. Check that it exists and that its disk works, then try again."
	default:
		return nil
	}
	return r
}

// openError is for what is wrong with the file but no reason to go on without it.
func openError(dir string, err error) error {
	var known *event.Error
	if errors.As(err, &known) {
		return known
	}
	e := &event.Error{
		Class:   event.ClassConfig,
		Message: "Your saved sessions can't be opened. Nothing was changed.",
		Detail:  fmt.Sprintf("%s: %v", dir, err),
	}
	var s sqlite3.Error
	if errors.As(err, &s) && (s.Code == sqlite3.ErrBusy || s.Code == sqlite3.ErrLocked) {
		e.Message = "Your saved sessions are in use by another program. Close it, then start Keva again."
	}
	return e
}
