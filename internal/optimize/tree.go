package optimize

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"saturate/internal/files"
	"saturate/internal/probe"
	"saturate/internal/verify"
)

// tree is a copy of the user's project: trees/NAME/<its folder's name>. Beside it stand links to what stands beside
// the original, so that ../data is found; in a repository, also ../../data.
type tree struct{ name, dir string }

// home is where the modules of a tree's program have to come from: not from the user's project, though Python may find
// that.
func (p *protocol) home(t tree) probe.Home {
	return probe.Home{Root: t.dir, Moves: []probe.Move{{From: p.Dir, To: t.dir}}}
}

// watched is home with all sources of a tree, so that the program tells which of them it imports, and which of their lines
// it passes over.
func (p *protocol) watched(t tree) probe.Home {
	home := p.home(t)
	home.Lines = true
	v, err := p.variant(t)
	if err != nil {
		return home // what it imports is not known then
	}
	for name := range v.Sources {
		if filepath.Ext(name) == ".py" {
			home.Changed = append(home.Changed, filepath.ToSlash(name))
		}
	}
	slices.Sort(home.Changed)
	return home
}

// variant is the program of a tree, to be measured.
func (p *protocol) variant(t tree) (verify.Variant, error) {
	v, err := verify.InFolder(t.name, t.dir, p.commandOf(t.name))
	v.Origin = p.Dir
	return v, err
}

// passedOver are folders that belong to the place they are in, or that a program makes anew.
var passedOver = []string{".git", ".hg", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", "node_modules"}

// Larger files than largestCopied are linked once more than mostCopied bytes have been copied.
const (
	largestCopied = 16 << 20
	mostCopied    = 4 << 30
)

// plant copies the user's project.
func plant(from, parent, state string) (notes []string, err error) {
	into := filepath.Join(parent, filepath.Base(from))
	if err := errors.Join(os.RemoveAll(parent), os.MkdirAll(into, 0o755)); err != nil {
		return nil, fmt.Errorf("cannot make a folder for a copy of the project: %w", err)
	}
	linkBeside(from, parent, state)
	if _, err := os.Stat(filepath.Join(filepath.Dir(filepath.Dir(from)), ".git")); err == nil {
		linkBeside(filepath.Dir(from), filepath.Dir(parent), state)
	}
	var c copier
	if err := c.copy(from, into); err != nil {
		return nil, fmt.Errorf("cannot copy the project: %w", err)
	}
	if len(c.linked) > 0 {
		notes = append(notes, fmt.Sprintf("large files were linked, not copied; a program that writes to them changes yours: %s", strings.Join(c.linked[:min(3, len(c.linked))], ", ")))
	}
	return notes, nil
}

// linkBeside puts links to what stands beside a folder of the user's into another folder, as far as their names are
// free there: a convenience.
func linkBeside(from, into, state string) {
	siblings, _ := os.ReadDir(filepath.Dir(from))
	for _, s := range siblings {
		path := filepath.Join(filepath.Dir(from), s.Name())
		if s.Name() != filepath.Base(from) && !files.Inside(state, path) {
			_ = os.Symlink(path, filepath.Join(into, s.Name()))
		}
	}
}

// graft copies a tree of our own, to change it. Files that were made for a repair are shared: they are never changed in
// place.
func graft(from, to tree, shared []string) error {
	if err := os.RemoveAll(filepath.Dir(to.dir)); err != nil {
		return err
	}
	siblings, err := os.ReadDir(filepath.Dir(from.dir))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to.dir, 0o755); err != nil {
		return err
	}
	for _, s := range siblings {
		if target, err := os.Readlink(filepath.Join(filepath.Dir(from.dir), s.Name())); err == nil {
			_ = os.Symlink(target, filepath.Join(filepath.Dir(to.dir), s.Name()))
		}
	}
	c := copier{shared: shared}
	return c.copy(from.dir, to.dir)
}

type copier struct {
	shared []string // names of folders whose files are hard links
	copied int64
	linked []string
}

func (c *copier) copy(from, into string) error {
	// Folders that hold copies of this very project would make each copy larger than the one before.
	leftOut := func(path string, d fs.DirEntry) bool {
		return path != from && (slices.Contains(passedOver, d.Name()) || files.Inside(into, path) || verify.Own(path))
	}
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		to := filepath.Join(into, name)
		info, err := d.Info()
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // it went away meanwhile
		case err != nil:
			return err
		case d.IsDir() && leftOut(path, d):
			return filepath.SkipDir
		case d.IsDir() && isEnvironment(path):
			if err := os.Symlink(path, to); err != nil {
				return err
			}
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(to, 0o755)
		case info.Mode()&fs.ModeSymlink != 0:
			return c.link(from, path, to)
		case !info.Mode().IsRegular():
			return nil
		case c.isShared(name):
			if os.Link(path, to) == nil {
				return nil
			}
		case info.Size() > largestCopied && c.copied+info.Size() > mostCopied:
			c.linked = append(c.linked, name)
			return os.Symlink(path, to)
		}
		c.copied += info.Size()
		return copyFile(path, to, info)
	})
}

// link copies a link. One that leads out of the project by a relative way is made absolute: the copy stands elsewhere.
func (c *copier) link(from, path, to string) error {
	target, err := os.Readlink(path)
	if err != nil {
		return err
	}
	if whole := filepath.Join(filepath.Dir(path), target); !filepath.IsAbs(target) && !files.Inside(whole, from) {
		target = whole
	}
	return os.Symlink(target, to)
}

// isEnvironment reports a folder with Python packages, which a program does not change and which may take gigabytes.
func isEnvironment(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "pyvenv.cfg"))
	return err == nil
}

func (c *copier) isShared(name string) bool {
	first, _, _ := strings.Cut(filepath.ToSlash(name), "/")
	return slices.Contains(c.shared, first)
}

// copyFile copies content, mode and time of change: caches know files by it.
func copyFile(from, to string, info fs.FileInfo) error {
	in, err := files.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := files.Create(to, info.Mode().Perm()|0o200)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in) // the kernel shares the blocks where the file system can
	return errors.Join(err, out.Close(), os.Chtimes(to, info.ModTime(), info.ModTime()))
}

// size of folders in a tree, as far as they can be read.
func (t tree) size(folders []string) int64 {
	var sum int64
	for _, name := range folders {
		_ = filepath.WalkDir(filepath.Join(t.dir, name), func(_ string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil
			}
			if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
				sum += info.Size()
			}
			return nil
		})
	}
	return sum
}
