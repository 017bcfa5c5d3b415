//go:build unix

package patch

import (
	"os"
	"syscall"
)

// keepOwner lets a file that root changes stay its owner's. Where it may not, the file is the user's own anyway.
func keepOwner(f *os.File, info os.FileInfo) {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(s.Uid), int(s.Gid))
	}
}
