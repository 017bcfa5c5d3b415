// Package version is the one place that knows this program's version.
package version

import (
	"runtime/debug"
	"strings"
	"time"
)

// Version follows semantic versioning. Release builds can set it with -ldflags "-X
// saturate/internal/version.Version=…".
var Version = "0.1.0"

// Build is the version with the commit that the program was built from.
type Build struct {
	Version string `json:"version"`          // of saturate
	Commit  string `json:"commit,omitempty"` // missing where the program was not built in a git checkout
	Date    string `json:"date,omitempty"`   // of the commit, YYYY-MM-DD in UTC
	Dirty   bool   `json:"dirty,omitempty"`  // files were changed since the commit
}

// Built reads what the Go toolchain recorded in this program.
func Built() Build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Build{Version: Version}
	}
	return of(info.Settings)
}

func of(settings []debug.BuildSetting) Build {
	b := Build{Version: Version}
	for _, s := range settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			if t, err := time.Parse(time.RFC3339, s.Value); err == nil {
				b.Date = t.UTC().Format(time.DateOnly)
			}
		case "vcs.modified":
			b.Dirty = s.Value == "true"
		}
	}
	return b
}

// String is 0.1.0 (commit abc1234, 2026-11-16), as far as the parts are known.
func (b Build) String() string {
	var parts []string
	if b.Commit != "" {
		commit := "commit " + b.Commit[:min(7, len(b.Commit))]
		if b.Dirty {
			commit += "+dirty"
		}
		parts = append(parts, commit)
	}
	if b.Date != "" {
		parts = append(parts, b.Date)
	}
	if len(parts) == 0 {
		return b.Version
	}
	return b.Version + " (" + strings.Join(parts, ", ") + ")"
}
