package cli

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"saturate/internal/files"
	"saturate/internal/run"
)

// findRun reads what the user typed as a Run: a run's folder, the beginning of its uuid, its name,
// "latest", or a file of steps in JSON lines that any program has written.
func findRun(env *Env, selector string) (run.Run, error) {
	path, root := env.path(selector), env.path(env.Config.Get("runs").Value)
	isPath := strings.ContainsRune(selector, filepath.Separator)
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.IsDir() && filepath.Base(path) != "run.json":
		return stepsFile(path)
	case err == nil && isPath:
		return run.Find(root, path)
	case isPath:
		return run.Run{}, fmt.Errorf("cannot read the run %s: no such file or directory", selector)
	}
	return run.Find(root, selector) // a project's folder may be called like a run: the name wins
}

func findRuns(env *Env, selectors []string) ([]run.Run, error) {
	var found []run.Run
	for _, s := range selectors {
		r, err := findRun(env, s)
		if err != nil {
			return nil, err
		}
		found = append(found, r)
	}
	return found, nil
}

// stepsFile makes a Run of a bare list of steps.
func stepsFile(path string) (run.Run, error) {
	f, err := files.Open(path)
	if err != nil {
		return run.Run{}, fmt.Errorf("cannot read the steps: %w", err)
	}
	defer f.Close()
	steps, notes, err := run.ImportSteps(f)
	if err != nil {
		return run.Run{}, fmt.Errorf("cannot read the steps of %s: %w", path, err)
	}
	if len(steps) == 0 {
		return run.Run{}, fmt.Errorf(`%s has no steps: expected one JSON object per line, such as {"step": 1, "s": 0.41}`, path)
	}
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	r := run.Run{Schema: run.Schema, ID: name, Name: name, State: run.Complete, Steps: steps, Notes: notes, Dir: path}
	for _, s := range steps {
		if !math.IsNaN(s.Seconds) && !math.IsInf(s.Seconds, 0) {
			r.WallSeconds += s.Seconds
		}
	}
	return r, nil
}
