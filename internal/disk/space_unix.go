//go:build unix

package disk

import "golang.org/x/sys/unix"

// Space is what an ordinary user may still write, and what the file system holds in all.
func Space(dir string) (free, total uint64, err error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, 0, err
	}
	return s.Bavail * uint64(s.Bsize), s.Blocks * uint64(s.Bsize), nil
}
