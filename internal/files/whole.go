// Package files writes files that appear whole or not at all, and answers questions about places for them.
//
//	whole.go    written beside, synced, renamed: a reader sees the old file or the new one, never half of either
//	lock*.go    one process at a time in a folder
//	place.go    where a path leads, and whether it lies in a folder
//	space_*.go  how much room there is
package files

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
)

// Write makes a file of the data.
func Write(path string, data []byte) error {
	_, err := Stream(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	return err
}

// Stream makes a file of what content writes, and says how long it became.
func Stream(path string, content func(io.Writer) error) (size int64, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return 0, err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	err = content(f)
	if err == nil {
		size, err = f.Seek(0, io.SeekCurrent)
	}
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err == nil {
		_ = SyncFolder(filepath.Dir(path))
	}
	return size, err
}

// SyncFolder makes new names in a folder last. Not every file system can, and the files themselves are flushed
// anyway, so most callers pass over its error; Windows has no such call and needs none.
func SyncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
