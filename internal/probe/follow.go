package probe

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"saturate/internal/files"
	"saturate/internal/run"
)

// follower reads what the processes of a program tell while they tell it.
type follower struct {
	dir     string
	step    func(run.Step) error   // gets the steps of the main process
	replace func([]run.Step) error // gets those of another, instead of all before, when that turns out to be the main one
	at      map[string]int64       // how far each file was read
	tellers map[string]*teller     // by file
	main    *teller                // whose steps are the Run's
	helpers map[int]bool           // pids of workers that loaded for an evaluation
	stopped bool
}

// teller is one process and what it told.
type teller struct {
	pid      int
	training bool
	steps    []run.Step
	facts    Facts
	notes    []string
	traces   []string
	reports  []json.RawMessage
	worker   *Worker
	stacks   stacks
	crash    *Crash
	seen     Samples
	trial    *BatchTold
	imports  *Imports
	ended    bool
}

// message is one line of a process. A step is read by run.Step itself.
type message struct {
	Kind   string          `json:"kind"`
	Mode   string          `json:"mode"`
	Text   string          `json:"text"`
	Path   string          `json:"path"`
	Steps  int             `json:"steps"`
	Report json.RawMessage `json:"report"`
}

// NoStep is noted where a program trained nothing that the probe knows.
const NoStep = "no training step was detected: the program uses no PyTorch optimizer or module and no compiled JAX " +
	"function, or it ended before its first step"

// processesFile lists every Python process that the probe saw start.
const processesFile = "processes.jsonl"

// roomFile lies empty beside what the processes tell. They remove it when something could not be written because the
// disk is full: that needs no room.
const roomFile = "room"

// begin makes the folder that the processes write to.
func (f *follower) begin() error {
	if err := os.Mkdir(f.dir, 0o700); err != nil {
		return err
	}
	return files.Write(filepath.Join(f.dir, roomFile), nil)
}

// noRoom is an error where not all that the processes told could be written.
func (f *follower) noRoom() error {
	if _, err := os.Stat(filepath.Join(f.dir, roomFile)); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fmt.Errorf("some steps were not recorded: the disk of %s is full (%w); free some space", filepath.Dir(f.dir),
		syscall.ENOSPC)
}

// read takes in the whole lines that are new.
func (f *follower) read() error {
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return err
	}
	if f.at == nil {
		f.at, f.tellers, f.helpers = map[string]int64{}, map[string]*teller{}, map[int]bool{}
	}
	var failed []error
	for _, entry := range entries {
		name := entry.Name()
		info, err := entry.Info()
		if err != nil || !strings.HasSuffix(name, ".jsonl") || info.Size() == f.at[name] {
			continue
		}
		data, err := readFrom(filepath.Join(f.dir, name), f.at[name])
		if err != nil {
			failed = append(failed, err)
			continue
		}
		whole := bytes.LastIndexByte(data, '\n') + 1
		f.at[name] += int64(whole)
		for line := range bytes.Lines(data[:whole]) {
			if err := f.line(name, line); err != nil {
				failed = append(failed, err)
			}
		}
	}
	return errors.Join(failed...)
}

func readFrom(path string, at int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if _, err := file.Seek(at, io.SeekStart); err != nil {
		return nil, err
	}
	return files.ReadAll(file, files.MaxJournal)
}

func (f *follower) line(file string, line []byte) error {
	t := f.tellers[file]
	if t == nil {
		pid, _ := strconv.Atoi(strings.TrimSuffix(file, ".jsonl"))
		t = &teller{pid: pid}
		f.tellers[file] = t
	}
	if file == processesFile {
		return nil
	}
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		return nil // cut off by a kill, or torn by another writer
	}
	switch m.Kind {
	case "step":
		var s run.Step
		if err := json.Unmarshal(line, &s); err != nil {
			return err
		}
		return f.took(t, m.Mode, s)
	case "facts":
		return decode(line, &t.facts)
	case "worker":
		return decode(line, &t.worker)
	case "imports":
		return json.Unmarshal(line, &t.imports)
	case "crash":
		return json.Unmarshal(line, &t.crash)
	case "stacks":
		return t.stacks.add(line)
	case "evaluation":
		var m struct {
			Workers []int `json:"workers"`
		}
		if err := json.Unmarshal(line, &m); err != nil {
			return err
		}
		for _, pid := range m.Workers {
			f.helpers[pid] = true
		}
	case "sample", "batch", "input":
		return t.seen.add(m.Kind, line)
	case "trial":
		return decode(line, &t.trial)
	case "note":
		t.notes = append(t.notes, m.Text)
	case "tune":
		t.reports = append(t.reports, m.Report)
	case "trace":
		t.traces = append(t.traces, m.Path)
	case "end":
		t.ended = true
	case "stopped":
		f.stopped = true
	}
	return nil
}

// decode replaces a value by that of a line, and keeps it where the line is damaged.
func decode[T any](line []byte, into *T) error {
	var read T
	if err := json.Unmarshal(line, &read); err != nil {
		return err
	}
	*into = read
	return nil
}

// took keeps a step. What was inference in a process that trains later was an evaluation. The first process of rank 0
// that trains is the main one, until another has made twice its steps: the first may have been a trial of what follows.
func (f *follower) took(t *teller, mode string, s run.Step) error {
	training := mode == "train"
	if training && !t.training {
		t.training, t.steps = true, nil
	}
	if !training && t.training {
		return nil
	}
	t.steps = append(t.steps, s)
	switch {
	case f.main == t:
		return f.step(s)
	case training && t.facts.Rank == 0 && (f.main == nil || len(t.steps) >= 2*len(f.main.steps)):
		return f.lead(t)
	}
	return nil
}

// lead makes a process the main one. As many of its steps as were heard of another take their place.
func (f *follower) lead(t *teller) (err error) {
	heard := 0
	if f.main != nil {
		heard = len(f.main.steps)
		err = f.replace(t.steps[:heard])
	}
	f.main = t
	for _, s := range t.steps[heard:] {
		err = errors.Join(err, f.step(s))
	}
	return err
}

// finish reads the rest. A program that never trained has its longest inference as its steps.
func (f *follower) finish() error {
	err := f.read()
	if f.main != nil {
		return err
	}
	if made := f.byRank(); len(made) > 0 {
		err = errors.Join(err, f.lead(made[0]))
	}
	return err
}

// byRank are the processes that made steps.
func (f *follower) byRank() []*teller {
	var made []*teller
	for _, t := range f.tellers {
		if len(t.steps) > 0 {
			made = append(made, t)
		}
	}
	slices.SortFunc(made, func(a, b *teller) int {
		return cmp.Or(cmp.Compare(a.facts.Rank, b.facts.Rank), cmp.Compare(len(b.steps), len(a.steps)))
	})
	return made
}

func (f *follower) ranks() []Rank {
	var ranks []Rank
	for _, t := range f.byRank() {
		if f.isRank(t) {
			ranks = append(ranks, Rank{Rank: t.facts.Rank, World: t.facts.World, PID: t.pid, Steps: t.steps})
		}
	}
	return ranks
}

// isRank tells the main process and its peers from others that made steps as well.
func (f *follower) isRank(t *teller) bool {
	return f.main != nil && t.training == f.main.training && t.facts.World == f.main.facts.World &&
		(t == f.main || t.facts.Rank != f.main.facts.Rank)
}

func (f *follower) facts() Facts {
	if f.main == nil {
		return Facts{}
	}
	return f.main.facts
}

// imports is what the main process had imported by its first step; nil where it did not tell.
func (f *follower) imports() *Imports {
	if f.main == nil {
		return nil
	}
	return f.main.imports
}

func (f *follower) inference() bool { return f.main != nil && !f.main.training }

// workers adds up what the loader's worker processes did.
func (f *follower) workers() Workers {
	var all Workers
	for _, t := range f.tellers {
		if t.worker != nil {
			all.add(*t.worker)
		}
	}
	return all
}

// allNotes are the lines for the Run: what each process had to say, once.
func (f *follower) allNotes(p Plan) []string {
	var notes []string
	add := func(text string) {
		if !slices.Contains(notes, text) {
			notes = append(notes, text)
		}
	}
	others := 0
	for _, t := range f.tellers {
		if len(t.steps) > 0 && !f.isRank(t) {
			if t.training {
				others++
			}
			continue // what it says of its steps is about none of the Run's
		}
		for _, note := range t.notes {
			add(note)
		}
	}
	slices.Sort(notes)
	switch others {
	case 0:
	case 1:
		add("1 further process of the program trained too; its steps are not in this run")
	default:
		add(fmt.Sprintf("%d further processes of the program trained too; their steps are not in this run", others))
	}
	switch full := f.noRoom(); {
	case full != nil:
		add(full.Error())
	case f.tellers[processesFile] == nil:
		add(unseen(p.Command))
	case f.main == nil:
		add(NoStep)
	}
	return notes
}
