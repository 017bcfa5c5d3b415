package run

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"saturate/internal/files"
	"saturate/internal/stat"
)

const (
	manifestName = "run.json"
	stepsName    = "steps.jsonl"
	changesName  = "changes.diff" // what differs from the commit
)

// Options say what is about to run.
type Options struct {
	Command     []string
	Config      []byte // what else defines the experiment: settings, variants
	Environment Environment
	Took        float64 // seconds, where something is recorded that is over; 0 takes the time until Finish
	Clock       Clock   // the machine's own when left empty
}

// Recorder writes a Run while it happens. Its methods may be called from several goroutines.
type Recorder struct {
	mu    sync.Mutex
	run   Run
	steps *os.File // nil once the Run is finished
	watch *watch
	start time.Duration
	took  float64 // as in Options
}

// Create starts a Run in a new folder under root. Until Finish it reads as Running,
// or as Killed once this program has ended.
func Create(root, name string, opt Options) (*Recorder, error) {
	if opt.Clock.Now == nil || opt.Clock.Elapsed == nil {
		opt.Clock = systemClock()
	}
	watch := startWatch(opt.Clock)
	r := &Recorder{
		watch: watch, start: watch.elapsed, took: opt.Took,
		run: Run{
			Schema: Schema, ID: uuid.NewString(), Name: name, State: Running,
			Command: MaskCommand(opt.Command), Started: watch.date, Environment: opt.Environment,
		},
	}
	experiment := filepath.Join(root, fmt.Sprintf("%s_%s_%s", folderName(name), watch.date.Format(time.DateOnly),
		r.hash(opt.Config)))
	r.run.Dir = filepath.Join(experiment, r.run.ID)
	err := files.MakeOwn(root)
	if err == nil {
		err = r.create(experiment)
	}
	if err != nil {
		os.RemoveAll(hidden(experiment, r.run.ID))
		return nil, fmt.Errorf("cannot start a run in %s: %w; make the folder writable, or set SATURATE_RUNS to another",
			root, plain(err))
	}
	return r, nil
}

// create fills the Run's folder under a hidden name, and shows it once it can be read.
func (r *Recorder) create(experiment string) error {
	hidden := hidden(experiment, r.run.ID)
	if err := os.MkdirAll(hidden, 0o700); err != nil {
		return err
	}
	if changes := r.run.Environment.Changes; len(changes) > 0 {
		if err := files.WriteMode(filepath.Join(hidden, changesName), changes, files.Private); err != nil {
			return err
		}
		r.run.Artefacts = append(r.run.Artefacts, Artefact{Path: changesName, Kind: "changes"})
	}
	if err := r.writeManifest(hidden); err != nil {
		return err
	}
	if err := files.WriteMode(filepath.Join(hidden, stepsName), nil, files.Private); err != nil {
		return err
	}
	// Taken before anybody can see it: a reader who asks whether the Run is recorded would otherwise find that it is not,
	// or be in the way when it is taken. Windows moves no folder with an open file.
	const late = runtime.GOOS == "windows"
	if !late {
		if err := r.take(hidden); err != nil {
			return err
		}
	}
	if err := os.Rename(hidden, r.run.Dir); err != nil {
		if !late {
			r.steps.Close()
		}
		return err
	}
	_ = files.SyncFolder(experiment)
	if late {
		return r.take(r.run.Dir)
	}
	return nil
}

// take opens the file of steps, and locks it: by this readers know that the Run goes on. Without locks they cannot
// tell.
func (r *Recorder) take(dir string) (err error) {
	if r.steps, err = os.OpenFile(filepath.Join(dir, stepsName), os.O_WRONLY|os.O_APPEND, 0); err == nil {
		_ = files.Lock(r.steps)
	}
	return err
}

// hidden is where a Run is put together; readers pass over names that begin with a dot.
func hidden(experiment, id string) string { return filepath.Join(experiment, "."+id) }

// hash tells experiments of one name apart: by command, commit and configuration.
func (r *Recorder) hash(config []byte) string {
	commit := ""
	if git := r.run.Environment.Git; git != nil {
		commit = git.Commit
	}
	text, _ := json.Marshal([]any{r.run.Command, commit, config}) // strings and bytes always encode
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:4])
}

// Dir is the folder of the Run.
func (r *Recorder) Dir() string { return r.run.Dir }

// Step appends a step. A reader sees it at once.
func (r *Recorder) Step(s Step) error {
	line, err := json.Marshal(s)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.steps == nil {
		return fmt.Errorf("run %s is finished; cannot add step %d", r.run.ID, s.Index)
	}
	if _, err := r.steps.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("cannot record step %d: %w", s.Index, plain(err))
	}
	r.run.StepCount++
	if jump := r.watch.jump(); jump != "" {
		r.note(fmt.Sprintf("%s (before step %d ended)", jump, s.Index))
	}
	return nil
}

// Replace takes other steps for those that were recorded so far.
func (r *Recorder) Replace(steps []Step) error {
	r.mu.Lock()
	if r.steps == nil {
		r.mu.Unlock()
		return fmt.Errorf("run %s is finished; cannot change its steps", r.run.ID)
	}
	err := r.steps.Truncate(0) // it is open for appending: the next one is written at its start
	r.run.StepCount = 0
	r.mu.Unlock()
	for _, s := range steps {
		err = errors.Join(err, r.Step(s))
	}
	return err
}

// Learn keeps what only the program itself can tell: the versions it runs with and the GPUs it uses.
func (r *Recorder) Learn(versions map[string]string, gpus []GPU) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := &r.run.Environment
	merged := maps.Clone(e.Versions)
	if merged == nil {
		merged = map[string]string{}
	}
	maps.Copy(merged, versions)
	if len(merged) > 0 {
		e.Versions = merged
	}
	if len(gpus) > 0 {
		e.GPUs = gpus
	}
}

// Crowded keeps how many cores other programs used meanwhile, where that left too few for the Run's own, and the part
// of the processors' time that the host of a virtual machine gave to others; 0 where neither mattered.
func (r *Recorder) Crowded(cores, stolen float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.run.OtherCores, r.run.Stolen = cores, stolen
}

// Spent keeps the functions that cost the time.
func (r *Recorder) Spent(functions []Function) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.run.Functions = functions
}

// Add keeps samples that are not steps.
func (r *Recorder) Add(s stat.Series) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.run.Series = append(r.run.Series, s)
}

// Note keeps a line about what went wrong on the way.
func (r *Recorder) Note(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.note(fmt.Sprintf(format, args...))
}

// mostNotes bounds what a long run that goes wrong at each step can say.
const mostNotes = 100

func (r *Recorder) note(text string) {
	switch n := len(r.run.Notes); {
	case n < mostNotes:
		r.run.Notes = append(r.run.Notes, text)
	case n == mostNotes:
		r.run.Notes = append(r.run.Notes, "more problems; only the first are recorded")
	}
}

// Save writes an artefact, whole or not at all. The path is relative to the Run's folder.
func (r *Recorder) Save(path, kind string, data []byte) error {
	if !filepath.IsLocal(path) {
		return fmt.Errorf("artifact %s is outside the run's folder", path)
	}
	target := filepath.Join(r.run.Dir, path)
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return fmt.Errorf("cannot save %s: %w", path, err)
	}
	if err := files.WriteMode(target, data, files.Private); err != nil {
		return fmt.Errorf("cannot save %s: %w", path, err)
	}
	return r.Keep(path, kind)
}

// Keep lists a file that is already in the Run's folder, such as a trace that the program wrote, as an artefact.
func (r *Recorder) Keep(path, kind string) error {
	if !filepath.IsLocal(path) {
		return fmt.Errorf("artifact %s is outside the run's folder", path)
	}
	if _, err := os.Stat(filepath.Join(r.run.Dir, path)); err != nil {
		return fmt.Errorf("artifact %s is missing: %w", path, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	artefact := Artefact{Path: filepath.ToSlash(path), Kind: kind}
	for i := range r.run.Artefacts {
		if r.run.Artefacts[i].Path == artefact.Path {
			r.run.Artefacts[i] = artefact
			return nil
		}
	}
	r.run.Artefacts = append(r.run.Artefacts, artefact)
	return nil
}

// Finish closes the Run with the program's exit code, Complete when it is 0 and Failed otherwise,
// and returns it as Read would; where its end cannot be written, without its steps.
func (r *Recorder) Finish(exitCode int) (Run, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.steps == nil {
		return Run{}, fmt.Errorf("run %s is already finished", r.run.ID)
	}
	if jump := r.watch.jump(); jump != "" {
		r.note(jump + " (after the last step)")
	}
	if r.run.WallSeconds = r.took; r.took == 0 {
		r.run.WallSeconds = max(0, r.watch.elapsed-r.start).Seconds()
	}
	r.run.ExitCode = &exitCode
	r.run.State = Complete
	if exitCode != 0 {
		r.run.State = Failed
	}
	err := errors.Join(r.steps.Sync(), r.writeManifest(r.run.Dir), r.steps.Close())
	r.steps = nil
	if err != nil {
		return r.run, fmt.Errorf("cannot finish the run in %s: %w", r.run.Dir, err)
	}
	return Read(r.run.Dir)
}

// Discard takes the Run away again, because there was nothing to record.
func (r *Recorder) Discard() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.steps != nil {
		r.steps.Close()
		r.steps = nil
	}
	r.run.Discard()
}

// Discard removes a Run that holds nothing worth keeping.
func (r Run) Discard() {
	if r.Dir == "" {
		return
	}
	os.RemoveAll(r.Dir)
	os.Remove(filepath.Dir(r.Dir)) // the experiment's folder stays where it holds other Runs
}

func (r *Recorder) writeManifest(dir string) error {
	data, err := json.MarshalIndent(r.run, "", "  ")
	if err != nil {
		return err
	}
	return files.WriteMode(filepath.Join(dir, manifestName), append(data, '\n'), files.Private)
}

// folderName makes a name that every file system accepts.
func folderName(name string) string {
	name = strings.Map(func(c rune) rune {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '.', c == '_':
			return c
		}
		return '-'
	}, name)
	name = strings.Trim(name[:min(len(name), 60)], "-.")
	if name == "" {
		return "run"
	}
	return name
}

// plain takes the operation and the path off an error whose place is already named.
func plain(err error) error {
	var of *fs.PathError
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}
