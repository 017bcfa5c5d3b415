package verify

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"saturate/internal/run"
)

// workFolders begin the names of folders that commands work in, where --state names no other.
var workFolders = []string{".optimize-", ".tune-", ".verify-"}

// Own reports whether a folder is saturate's: a Run, or one that a command works in, wherever --state or the folder of
// runs has put it. A copy of a project goes without them, for they hold copies themselves. What else lies in the folder
// of runs is the user's.
func Own(dir string) bool {
	if slices.ContainsFunc(workFolders, func(start string) bool { return strings.HasPrefix(filepath.Base(dir), start) }) {
		return true
	}
	var manifest struct {
		Schema string `json:"schema"`
	}
	if readJSON(filepath.Join(dir, "run.json"), &manifest) == nil && strings.HasPrefix(manifest.Schema, schemaOfRuns) {
		return true
	}
	var state struct {
		Key string `json:"key"`
	}
	if readJSON(filepath.Join(dir, "state.json"), &state) != nil || len(state.Key) != 16 {
		return false
	}
	_, err := os.Stat(filepath.Join(dir, "lock"))
	return err == nil
}

// schemaOfRuns is what every version of a Run's manifest begins its schema with.
var schemaOfRuns = strings.TrimRight(run.Schema, "0123456789")
