package verify

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"saturate/internal/files"
)

// ErrOther is a folder with measurements of other programs or settings.
var ErrOther = errors.New("holds another experiment")

// store keeps an experiment in a folder, so that one that was stopped goes on:
//
//	plan.json              what was decided before the first run
//	blocks/003-0.json      each finished block with its raw steps: slot 3, first attempt
//	samples.json           what the variants train on, compared
//	runs/003-0-1/          what each process left
//	result.json            the judgement
//
// The zero store keeps nothing.
type store struct{ dir string }

const (
	planName   = "plan.json"
	blocksName = "blocks"
	resultName = "result.json"

	samplesName = "samples.json"
)

// openStore begins an experiment in dir, or goes on with the one it finds there.
func openStore(dir string, plan Plan) (store, []Block, error) {
	s := store{dir}
	if dir == "" {
		return s, nil, nil
	}
	if err := os.MkdirAll(filepath.Join(dir, blocksName), 0o700); err != nil {
		return s, nil, fmt.Errorf("cannot save the experiment: %w", err)
	}
	var known Plan
	switch err := readJSON(filepath.Join(dir, planName), &known); {
	case errors.Is(err, fs.ErrNotExist):
		return s, nil, writeJSON(filepath.Join(dir, planName), plan)
	case err != nil:
		return s, nil, fmt.Errorf("%w; remove %s to start again", err, dir)
	}
	known.Timeout, known.Budget = plan.Timeout, plan.Budget // patience is not part of the design
	if !reflect.DeepEqual(normal(known), normal(plan)) || !plan.Before.holds(known.Before.Sources) ||
		!plan.After.holds(known.After.Sources) {
		return s, nil, fmt.Errorf("%s %w; remove the folder or choose another", dir, ErrOther)
	}
	blocks, err := readBlocks(dir)
	if err != nil {
		return s, nil, err
	}
	// What crashed, or ran other code, is tried again when the user asks again.
	crashed := func(b Block) bool { return b.Fatal != "" && (b.Cause == ByProgram || b.Cause == ByModules) }
	for _, b := range blocks {
		if crashed(b) {
			err = errors.Join(err, os.Remove(s.path(b)))
		}
	}
	return s, slices.DeleteFunc(blocks, crashed), err
}

// readBlocks reads the finished blocks of an experiment in their order.
func readBlocks(dir string) ([]Block, error) {
	paths, err := filepath.Glob(filepath.Join(dir, blocksName, "*.json"))
	if err != nil {
		return nil, err
	}
	slices.Sort(paths)
	var blocks []Block
	for _, path := range paths {
		var b Block
		if err := readJSON(path, &b); err != nil {
			return nil, fmt.Errorf("%w: remove that file, and its pair is run again", err)
		}
		for i := range b.Outcomes {
			b.Outcomes[i].Run.Steps = b.Outcomes[i].Steps
		}
		blocks = append(blocks, b)
	}
	return blocks, nil
}

// normal is a plan as it comes back from JSON, without the state of its sources.
func normal(p Plan) Plan {
	for _, v := range []*Variant{&p.Before, &p.After} {
		v.Sources, v.Fingerprint, v.Notes = nil, "", nil
		if len(v.Env) == 0 {
			v.Env = nil
		}
	}
	return p
}

func (s store) save(b Block) error {
	if s.dir == "" {
		return nil
	}
	return writeJSON(s.path(b), b)
}

func (s store) path(b Block) string {
	return filepath.Join(s.dir, blocksName, fmt.Sprintf("%03d-%d.json", b.Number, b.Attempt))
}

// saveSamples keeps what the samples showed. What could not be seen is looked at again.
func (s store) saveSamples(g SampleGuard) error {
	if s.dir == "" || g.State == NotShown || g.State == NotChecked {
		return nil
	}
	return writeJSON(filepath.Join(s.dir, samplesName), g)
}

// readSamples is what saveSamples kept; nil where there is nothing.
func readSamples(dir string) *SampleGuard {
	var g SampleGuard
	if dir == "" || readJSON(filepath.Join(dir, samplesName), &g) != nil {
		return nil
	}
	return &g
}

func (s store) finish(r Result) error {
	if s.dir == "" {
		return nil
	}
	r.Blocks = nil // they are beside it
	return writeJSON(filepath.Join(s.dir, resultName), r)
}

// scratch is an empty folder for one process.
func (s store) scratch(block, attempt, which int) (string, error) {
	if s.dir == "" {
		return "", nil
	}
	dir := filepath.Join(s.dir, "runs", fmt.Sprintf("%03d-%d-%d", block, attempt, which))
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o700)); err != nil {
		return "", fmt.Errorf("cannot create a folder for the run: %w", err)
	}
	return dir, nil
}

func readJSON(path string, into any) error {
	data, err := files.Read(path, files.MaxRecord)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s is damaged: %w", path, err)
	}
	return nil
}

// writeJSON writes a file whole or not at all.
func writeJSON(path string, value any) error {
	data, err := json.MarshalIndent(value, "", " ")
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", filepath.Base(path), err)
	}
	if err := files.WriteMode(path, append(data, '\n'), files.Private); err != nil {
		return fmt.Errorf("cannot save the experiment: %w", err)
	}
	return nil
}
