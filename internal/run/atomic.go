package run

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/google/uuid"
)

// writeWhole writes a file so that a reader sees the old content or the new, never half of it:
// under another name first, flushed to the disk, then renamed.
func writeWhole(path string, data []byte) error {
	temp, err := os.OpenFile(filepath.Join(filepath.Dir(path), ".tmp-"+uuid.NewString()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = temp.Write(data)
	err = errors.Join(err, temp.Sync(), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		os.Remove(temp.Name())
		return err
	}
	syncFolder(filepath.Dir(path))
	return nil
}

// syncFolder flushes a folder's entries. Not every file system can; the files themselves are flushed anyway.
func syncFolder(dir string) {
	if f, err := os.Open(dir); err == nil {
		f.Sync()
		f.Close()
	}
}
