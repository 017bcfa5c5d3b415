// Package files reads and writes files in folders that others may have filled.
//
//	whole.go    written beside, synced, renamed: a reader sees the old file or the new one, never half of either
//	fresh.go    a new file with a name that nobody can guess: every writer's first step
//	own.go      files that keep a known name: locks, journals, outputs under construction
//	ignored.go  folders of our own in the user's repository
//	read.go     regular files of a bounded size
//	lock*.go    one process at a time in a folder
//	place.go    where a path leads, and whether it lies in a folder
//	space_*.go  how much room there is
package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

const (
	Shared  fs.FileMode = 0o644 // a file for whoever may read the folder
	Private fs.FileMode = 0o600 // a file that may hold what is not for others
)

// Write makes a file of the data.
func Write(path string, data []byte) error { return WriteMode(path, data, Shared) }

// WriteMode is Write for a file with other permissions.
func WriteMode(path string, data []byte, mode fs.FileMode) error {
	_, err := stream(path, mode, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	return err
}

// Stream makes a file of what content writes, and says how long it became.
func Stream(path string, content func(io.Writer) error) (size int64, err error) {
	return stream(path, Shared, content)
}

func stream(path string, mode fs.FileMode, content func(io.Writer) error) (size int64, err error) {
	folder, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return 0, err
	}
	defer folder.Close()
	name := filepath.Base(path)
	f, err := NewFresh(folder, Beside(name), name, mode)
	if err != nil {
		return 0, err
	}
	err = content(f)
	if err == nil {
		size, err = f.Seek(0, io.SeekCurrent)
	}
	if err = errors.Join(err, f.Finish()); err == nil {
		err = f.Place()
	}
	if err != nil {
		f.Discard()
		return 0, err
	}
	_ = SyncFolder(filepath.Dir(path))
	return size, nil
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
