//go:build unix

package lock

import (
	"errors"
	"os"
	"syscall"
)

// File takes a file that is open for as long as it stays so, or gives ErrBusy.
func File(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrBusy
	}
	return err
}
