package patch

import (
	"os"
	"path/filepath"

	"saturate/internal/files"
)

// replace gives a file new contents in one step.
func replace(path string, data []byte) error {
	if err := stage(path, data); err != nil {
		_ = os.Remove(beside(path))
		return err
	}
	return swapIn(path)
}

// stage writes and syncs the new contents beside a file, with its permissions and its owner.
func stage(path string, data []byte) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if err := writeSynced(beside(path), data, info.Mode().Perm()); err != nil {
		return err
	}
	keepOwner(beside(path), info)
	return nil
}

// swapIn renames what stage wrote over the file.
func swapIn(path string) error {
	if err := os.Rename(beside(path), path); err != nil {
		_ = os.Remove(beside(path))
		return err
	}
	return files.SyncFolder(filepath.Dir(path))
}

// beside is always the same name for a file, so that finishing an interrupted change uses up what that left.
func beside(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".saturate-tmp")
}

func writeSynced(path string, data []byte, mode os.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(mode) // the umask may have taken bits off
	}
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

func hashOf(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return hash(data)
}
