package patch

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"saturate/internal/files"
)

// A place is an open project folder. What is read and written goes through it, so that no link leads out of it.
type place struct {
	*os.Root
	path string // absolute, links resolved
}

func openPlace(root string) (place, error) {
	root, err := filepath.Abs(root)
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil {
		return place{}, err
	}
	folder, err := os.OpenRoot(root)
	return place{folder, root}, err
}

// within is a file's path relative to the place, links followed. One that leads out is refused.
func (p place) within(path string) (relative string, err error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.path, path)
	}
	real, err := filepath.EvalSymlinks(path) // the link stays, its target changes
	if err != nil {
		return "", fmt.Errorf("cannot change %s: %w", path, err)
	}
	if !files.Inside(real, p.path) {
		return "", fmt.Errorf("nothing was changed: %s is a link out of %s to %s; name that "+
			"file itself, or leave the link out with --exclude", path, p.path, real)
	}
	return filepath.Rel(p.path, real)
}

// read reads a file of the place.
func (p place) read(relative string) ([]byte, error) {
	f, err := p.Open(relative)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return files.ReadAll(f, files.MaxSource)
}

func (p place) hash(f file) string {
	relative, err := p.within(f.Path)
	if err != nil {
		return ""
	}
	data, err := p.read(relative)
	if err != nil {
		return ""
	}
	return hash(data)
}

// stage writes and syncs the new contents beside a file, with its permissions and its owner. The name that it has until
// then is in the record, so that finishing an interrupted change takes away what that left.
func (p place) stage(f file, data []byte) (*files.Fresh, error) {
	final, err := p.within(f.Path)
	if err != nil {
		return nil, err
	}
	info, err := p.Stat(final)
	if err != nil {
		return nil, err
	}
	temp := filepath.Join(filepath.Dir(final), f.Staged)
	_ = p.Remove(temp)
	fresh, err := files.NewFresh(p.Root, temp, final, info.Mode().Perm())
	if err != nil {
		return nil, err
	}
	if err := fill(fresh, data, info); err != nil {
		fresh.Discard()
		return nil, err
	}
	return fresh, nil
}

func fill(fresh *files.Fresh, data []byte, like fs.FileInfo) error {
	if _, err := fresh.Write(data); err != nil {
		return err
	}
	keepOwner(fresh.File, like)
	if err := fresh.Chmod(like.Mode().Perm()); err != nil { // the umask may have taken bits off
		return err
	}
	return fresh.Finish()
}

// tidy takes away what an interrupted change left beside a file.
func (p place) tidy(f file) {
	if relative, err := filepath.Rel(p.path, filepath.Join(filepath.Dir(f.Path), f.Staged)); err == nil && f.Staged != "" {
		_ = p.Remove(relative)
	}
}
