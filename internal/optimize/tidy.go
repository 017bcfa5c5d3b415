package optimize

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"saturate/internal/run"
	"saturate/internal/verify"
)

const tidied = "the program does not start twice in one folder, so its own output was removed from the copy before each run"

// execute runs a program of a measurement. What runs leave in the copy stays there, for it may be data that was downloaded; but
// where a program does not start because of it, as one that will not overwrite its checkpoints, it is removed before each run.
func (p *protocol) execute(ctx context.Context, t verify.Trial) (run.Run, error) {
	if p.state.Tidy {
		p.sweep(t.Dir)
	}
	r, err := p.Execute(ctx, t)
	if err != nil || p.state.Tidy || started(r) || !p.sweep(t.Dir) {
		return r, err
	}
	again, err := p.Execute(ctx, t)
	if err == nil && started(again) {
		err = p.tidy()
	}
	return again, err
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
	if err := run(); err != nil {
		return err
	}
	return p.tidy()
}

func started(r run.Run) bool { return r.ExitCode == nil || *r.ExitCode == 0 || len(r.Steps) > 0 }

// tidy remembers that leftovers have to be removed.
func (p *protocol) tidy() error {
	p.state.Tidy = true
	p.state.Notes = append(p.state.Notes, tidied)
	p.result.Notes = append(p.result.Notes, tidied)
	return p.save()
}

// sweep removes what programs have written into a copy since it was made, and tells whether there was anything. What is in the
// user's folder too stays, and what repairs brought.
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
