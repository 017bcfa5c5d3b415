package files

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Fresh is a file under construction beside the name that it will get. It is new: its own name cannot be guessed, so
// nobody has put a link there, and a name that exists is an error. The folder stays open, so that a folder which
// becomes a link meanwhile leads nowhere.
type Fresh struct {
	*os.File
	folder      *os.Root
	temp, final string
}

// Beside is a name, beside that of a file, which nobody can guess.
func Beside(file string) string {
	dir, name := filepath.Split(file)
	return filepath.Join(dir, "."+name[:min(len(name), 100)]+"."+strings.ToLower(rand.Text())+leftover)
}

const leftover = ".saturate-tmp"

// IsLeftover tells of the names that Beside gives.
func IsLeftover(name string) bool {
	parts := strings.Split(strings.TrimSuffix(name, leftover), ".")
	random := parts[len(parts)-1]
	return strings.HasPrefix(name, ".") && strings.HasSuffix(name, leftover) && len(random) == len(rand.Text()) &&
		strings.Trim(random, "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// sweep removes files under construction that a killed process left in a folder and in those directly in it. Nobody
// else may be at work there.
func sweep(dir string) {
	for _, pattern := range []string{".*" + leftover, "*/.*" + leftover} {
		found, _ := fs.Glob(os.DirFS(dir), pattern)
		for _, name := range found {
			if IsLeftover(path.Base(name)) {
				_ = os.Remove(filepath.Join(dir, filepath.FromSlash(name))) // a file: folders have other names
			}
		}
	}
}

// NewFresh makes a file under the name temp in an open folder, which will be final. Both are relative to the folder,
// and links that leave it are refused.
func NewFresh(folder *os.Root, temp, final string, mode fs.FileMode) (*Fresh, error) {
	if err := fault("create", final); err != nil {
		return nil, err
	}
	f, err := folder.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, err
	}
	return &Fresh{f, folder, temp, final}, nil
}

func (f *Fresh) Write(p []byte) (int, error) {
	if err := fault("write", f.final); err != nil {
		n, _ := f.File.Write(p[:len(p)/2]) // as a disk does that fills up
		return n, err
	}
	return f.File.Write(p)
}

// Finish syncs and closes what was written. It has its own name still.
func (f *Fresh) Finish() error { return errors.Join(fault("sync", f.final), f.Sync(), f.Close()) }

// Place gives a finished file its name. SyncFolder makes that last.
func (f *Fresh) Place() error {
	if err := fault("rename", f.final); err != nil {
		return err
	}
	return f.folder.Rename(f.temp, f.final)
}

// Discard takes the file away.
func (f *Fresh) Discard() {
	f.Close()
	_ = f.folder.Remove(f.temp)
}
