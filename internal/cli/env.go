// Package cli is the command line: one file per command. Each turns flags into one
// call of another package and hands the Report it gets to a renderer.
//
//	arguments ─> command (flags, settings) ─> run ─> report.Report ─> renderer ─> stdout
//
// Nothing here computes. A command sees the world only through Env, so that it can be
// tested inside one process.
package cli

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"

	"saturate/internal/config"
	"saturate/internal/device"
	"saturate/internal/human"
	"saturate/internal/process"
	"saturate/internal/progress"
	"saturate/internal/report"
)

// Env is all of the outside world that a command may touch.
type Env struct {
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	Dir    string // the working directory; relative paths of the user start here
	Now    func() time.Time
	Vars   []string // NAME=value
	Cores  int      // CPU cores of this machine; 0 where it is not known

	StdoutTerminal bool
	StderrTerminal bool
	Width          int // columns of the terminal, 0 when there is none

	// What the frame has made of flags and settings before a command runs.
	Config   config.Config
	Progress *progress.Display

	read    []string // what the command line names besides its output
	dash    int      // how many arguments stand before --; -1 without one
	exit    int      // of the user's program, which the command passes through
	out     *output  // where the Report will go; a command may take the file for something else
	Verbose int      // -1 quiet, 0, 1 verbose

	// A command within another hands its Report over instead of printing it, and tells how far it is.
	take   func(report.Report)
	told   func(line string)
	silent bool   // the command has written what there is to write
	Format string // what will be printed: text, json …
}

// System is the Env of this process. It must come first: a process that was started to ask the GPU
// driver (so that a sick driver takes only that process down) answers here and ends.
func System() *Env {
	device.ChildMain()
	dir, err := os.Getwd()
	if err != nil {
		dir = "."
	}
	env := &Env{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Dir: dir, Now: time.Now, Vars: os.Environ(), Cores: runtime.NumCPU(),
		StdoutTerminal: term.IsTerminal(int(os.Stdout.Fd())),
		StderrTerminal: term.IsTerminal(int(os.Stderr.Fd())),
	}
	for i, v := range env.Vars {
		if path, ok := strings.CutPrefix(v, "PATH="); ok {
			env.Vars[i] = "PATH=" + process.WithoutTools(path, env.Var("VIRTUAL_ENV"))
		}
	}
	for _, f := range []*os.File{os.Stdout, os.Stderr} {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			env.Width = width
			break
		}
	}
	if width, err := strconv.Atoi(env.Var("COLUMNS")); err == nil && width > 0 && env.Width == 0 {
		env.Width = width // exported for a program that has no terminal, in CI or in the docs' tests
	}
	return env
}

// Var is a variable's value, or "".
func (e *Env) Var(name string) string {
	for i := len(e.Vars) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(e.Vars[i], name+"="); ok {
			return v
		}
	}
	return ""
}

// say writes a line to stderr. What it repeats may come from anywhere: nothing of it steers the terminal.
func (e *Env) say(format string, args ...any) {
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = human.Line(s) // a name that holds a line end begins no line
		}
	}
	e.sayLines(fmt.Sprintf(format, args...))
}

// sayLines is say for a text of several lines.
func (e *Env) sayLines(text string) {
	fmt.Fprintf(e.Stderr, "saturate: %s\n", human.Clean(strings.ReplaceAll(text, "\n", "\n          ")))
}

// colour decides whether stdout gets colours: the flag first, then NO_COLOR, FORCE_COLOR
// and the terminal (no-color.org, bixense.com/clicolors).
func (e *Env) colour(choice string) bool {
	switch {
	case choice == "always":
		return true
	case choice == "never":
		return false
	case e.Var("NO_COLOR") != "":
		return false
	case isOn(e.Var("FORCE_COLOR")), isOn(e.Var("CLICOLOR_FORCE")):
		return true
	default:
		return e.StdoutTerminal && e.Var("TERM") != "dumb" && e.Var("CLICOLOR") != "0"
	}
}

// bar says whether progress may be drawn in place: CI systems often pretend to be terminals,
// and keep every redrawn line in their logs.
func (e *Env) bar() bool {
	return e.StderrTerminal && e.Var("TERM") != "dumb" && !isOn(e.Var("CI"))
}

func isOn(v string) bool { return v != "" && v != "0" && v != "false" }

// environments are the folders of the Python environments that are active where saturate was started.
func (e *Env) environments() (list []string) {
	for _, name := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		if dir := e.Var(name); dir != "" {
			list = append(list, dir)
		}
	}
	return list
}
