package shard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"saturate/internal/files"
)

// folder is a store in a folder that all workers see.
type folder struct{ dir string }

// scratchName is where shards are under construction: on the same file system as their final place.
const scratchName = "work"

func (f *folder) Place() string { return f.dir }

func (f *folder) path(name string) string { return filepath.Join(f.dir, filepath.FromSlash(name)) }

func (f *folder) Stat(_ context.Context, name string) (Info, error) {
	info, err := os.Stat(f.path(name))
	if err != nil {
		return Info{}, err
	}
	return Info{Name: name, Bytes: info.Size()}, nil
}

func (f *folder) Read(_ context.Context, name string, at, length int64) (io.ReadCloser, error) {
	file, err := files.Open(f.path(name))
	if err != nil {
		return nil, err
	}
	if length < 0 {
		length = 1<<63 - 1 - at
	}
	return struct {
		io.Reader
		io.Closer
	}{io.NewSectionReader(file, at, length), file}, nil
}

func (f *folder) Part(ctx context.Context, known Info, at, length int64) (io.ReadCloser, error) {
	return f.Read(ctx, known.Name, at, length)
}

// Local is where a file lies: nobody has to copy it first.
func (f *folder) Local(name string) string { return f.path(name) }

func (f *folder) List(ctx context.Context, under string, each func(Info) error) error {
	top := f.path(under)
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case d.IsDir():
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return nil // gone meanwhile
		}
		rel, err := filepath.Rel(f.dir, path)
		if err != nil {
			return err
		}
		return each(Info{Name: filepath.ToSlash(rel), Bytes: info.Size()})
	})
	return err
}

// Publish syncs the file and gives it a second name, which fails where the name is taken: that makes one of two workers
// the first.
func (f *folder) Publish(_ context.Context, name, file string) (bool, error) {
	final := f.path(name)
	if err := f.ready(final, file); err != nil {
		return false, err
	}
	err := linkNew(file, final)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("cannot publish %s: %w", final, err)
	}
	if err := files.SyncFolder(filepath.Dir(final)); err != nil {
		return false, fmt.Errorf("cannot sync %s: %w", filepath.Dir(final), err)
	}
	return true, nil
}

func (f *folder) Replace(_ context.Context, name, file string) error {
	final := f.path(name)
	if err := f.ready(final, file); err != nil {
		return err
	}
	in, err := files.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	_, err = files.Stream(final, func(w io.Writer) error {
		_, err := io.Copy(w, in)
		return err
	})
	return err
}

func (f *folder) ready(final, file string) error {
	in, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(in.Sync(), in.Close()); err != nil {
		return fmt.Errorf("cannot sync %s: %w", file, err)
	}
	return os.MkdirAll(filepath.Dir(final), 0o755)
}

func (f *folder) Scratch(work string) (string, error) {
	parent := filepath.Join(f.dir, scratchName)
	for try := 0; ; try++ {
		if err := os.MkdirAll(parent, 0o755); err != nil {
			return "", fmt.Errorf("cannot create the working folder: %w", err)
		}
		dir, err := os.MkdirTemp(parent, work+".*")
		if errors.Is(err, fs.ErrNotExist) && try < 100 {
			continue // another worker found the parent empty and removed it
		}
		return dir, err
	}
}

// Sweep removes what killed workers left. A worker that still makes the same shard finds it published.
func (f *folder) Sweep(work string) {
	dir := filepath.Join(f.dir, scratchName)
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), work+".") {
			os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
	os.Remove(dir) // when it is empty
}
