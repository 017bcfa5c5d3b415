package files

import (
	"errors"
	"path/filepath"
	"syscall"
)

// DiskFull reports whether something failed because there is no room left, or none for this user.
func DiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// Room is how many bytes the file system of a folder can take, -1 when nobody knows.
func Room(dir string) int64 {
	free, _, err := Space(dir)
	if err != nil {
		return -1
	}
	return int64(free)
}

// Real is where a path leads, links followed; the path itself where nothing is there.
func Real(path string) string {
	if whole, err := filepath.EvalSymlinks(path); err == nil {
		return whole
	}
	return filepath.Clean(path)
}

// Inside reports whether a path lies in a folder, or is it.
func Inside(path, folder string) bool {
	relative, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(relative)
}
