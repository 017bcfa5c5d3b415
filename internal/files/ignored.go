package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// MakeOwn makes a folder for files of our own, which may lie in the user's repository: git ignores what is in it. A folder
// that existed before is the user's, and stays as it is.
func MakeOwn(dir string) error {
	_, err := os.Stat(dir)
	if !errors.Is(err, fs.ErrNotExist) {
		return os.MkdirAll(dir, 0o700) // says what is wrong where it is not a folder
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return Write(filepath.Join(dir, ".gitignore"), []byte("*\n"))
}
