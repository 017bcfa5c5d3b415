package verify

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"saturate/internal/files"
	"saturate/internal/run"
	"saturate/internal/stat"
)

// Keep turns the folder of a finished experiment into a Run under root, with every block's raw steps as
// artefacts, and clears the copies of the variants away. It returns the Run's folder. An experiment that a failing
// program ended stays where it is: its logs tell why, and the same plan tries again.
func Keep(root string, r Result, options run.Options) (string, error) {
	if r.Dir == "" || r.Cause == ByProgram {
		return r.Dir, nil
	}
	dir, err := r.keep(root, options)
	if err != nil {
		return r.Dir, fmt.Errorf("cannot move the experiment to the other runs; it is in %s: %w", r.Dir, err)
	}
	return dir, os.RemoveAll(r.Dir)
}

func (r Result) keep(root string, options run.Options) (string, error) {
	for _, b := range r.Blocks {
		options.Took += b.Outcomes[0].Run.WallSeconds + b.Outcomes[1].Run.WallSeconds
	}
	recorder, err := run.Create(root, "verify", options)
	if err != nil {
		return "", err
	}
	for _, side := range []Side{Before, After} {
		recorder.Add(stat.Series{Name: string(side), Unit: "s/it", Values: r.Sides[side].SecondsPerStep})
		if speeds := r.Sides[side].SamplesPerSecond; len(speeds) > 0 {
			recorder.Add(stat.Series{Name: string(side) + ", speed", Unit: "samples/s", Values: speeds})
		}
	}
	paths := []string{planName, resultName}
	if _, err := os.Stat(filepath.Join(r.Dir, samplesName)); err == nil {
		paths = append(paths, samplesName)
	}
	blocks, _ := filepath.Glob(filepath.Join(r.Dir, blocksName, "*.json"))
	for _, path := range blocks {
		paths = append(paths, filepath.Join(blocksName, filepath.Base(path)))
	}
	for _, path := range paths {
		data, readErr := files.Read(filepath.Join(r.Dir, path), files.MaxAudio)
		if readErr == nil {
			readErr = recorder.Save(path, "experiment", data)
		}
		err = errors.Join(err, readErr)
	}
	_, finished := recorder.Finish(0)
	return recorder.Dir(), errors.Join(err, finished)
}

// Kept tells how many finished blocks of a plan a folder holds, and whether they are this plan's.
func Kept(dir string, plan Plan) (blocks int, same bool) {
	if _, err := os.Stat(filepath.Join(dir, planName)); err != nil {
		return 0, true
	}
	_, kept, err := openStore(dir, plan.Defaults())
	return len(kept), err == nil
}

// Busy says so when somebody is carrying out the experiment in a folder: then nothing in there may be touched.
func Busy(dir string) error {
	if _, err := os.Stat(dir); err != nil {
		return nil
	}
	done, err := files.LockFolder(dir, "the same experiment")
	if err == nil {
		done()
	}
	return err
}

// Clear takes the folder of an experiment away that has not finished a single block.
func Clear(dir string) {
	if blocks, _ := filepath.Glob(filepath.Join(dir, blocksName, "*.json")); len(blocks) == 0 && Busy(dir) == nil {
		os.RemoveAll(dir)
	}
}

// IsExperiment reports whether a folder holds an experiment, finished or not.
func IsExperiment(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, planName))
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	_, err = os.Stat(filepath.Join(dir, blocksName))
	return err == nil
}

// Read judges the experiment in a folder again, from its raw blocks.
func Read(dir string) (Result, error) {
	var plan Plan
	if err := readJSON(filepath.Join(dir, planName), &plan); err != nil {
		return Result{}, err
	}
	blocks, err := readBlocks(dir)
	if err != nil {
		return Result{}, err
	}
	r := Judge(plan, blocks, readSamples(dir))
	r.Dir = dir
	return r, nil
}
