package patch

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"saturate/internal/files"
)

// Journal makes changes of many files all or nothing, and takes them back.
//
// One change is a folder in the journal's own place, never in the user's tree:
//
//	<dir>/<time>-<random>/before/0 …   the old bytes, synced
//	                     /after/0 …    the new bytes, synced
//	                     /record.json  which files, and how far it is; always whole
//
// Apply writes before, after and the record ("prepared"), lays each new file down beside its target, then
// renames one after the other into place, then marks the record "applied". Even if it is killed, the record
// says what Recover has to do: from "prepared" on, every file can be finished or put back.
type Journal struct {
	Dir string
	Now func() time.Time // time.Now when nil

	crash func(point string) error // tests stop the work here
}

// record is one change on disk.
type record struct {
	State  string `json:"state"`            // prepared, applied, rolled back
	Root   string `json:"root"`             // the project, for Undo
	What   string `json:"what"`             // for the message after a crash
	Undoes string `json:"undoes,omitempty"` // the change that this one takes back
	Files  []file `json:"files"`
}

type file struct {
	Path   string `json:"path"`   // absolute, symbolic links resolved
	Staged string `json:"staged"` // the name beside it under which the new bytes are laid down
	Before string `json:"before_sha256"`
	After  string `json:"after_sha256"`
}

const (
	prepared   = "prepared"
	applied    = "applied"
	rolledBack = "rolled back"
)

// Apply writes the changes below root, all or none. A file that is not as Change.Old says, because
// someone changed it since, is refused before anything is touched.
func (j *Journal) Apply(root, what string, changes []Change) error {
	unlock, err := j.lock()
	if err != nil {
		return fmt.Errorf("nothing was changed: %w", err)
	}
	defer unlock()
	return j.apply(record{Root: root, What: what}, changes)
}

func (j *Journal) apply(rec record, changes []Change) error {
	if len(changes) == 0 {
		return nil
	}
	root, err := openPlace(rec.Root)
	if err != nil {
		return fmt.Errorf("nothing was changed: %w", err)
	}
	defer root.Close()
	rec.State, rec.Root = prepared, root.path
	for _, c := range changes {
		relative, err := root.within(c.Path)
		if err != nil {
			return err
		}
		if err := root.mayChange(relative, c.Old); err != nil {
			return err
		}
		path := filepath.Join(root.path, relative)
		if slices.ContainsFunc(rec.Files, func(f file) bool { return f.Path == path }) {
			return fmt.Errorf("%s is the same file as another one in this change; leave one of them out", c.Path)
		}
		rec.Files = append(rec.Files, file{path, files.Beside(filepath.Base(path)), hash(c.Old), hash(c.New)})
	}
	dir, err := j.write(rec, changes)
	if err != nil {
		return fmt.Errorf("nothing was changed: cannot keep a journal: %w", err)
	}
	staged, err := j.stage(root, dir, rec, "after")
	if err != nil {
		return errors.Join(fmt.Errorf("nothing was changed: %w", err), os.RemoveAll(dir))
	}
	if err := j.swapIn(staged, rec); err != nil {
		if back := j.swap(root, dir, rec, "before"); back != nil {
			return fmt.Errorf("%w; restoring the files failed too (%v); the next saturate command tries again", err, back)
		}
		return errors.Join(fmt.Errorf("nothing was changed: %w", err), os.RemoveAll(dir))
	}
	if err := j.mark(dir, rec, applied); err != nil {
		return err
	}
	j.prune()
	return nil
}

// kept is how many finished changes can still be taken back.
const kept = 100

// prune forgets the oldest finished changes. It is housekeeping: what fails is tried again next time.
func (j *Journal) prune() {
	dirs, recs, err := j.changes()
	if err != nil {
		return
	}
	for i := range max(0, len(dirs)-kept) {
		if recs[i].State != prepared {
			_ = os.RemoveAll(dirs[i])
		}
	}
}

// mayChange refuses a file that differs from what was read, or that may not be written.
func (p place) mayChange(relative string, old []byte) error {
	path := filepath.Join(p.path, relative)
	now, err := p.read(relative)
	if err != nil {
		return fmt.Errorf("cannot change %s: %w", path, err)
	}
	if !bytes.Equal(now, old) {
		return fmt.Errorf("%s changed while this command was running; run it again", path)
	}
	if ReadOnly(path) {
		return fmt.Errorf("cannot change %s: it is read-only; make it writable or exclude it", path)
	}
	f, err := p.OpenFile(relative, os.O_WRONLY, 0)
	if err != nil {
		var why *fs.PathError
		if errors.As(err, &why) {
			err = why.Err
		}
		return fmt.Errorf("nothing was changed: cannot write %s: %w; change its permissions or exclude it", path, err)
	}
	return f.Close()
}

// ReadOnly says whether a file's owner marked it as one that is not to be written. A superuser may write it all
// the same, but its owner marked it for a reason.
func ReadOnly(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().Perm()&0o222 == 0
}

// write lays down the old and new bytes and then, in one rename, the change itself.
func (j *Journal) write(rec record, changes []Change) (string, error) {
	if err := os.MkdirAll(j.Dir, 0o700); err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp(j.Dir, "new-")
	if err != nil {
		return "", err
	}
	dir := filepath.Join(j.Dir, j.now().UTC().Format("20060102T150405.000000000")+"-"+
		strings.TrimPrefix(filepath.Base(tmp), "new-"))
	err = func() error {
		for _, side := range []string{"before", "after"} {
			if err := os.Mkdir(filepath.Join(tmp, side), 0o700); err != nil {
				return err
			}
		}
		for i, c := range changes {
			for side, data := range map[string][]byte{"before": c.Old, "after": c.New} {
				if err := files.WriteMode(content(tmp, side, i), data, files.Private); err != nil {
					return err
				}
			}
			if err := j.at("content"); err != nil {
				return err
			}
		}
		if err := writeRecord(tmp, rec); err != nil {
			return err
		}
		if err := os.Rename(tmp, dir); err != nil {
			return err
		}
		if err := files.SyncFolder(j.Dir); err != nil {
			return err
		}
		return j.at("prepared")
	}()
	if err != nil {
		_ = os.RemoveAll(tmp)
		_ = os.RemoveAll(dir)
		return "", err
	}
	return dir, nil
}

// swap brings every file of the change to one side. It may be repeated.
func (j *Journal) swap(root place, dir string, rec record, side string) error {
	staged, err := j.stage(root, dir, rec, side)
	if err != nil {
		return err
	}
	return j.swapIn(staged, rec)
}

// stage lays all new contents down beside the old ones, so that a full disk is met while nothing has changed.
func (j *Journal) stage(root place, dir string, rec record, side string) (staged []*files.Fresh, err error) {
	for i, f := range rec.Files {
		var fresh *files.Fresh
		data, err := files.Read(content(dir, side, i), files.MaxSource)
		if err != nil {
			err = fmt.Errorf("the journal of %s is damaged: %w", f.Path, err)
		} else if fresh, err = root.stage(f, data); err != nil {
			err = fmt.Errorf("cannot write %s: %w", f.Path, err)
		} else {
			staged = append(staged, fresh)
			err = j.at("staged")
		}
		if err != nil {
			discard(staged)
			return nil, err
		}
	}
	return staged, nil
}

func discard(staged []*files.Fresh) {
	for _, f := range staged {
		f.Discard()
	}
}

// swapIn renames what stage wrote over the files.
func (j *Journal) swapIn(staged []*files.Fresh, rec record) error {
	for i, f := range staged {
		if err := f.Place(); err != nil {
			discard(staged[i:])
			return fmt.Errorf("cannot write %s: %w", rec.Files[i].Path, err)
		}
		_ = files.SyncFolder(filepath.Dir(rec.Files[i].Path))
		if err := j.at("swapped"); err != nil {
			return err
		}
	}
	return nil
}

func (j *Journal) mark(dir string, rec record, state string) error {
	rec.State = state
	if err := j.at("before " + state); err != nil {
		return err
	}
	return writeRecord(dir, rec)
}

// changes is every change in the journal, oldest first. Folders that never got their record are removed.
func (j *Journal) changes() (dirs []string, recs []record, err error) {
	entries, err := os.ReadDir(j.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, e := range entries {
		dir := filepath.Join(j.Dir, e.Name())
		if strings.HasPrefix(e.Name(), "new-") {
			// Nothing outside it was touched yet. One that is young may be another process at work.
			if info, err := e.Info(); err == nil && j.now().Sub(info.ModTime()) > time.Hour {
				_ = os.RemoveAll(dir)
			}
			continue
		}
		var rec record
		data, err := files.Read(filepath.Join(dir, "record.json"), files.MaxRecord)
		if err != nil || json.Unmarshal(data, &rec) != nil {
			continue // not ours
		}
		dirs, recs = append(dirs, dir), append(recs, rec)
	}
	return dirs, recs, nil
}

// at is a point where tests may stop the work as a crash would.
func (j *Journal) at(point string) error {
	if j.crash == nil {
		return nil
	}
	return j.crash(point)
}

func (j *Journal) now() time.Time {
	if j.Now != nil {
		return j.Now()
	}
	return time.Now()
}

func content(dir, side string, i int) string { return filepath.Join(dir, side, fmt.Sprint(i)) }

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func writeRecord(dir string, rec record) error {
	data, err := json.MarshalIndent(rec, "", "  ")
	if err != nil {
		return err
	}
	return files.WriteMode(filepath.Join(dir, "record.json"), data, files.Private)
}
