package patch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"saturate/internal/files"
	"saturate/internal/human"
)

// Recover finishes what a killed Apply or Undo left in between, and says for each what it did.
//
// The rule: if every file has either its old or its new content, the
// change is finished. A file that is neither was changed by someone else since; then the files that
// have already been swapped are put back, and that one is left alone.
//
// While another process is at work on the journal there is nothing to recover: what it has begun, it ends.
func (j *Journal) Recover() (messages []string, err error) {
	if _, err := os.Stat(j.Dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	unlock, err := j.tryLock()
	if errors.Is(err, errBusy) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer unlock()
	dirs, recs, err := j.changes()
	if err != nil {
		return nil, fmt.Errorf("cannot read the journal %s: %w", j.Dir, err)
	}
	for i, rec := range recs {
		if rec.State != prepared {
			continue
		}
		message, err := j.recover(dirs[i], rec)
		if err != nil {
			return messages, err
		}
		messages = append(messages, message)
	}
	return messages, nil
}

func (j *Journal) recover(dir string, rec record) (string, error) {
	root, err := openPlace(rec.Root)
	if err != nil {
		return "", fmt.Errorf("%s was interrupted and cannot be finished: %w", rec.What, err)
	}
	defer root.Close()
	foreign := ""
	var swapped []int
	for i, f := range rec.Files {
		switch now := root.hash(f); now {
		case f.After:
			swapped = append(swapped, i)
		case f.Before:
		default:
			foreign = f.Path
		}
	}
	if foreign == "" {
		if err := j.swap(root, dir, rec, "after"); err != nil {
			return "", fmt.Errorf("%s was interrupted and cannot be finished: %w", rec.What, err)
		}
		if err := j.mark(dir, rec, applied); err != nil {
			return "", err
		}
		return fmt.Sprintf("%s was interrupted and has now been completed (%s).", rec.What, human.Plural(len(rec.Files),
			"file")), nil
	}
	for _, i := range swapped {
		if err := root.putBack(rec.Files[i], content(dir, "before", i)); err != nil {
			return "", fmt.Errorf("%s was interrupted and cannot be rolled back: %w", rec.What, err)
		}
	}
	for _, f := range rec.Files {
		root.tidy(f)
	}
	if err := j.mark(dir, rec, rolledBack); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s was interrupted, and %s was edited since; the change was rolled back (%s).", rec.What, foreign,
		human.Plural(len(swapped), "file")), nil
}

// putBack gives a file what the journal kept of it.
func (p place) putBack(f file, kept string) error {
	data, err := files.Read(kept, files.MaxSource)
	if err != nil {
		return err
	}
	fresh, err := p.stage(f, data)
	if err != nil {
		return err
	}
	if err := fresh.Place(); err != nil {
		fresh.Discard()
		return err
	}
	return files.SyncFolder(filepath.Dir(f.Path))
}

// ErrNothingToUndo says that no applied change is left for this project.
var ErrNothingToUndo = errors.New("there is nothing to undo")

// Undo takes back what the newest change did to files below root, byte for byte. A file that has
// changed since is refused before anything is touched. Undoing is a change like any other: killed, it is
// finished by Recover.
func (j *Journal) Undo(root string) (paths []string, err error) {
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, fmt.Errorf("cannot undo: %w", err)
	}
	unlock, err := j.lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	dirs, recs, err := j.changes()
	if err != nil {
		return nil, fmt.Errorf("cannot read the journal %s: %w", j.Dir, err)
	}
	type part struct{ change, path string }
	taken := map[part]bool{} // already undone
	for i := len(recs) - 1; i >= 0; i-- {
		rec, id := recs[i], filepath.Base(dirs[i])
		if rec.State != applied {
			continue
		}
		if rec.Undoes != "" {
			for _, f := range rec.Files {
				taken[part{rec.Undoes, f.Path}] = true
			}
			continue
		}
		changes, err := reversed(dirs[i], rec, func(f file) bool { return files.Inside(f.Path, root) && !taken[part{id, f.Path}] })
		if err != nil {
			return nil, err
		}
		if len(changes) == 0 {
			continue
		}
		for _, c := range changes {
			paths = append(paths, c.Path)
		}
		return paths, j.apply(record{Root: rec.Root, What: "undoing " + rec.What, Undoes: id}, changes)
	}
	return nil, ErrNothingToUndo
}

// reversed is the change of some files the other way round.
func reversed(dir string, rec record, wanted func(file) bool) (changes []Change, err error) {
	if !slices.ContainsFunc(rec.Files, wanted) {
		return nil, nil
	}
	root, err := openPlace(rec.Root)
	if err != nil {
		return nil, fmt.Errorf("cannot undo: %w", err)
	}
	defer root.Close()
	for i, f := range rec.Files {
		if !wanted(f) {
			continue
		}
		if root.hash(f) != f.After {
			return nil, fmt.Errorf("%s was edited after the fix; revert your edit first, or use version control", f.Path)
		}
		before, err := files.Read(content(dir, "before", i), files.MaxSource)
		if err != nil {
			return nil, fmt.Errorf("the journal of %s is damaged: %w", f.Path, err)
		}
		after, err := files.Read(content(dir, "after", i), files.MaxSource)
		if err != nil {
			return nil, fmt.Errorf("the journal of %s is damaged: %w", f.Path, err)
		}
		changes = append(changes, Change{Path: f.Path, Old: after, New: before})
	}
	return changes, nil
}
