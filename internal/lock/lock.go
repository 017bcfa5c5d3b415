// Package lock lets one process at a time work in a folder. The system drops the lock of a process that
// ends, however it ends, so a kill never leaves one behind.
package lock

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ErrBusy says that another process holds the lock.
var ErrBusy = errors.New("another process holds it")

// File takes a file that is open for as long as it stays so, or gives ErrBusy.
func File(f *os.File) error { return take(f, true) }

// Free says whether nobody has taken a file. A file system that knows no locks leaves it open, and false.
func Free(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close() // with it goes what this asking took
	return take(f, false) == nil
}

// Folder takes a folder for this process, by a file named lock in it. The error of a folder that is taken says who may have it.
func Folder(dir, who string) (unlock func(), err error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot take %s: %w", dir, err)
	}
	if err := File(f); err != nil {
		f.Close()
		if errors.Is(err, ErrBusy) {
			return nil, fmt.Errorf("%s is at work in %s (%w); wait for it to end, or choose another folder", who, dir, ErrBusy)
		}
		return nil, fmt.Errorf("cannot take %s: %w", dir, err)
	}
	return func() { f.Close() }, nil
}
