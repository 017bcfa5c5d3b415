// Package agent works with the coding agents of the user: it asks one for edits that optimize measures, and sets agents
// up for `saturate mcp`.
//
//	propose.go  a task for an agent, and the edit that it made
//	task.go     the words of the task
//	install.go  the files that set an agent up
//	member.go   a member of a JSON file, without touching the rest
package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"saturate/internal/files"
	"saturate/internal/human"
	"saturate/internal/optimize"
	"saturate/internal/patch"
	"saturate/internal/process"
)

// Asking is how an agent is asked.
type Asking struct {
	Command []string      // gets a task on stdin, edits the files of its working folder, and ends
	Environ []string      // NAME=value
	Project string        // the user's own tree, which the agent must leave alone
	State   string        // a folder for the patches that it makes
	Limit   time.Duration // of one edit
	Tell    func(text string)
}

// Propose asks for one edit. An agent that fails, or changes nothing, has no more ideas.
func (a Asking) Propose(ctx context.Context, t optimize.Task) (optimize.Proposal, error) {
	before, err := sources(t.Dir)
	if err != nil {
		return optimize.Proposal{}, err
	}
	own, err := stamps(a.Project)
	if err != nil {
		return optimize.Proposal{}, err
	}
	a.Tell(fmt.Sprintf("asking %s for edit %d", filepath.Base(a.Command[0]), t.Round))
	said, problem := a.run(ctx, t)
	if err := ctx.Err(); err != nil {
		return optimize.Proposal{}, err
	}
	if name, err := changed(a.Project, own); err != nil || name != "" {
		return optimize.Proposal{}, errors.Join(err,
			fmt.Errorf("the agent changed %s in your project instead of the copy; restore that file first", name))
	}
	if problem != nil {
		a.Tell("the agent failed: " + human.Data(problem.Error(), 300))
		return optimize.Proposal{}, nil
	}
	after, err := sources(t.Dir)
	if err != nil {
		return optimize.Proposal{}, err
	}
	changes := difference(before, after)
	if len(changes) == 0 {
		a.Tell("the agent changed nothing: no more ideas")
		return optimize.Proposal{}, nil
	}
	name := fmt.Sprintf("agent-%d.patch", t.Round)
	if err := files.Write(filepath.Join(a.State, name), patch.Diff(changes)); err != nil {
		return optimize.Proposal{}, err
	}
	title := human.Data(process.LastLine(said), 100)
	if title == "" {
		title = "edit " + human.Plural(len(changes), "file")
	}
	return optimize.Proposal{Title: title, Why: "made by the agent, in " + name}, nil
}

// run gives the agent its task, and waits until it has ended with everything that it started.
func (a Asking) run(ctx context.Context, t optimize.Task) (said []byte, err error) {
	task, err := taskText(t)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, a.Limit)
	defer cancel()
	cmd := process.Command(ctx, a.Command[0], a.Command[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.WaitDelay = t.Dir, append(slices.Clip(a.Environ),
		"PWD="+t.Dir), strings.NewReader(task), 5*time.Second
	var out, log process.Tail
	cmd.Stdout, cmd.Stderr = &out, &log
	process.Own(cmd)
	cmd.Cancel = func() error { return process.Kill(cmd) }
	err = process.Run(cmd)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, fmt.Errorf("no edit within %v", a.Limit)
	case err != nil:
		return nil, fmt.Errorf("%w%s", err, process.Clause(process.LastLine(append(out, log...))))
	}
	return out, nil
}

// passedOver are folders that hold no source of the project.
var passedOver = []string{
	".git", "__pycache__", "node_modules", "runs", ".venv", "venv", "wandb", "mlruns",
	"checkpoints",
}

const largestTree = 64 << 20 // of sources that are compared

// sources are the contents of the files that a patch can change.
func sources(dir string) (map[string][]byte, error) {
	found, total := map[string][]byte{}, 0
	err := walk(dir, func(name string, info fs.FileInfo) error {
		if info.Size() > files.MaxSource || total > largestTree {
			return nil
		}
		text, err := files.Read(filepath.Join(dir, name), files.MaxSource)
		if err == nil {
			found[name], total = text, total+len(text)
		}
		return err
	})
	return found, err
}

// stamps are the sizes and times of a tree's files.
func stamps(dir string) (map[string]string, error) {
	found := map[string]string{}
	err := walk(dir, func(name string, info fs.FileInfo) error {
		found[name] = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
		return nil
	})
	return found, err
}

// changed is the first changed file of a tree, or "".
func changed(dir string, before map[string]string) (string, error) {
	now, err := stamps(dir)
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if now[name] != before[name] {
			return name, err
		}
	}
	return "", err
}

func walk(dir string, visit func(name string, info fs.FileInfo) error) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist) && path != dir:
			return nil // gone meanwhile
		case err != nil:
			return err
		case d.IsDir() && path != dir && slices.Contains(passedOver, d.Name()):
			return filepath.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		info, err := d.Info()
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		name, relErr := filepath.Rel(dir, path)
		if err := errors.Join(err, relErr); err != nil {
			return err
		}
		return visit(name, info)
	})
}

func difference(before, after map[string][]byte) (changes []patch.Change) {
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if old := before[name]; !bytes.Equal(old, after[name]) {
			changes = append(changes, patch.Change{Path: filepath.ToSlash(name), Old: old, New: after[name]})
		}
	}
	return changes
}
