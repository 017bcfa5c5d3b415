//go:build linux || darwin || freebsd || dragonfly

package files

import "golang.org/x/sys/unix"

// Space is what an ordinary user may still write, and what the file system holds in all. On some systems what is left
// for ordinary users is below nothing once others have taken what was kept back.
func Space(dir string) (free, total uint64, err error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, 0, err
	}
	return uint64(max(s.Bavail, 0)) * uint64(s.Bsize), uint64(s.Blocks) * uint64(s.Bsize), nil
}
