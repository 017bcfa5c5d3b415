package files

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ErrBusy says that another process holds the lock.
var ErrBusy = errors.New("used by another process")

// Lock takes a file that is open for as long as it stays so, or gives ErrBusy.
func Lock(f *os.File) error { return take(f, true) }

// Unlocked says whether nobody has taken a file. A file system that knows no locks leaves it open, and false.
func Unlocked(path string) bool {
	f, err := Open(path)
	if err != nil {
		return false
	}
	defer f.Close() // with it goes what this asking took
	return take(f, false) == nil
}

// LockFolder takes a folder for this process, by a file named lock in it, and removes what a killed one has left under
// construction there. The error of a folder that is taken says who may have it.
func LockFolder(dir, who string) (unlock func(), err error) {
	f, err := OpenOwn(filepath.Join(dir, "lock"), Private)
	if err != nil {
		return nil, fmt.Errorf("cannot lock %s: %w", dir, err)
	}
	if err := Lock(f); err != nil {
		f.Close()
		if errors.Is(err, ErrBusy) {
			return nil, fmt.Errorf("%s is running in %s (%w); wait for it to end, or choose another folder", who, dir, ErrBusy)
		}
		return nil, fmt.Errorf("cannot lock %s: %w", dir, err)
	}
	sweep(dir)
	return func() { f.Close() }, nil
}
