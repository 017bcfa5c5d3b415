package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// MakeOwn makes a folder for files of our own, which may lie in the user's repository: git ignores what is in it. A
// folder that existed before is the user's, and stays as it is.
func MakeOwn(dir string) error {
	if info, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) && (err != nil || !begun(dir, info)) {
		return os.MkdirAll(dir, 0o700) // says what is wrong where it is not a folder
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return Write(filepath.Join(dir, ".gitignore"), []byte("*\n"))
}

// begun tells of a folder that MakeOwn was killed over: for its owner alone, and nothing finished in it.
func begun(dir string, info fs.FileInfo) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && info.Mode().Perm() == 0o700 && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !IsLeftover(e.Name()) })
}
