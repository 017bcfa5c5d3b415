package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"saturate/internal/files"
	"saturate/internal/human"
)

// largestManifest is the most of a run.json that is read.
const largestManifest = 256 << 20

// Read reads the Run in a folder, with its steps. A folder that is not a whole Run reads as Damaged,
// with notes of what is wrong; only a folder that is not there is an error.
func Read(dir string) (Run, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return Run{}, fmt.Errorf("no run in %s: %w", dir, plain(err))
	}
	if !info.IsDir() {
		return Run{}, fmt.Errorf("%s is not a run's folder", dir)
	}
	r := readManifest(dir)
	r.readSteps()
	return r, nil
}

// readManifest reads run.json alone, and finds out whether a Run without an end still has somebody who
// records it.
func readManifest(dir string) Run {
	r := manifestIn(dir)
	if r.State == Running && files.Unlocked(filepath.Join(dir, stepsName)) {
		if r = manifestIn(dir); r.State == Running { // it did not end just now
			r.State = Killed
		}
	}
	switch r.State {
	case Running:
		r.Notes = append(r.Notes, "no end recorded: still running")
	case Killed:
		r.Notes = append(r.Notes, "no end recorded: it was killed")
	}
	return r
}

// manifestIn makes a Run of a folder's run.json. What it cannot make sense of becomes a note.
func manifestIn(dir string) Run {
	data, err := files.Read(filepath.Join(dir, manifestName), largestManifest)
	r := Run{Dir: dir, ID: filepath.Base(dir)}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r.damage("%s is missing: another program wrote this folder, or saturate was killed at the start", manifestName)
	case err != nil:
		r.damage("cannot read %s: %v", manifestName, plain(err))
	default:
		r = decodeManifest(data)
		r.Dir = dir
		if r.ID == "" {
			r.ID = filepath.Base(dir)
		}
	}
	if r.Name == "" {
		r.Name = nameFromFolder(filepath.Base(filepath.Dir(dir)))
	}
	r.readLabels()
	return r
}

// decodeManifest makes a Run of any bytes that a run.json holds.
func decodeManifest(data []byte) Run {
	var r Run
	if err := json.Unmarshal(data, &r); err != nil {
		r.damage("%s is damaged: %v", manifestName, err)
		return r.checked()
	}
	family, _, _ := strings.Cut(Schema, "/run/")
	switch {
	case r.Schema == Schema:
	case strings.HasPrefix(r.Schema, family+"/run/"):
		r.damage("%s has schema %s; this version reads %s: use the version that wrote it", manifestName, r.Schema, Schema)
	default:
		r.damage("%s was not written by saturate: its schema is %q", manifestName, r.Schema)
	}
	switch r.State {
	case Running:
	case Complete, Failed, Damaged:
	default:
		r.damage("%s has an unknown state %q", manifestName, r.State)
	}
	return r.checked()
}

// checked removes what a reader could be misled by: files outside the folder.
func (r Run) checked() Run {
	var kept []Artefact
	for _, a := range r.Artefacts {
		if filepath.IsLocal(filepath.FromSlash(a.Path)) {
			kept = append(kept, a)
		} else {
			r.Notes = append(r.Notes, fmt.Sprintf("skipped artifact %q: it is outside the run's folder", a.Path))
		}
	}
	r.Artefacts = kept
	return r
}

// readSteps reads steps.jsonl into the Run.
func (r *Run) readSteps() {
	f, err := files.Open(filepath.Join(r.Dir, stepsName))
	if err != nil {
		if r.StepCount > 0 || !errors.Is(err, fs.ErrNotExist) {
			r.damage("cannot read %s: %v", stepsName, plain(err))
		}
		return
	}
	defer f.Close()
	steps, notes, err := ImportSteps(f)
	r.Steps = steps
	for _, note := range notes {
		r.Notes = append(r.Notes, stepsName+": "+note)
	}
	if err != nil {
		r.damage("cannot read %s to the end: %v", stepsName, err)
	} else if (r.State == Complete || r.State == Failed) && len(steps) != r.StepCount {
		r.damage("%s has %s, but %s recorded", stepsName, human.Plural(len(steps), "step"),
			human.Count(r.StepCount)+human.Choose(r.StepCount, " was", " were"))
	}
}

func (r *Run) damage(format string, args ...any) {
	r.State = Damaged
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// nameFromFolder takes date and hash off an experiment's folder name.
func nameFromFolder(folder string) string {
	parts := strings.Split(folder, "_")
	return strings.Join(parts[:max(1, len(parts)-2)], "_")
}
