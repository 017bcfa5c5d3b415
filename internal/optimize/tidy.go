package optimize

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"saturate/internal/files"
	"saturate/internal/run"
	"saturate/internal/verify"
)

// execute runs a program of a measurement, in a copy that is as the user has the project: what an earlier run left
// there is removed, so that a repair that only works on leftovers fails. Files that repairs added stay.
func (p *protocol) execute(phase Phase) verify.Execute {
	execute := p.Screen
	if phase == Proving {
		execute = p.Execute
	}
	return func(ctx context.Context, t verify.Trial) (run.Run, error) {
		p.clean(t.Dir)
		return execute(ctx, t)
	}
}

// prepare runs a command that makes files in folders, which starts the same program.
func (p *protocol) prepare(ctx context.Context, t tree, command, folders []string) error {
	run := func() error {
		return p.inTime(ctx, func(ctx context.Context) error { return p.Prepare(ctx, p.home(t), command) })
	}
	err := run()
	begun := slices.ContainsFunc(folders, func(folder string) bool { _, err := os.Stat(folder); return err == nil })
	if err == nil || begun || ctx.Err() != nil || p.expired() || !p.sweep(t.dir) {
		return err
	}
	return run()
}

// clean restores a copy to its state before the program ran: new files are removed, and project files that were changed
// or removed are restored.
func (p *protocol) clean(dir string) {
	p.sweep(dir)
	p.restore(dir)
}

// restore restores the project files that a program has changed or removed in a copy, as the repairs left them.
func (p *protocol) restore(dir string) {
	made := map[string]bool{}
	for _, r := range append(slices.Clone(p.state.Rungs), p.trying) {
		for _, name := range r.Files {
			made[name] = true
		}
	}
	var c copier
	_ = filepath.WalkDir(p.Dir, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(p.Dir, path)
		if err != nil || name == "." {
			return nil
		}
		if d.IsDir() && (slices.Contains(passedOver, d.Name()) || isEnvironment(path) || verify.Own(path) || files.Inside(p.State, path)) {
			return filepath.SkipDir
		}
		info, err := d.Info()
		if to := filepath.Join(dir, name); err == nil && !made[filepath.ToSlash(name)] {
			if info.Mode()&fs.ModeSymlink == 0 {
				bringBack(path, to, info)
			} else if _, err := os.Lstat(to); err != nil {
				_ = c.link(p.Dir, path, to)
			}
		}
		return nil
	})
}

// bringBack copies a file where the copy is gone or another. What cannot be brought back, the run shows.
func bringBack(path, to string, info fs.FileInfo) {
	have, err := os.Lstat(to)
	same := err == nil && (have.Mode()&fs.ModeSymlink != 0 || have.Size() == info.Size() && have.ModTime().Equal(info.ModTime()))
	if same || !info.Mode().IsRegular() {
		return
	}
	if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return
	}
	if os.MkdirAll(filepath.Dir(to), 0o755) == nil {
		_ = copyFile(path, to, info)
	}
}

// sweep removes the files that programs have written into a copy since it was made, and reports whether there were any.
// Files that are also in the user's folder, and those that repairs added, stay.
func (p *protocol) sweep(dir string) bool {
	var ours, shared []string
	for _, r := range append(slices.Clone(p.state.Rungs), p.trying) {
		ours, shared = append(ours, r.Files...), append(shared, r.Shared...)
	}
	found := false
	var folders []string
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		if err != nil || name == "." {
			return nil
		}
		if d.IsDir() && (slices.Contains(passedOver, d.Name()) || slices.Contains(shared, filepath.ToSlash(name))) {
			return filepath.SkipDir
		}
		info, err := d.Info()
		if err != nil || info.ModTime().Before(p.state.Begun) || slices.Contains(ours, filepath.ToSlash(name)) {
			return nil
		}
		if _, err := os.Lstat(filepath.Join(p.Dir, name)); err == nil {
			return nil
		}
		if d.IsDir() {
			folders = append(folders, path)
		} else {
			found = os.Remove(path) == nil || found
		}
		return nil
	})
	for _, folder := range slices.Backward(folders) {
		found = os.Remove(folder) == nil || found // fails where something is left in it
	}
	return found
}

// now is the time by the clock of the file system, which may be a little behind.
func now() time.Time { return time.Now().Add(-2 * time.Second) }
