//go:build !unix

package files

import "io/fs"

const noFollow, noWait = 0, 0

// names is not known here.
func names(fs.FileInfo) uint64 { return 1 }

// Owner is not known here.
func Owner(fs.FileInfo) int { return -1 }
