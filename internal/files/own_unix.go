//go:build unix

package files

import (
	"io/fs"
	"syscall"
)

const (
	noFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK
	noWait   = syscall.O_NONBLOCK // opening a FIFO waits for nobody
)

// names is how many names a file has.
func names(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Nlink)
	}
	return 1
}

// Owner is whose file it is, -1 where nobody knows.
func Owner(info fs.FileInfo) int {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(s.Uid)
	}
	return -1
}
