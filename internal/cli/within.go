package cli

import (
	"slices"

	"github.com/spf13/pflag"

	"saturate/internal/files"
)

// projectFlag lets a command look at some files with the whole project in view: what a file does may show only where
// another calls it.
func projectFlag(fs *pflag.FlagSet, dir *string) {
	fs.StringVar(dir, "project", "", "read all of `DIR`, but report only what is in PATH…; for pre-commit, which names changed files")
	onCommandLineOnly(fs, "project")
}

// withinProject is what to read, and which files to report; all where no project was named.
func withinProject(env *Env, dir string, paths []string) (read []string, in func(path string) bool) {
	if dir == "" {
		return paths, nil
	}
	return []string{env.path(dir)}, func(path string) bool {
		return slices.ContainsFunc(paths, func(p string) bool { return files.Inside(path, p) })
	}
}
