package doctor

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"saturate/internal/device"
	"saturate/internal/process"
)

// Python is an interpreter and what is installed in it.
type Python struct {
	Origin         string            `json:"origin"`                   // --python, VIRTUAL_ENV, CONDA_PREFIX, PATH
	Command        string            `json:"command"`                  // that starts it
	Executable     string            `json:"executable,omitempty"`     // path of the interpreter
	Prefix         string            `json:"prefix,omitempty"`         // folder of the environment
	Managed        bool              `json:"managed,omitempty"`        // by the system: pip refuses to install (PEP 668)
	Version        string            `json:"version,omitempty"`        // of Python
	Implementation string            `json:"implementation,omitempty"` // CPython, PyPy
	Packages       map[string]string `json:"packages,omitempty"`       // by their metadata; nothing was imported
	Problem        string            `json:"problem,omitempty"`        // why it does not work
}

// Torch is what torch says of itself and of the GPUs after being imported.
type Torch struct {
	Version string   `json:"version,omitempty"`  // of torch
	CUDA    string   `json:"cuda,omitempty"`     // that it was built for
	HIP     string   `json:"hip,omitempty"`      // ROCm version that it was built for
	GPUs    int      `json:"gpus"`               // CUDA or ROCm devices that it sees
	MPS     bool     `json:"mps"`                // Apple's GPU can be used
	Archs   []string `json:"archs,omitempty"`    // it has code for: sm_90, compute_90
	Seconds float64  `json:"import_s,omitempty"` // that the import took
	Problem string   `json:"problem,omitempty"`  // why it cannot be imported or used
}

const (
	metadataTimeout = 15 * time.Second
	importTimeout   = 90 * time.Second // from a cold network disk torch takes that long
)

//go:embed probe.py
var probe string

// candidate is a place where an interpreter may be.
type candidate struct{ origin, command string }

// candidates in the order of preference: what the user named, what is active, what is installed. The folder's own .venv
// is offered, never run: the folder may be somebody else's.
func candidates(sys device.System, opt Options) []candidate {
	var list []candidate
	if opt.Python != "" {
		list = append(list, candidate{"--python", opt.Python})
	}
	for _, i := range sys.Interpreters() {
		list = append(list, candidate{i.Origin, i.Path})
	}
	return list
}

// offered is the interpreter of an environment in the folder, as one would type it.
func offered(opt Options) string {
	name := process.PythonIn(".venv")
	if process.IsExecutable(filepath.Join(opt.Dir, name)) {
		return name
	}
	return ""
}

// pythons asks all candidates side by side. The one that was named stays first; the others follow in order of
// preference, those with torch before those with jax before the rest. A second way to the same one is left out.
func pythons(ctx context.Context, sys device.System, opt Options) []Python {
	list := candidates(sys, opt)
	answers := make([]*Python, len(list))
	var group sync.WaitGroup
	for i, c := range list {
		group.Go(func() { answers[i] = interpreter(ctx, sys, c) })
	}
	group.Wait()

	found := []Python{}
	for _, p := range answers {
		known := func(other Python) bool {
			return other.Command == p.Command || p.Prefix != "" && other.Prefix == p.Prefix
		}
		if p != nil && !slices.ContainsFunc(found, known) {
			found = append(found, *p)
		}
	}
	slices.SortStableFunc(found, func(a, b Python) int { return cmp.Compare(rank(a), rank(b)) })
	return found
}

func rank(p Python) int {
	switch {
	case p.Origin == "--python":
		return 0
	case p.Packages["torch"] != "":
		return 1
	case p.Packages["jax"] != "":
		return 2
	case p.Problem == "":
		return 3
	}
	return 4
}

// interpreter is nil for one that is not there, unless the user pointed to it.
func interpreter(ctx context.Context, sys device.System, c candidate) *Python {
	ctx, cancel := context.WithTimeout(ctx, metadataTimeout)
	defer cancel()
	p := &Python{Origin: c.origin, Command: c.command}
	err := runProbe(ctx, sys, c.command, "packages", p)
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		if c.origin == "PATH" {
			return nil
		}
		err = errors.New("not found")
	}
	if err != nil {
		p.Problem = err.Error()
	}
	return p
}

// importTorch has the first interpreter import torch, which takes seconds.
func (d *Diagnosis) importTorch(ctx context.Context, sys device.System) {
	if len(d.Pythons) == 0 || d.Pythons[0].Packages["torch"] == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, importTimeout)
	defer cancel()
	d.Torch = new(Torch)
	if err := runProbe(ctx, sys, d.Pythons[0].Command, "torch", d.Torch); err != nil {
		d.Torch.Problem = err.Error()
	}
	d.Torch.Problem, _, _ = strings.Cut(d.Torch.Problem, "\n")
}

// runProbe runs probe.py in a short-lived process and reads its line.
func runProbe(ctx context.Context, sys device.System, command, job string, into any) error {
	out, err := sys.Run(ctx, command, "-c", probe, job)
	if err != nil {
		return err
	}
	return parseProbe(out, into)
}

func parseProbe(out []byte, into any) error {
	for line := range bytes.Lines(out) {
		if answer, ok := bytes.CutPrefix(line, []byte("saturate:")); ok {
			if err := json.Unmarshal(answer, into); err != nil {
				return fmt.Errorf("unexpected output from the interpreter: %w", err)
			}
			return nil
		}
	}
	return errors.New("it printed nothing; it may not be Python")
}
