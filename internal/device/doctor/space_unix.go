//go:build unix

package doctor

import (
	"os"

	"golang.org/x/sys/unix"
)

// freeSpace is what an ordinary user may still write, and what the file system holds in all.
func freeSpace(dir string) (free, total uint64, err error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, 0, err
	}
	return s.Bavail * uint64(s.Bsize), s.Blocks * uint64(s.Bsize), nil
}

// forget removes the file's name while it is open.
func forget(file *os.File) { _ = os.Remove(file.Name()) }
