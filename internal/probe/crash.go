package probe

import (
	"fmt"
	"path/filepath"
	"strings"

	"saturate/internal/human"
)

// Crash is the exception that ended a program.
type Crash struct {
	Error string   `json:"error"`           // "No module named 'numpy'"
	Type  string   `json:"type,omitempty"`  // "ModuleNotFoundError"
	Lines []string `json:"lines,omitempty"` // the end of its traceback
}

// Died reports whether the program failed before its first step: there is nothing to explain but why.
func (o Outcome) Died() bool {
	return len(o.Run.Steps) == 0 && o.Exit != 0 && !o.Stopped
}

// Death says why there is no step: "train.py stopped before its first step: No module named 'numpy'".
func (o Outcome) Death(command []string) string {
	text := Program(command) + " stopped before its first step"
	switch {
	case o.TimedOut:
		return Program(command) + " ran no training step within its time limit"
	case o.Crash != nil && o.Crash.Error != "":
		return text + ": " + human.Line(o.Crash.Error)
	}
	return fmt.Sprintf("%s: %s", text, human.Exit(o.Exit))
}

// Program is a command in short: its script or module, else its first word.
func Program(command []string) string {
	for i, word := range command {
		if i > 0 && command[i-1] == "-m" || strings.HasSuffix(word, ".py") {
			return filepath.Base(word)
		}
	}
	if len(command) == 0 {
		return "the program"
	}
	return filepath.Base(command[0])
}

// crash is the exception of the process that made the steps, else of the one that started first.
func (f *follower) crash() *Crash {
	if f.main != nil {
		return f.main.crash
	}
	var first *teller
	for _, t := range f.tellers {
		if t.crash != nil && (first == nil || t.pid < first.pid) {
			first = t
		}
	}
	if first == nil {
		return nil
	}
	return first.crash
}
