package process

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Interpreter is a Python that the user has chosen, and by what.
type Interpreter struct{ Origin, Path string }

// Interpreters are the Pythons of the user's environment in order of preference: an activated environment, then what
// PATH has. One that merely lies in a folder, such as .venv, is not among them: the folder may be somebody else's. Of
// the environments that tools live in, only those with torch are: the tool's own packages train nothing. An activated
// environment may lack its Python.
func Interpreters(getenv func(name string) string) (found []Interpreter) {
	add := func(origin, path string) {
		if filepath.IsAbs(path) && (origin != "PATH" || IsExecutable(path)) && !slices.ContainsFunc(found, func(i Interpreter) bool { return i.Path == path }) {
			found = append(found, Interpreter{origin, path})
		}
	}
	if prefix := getenv("VIRTUAL_ENV"); prefix != "" {
		add("VIRTUAL_ENV", PythonIn(prefix))
	}
	if prefix := getenv("CONDA_PREFIX"); prefix != "" {
		path := PythonIn(prefix)
		if runtime.GOOS == "windows" {
			path = filepath.Join(prefix, "python.exe")
		}
		add("CONDA_PREFIX", path)
	}
	names := []string{"python3", "python"}
	if runtime.GOOS == "windows" {
		names = []string{"python.exe"}
	}
	for _, name := range names {
		for _, dir := range filepath.SplitList(getenv("PATH")) {
			if !ofTool(filepath.Dir(dir)) {
				add("PATH", filepath.Join(dir, name))
			}
		}
	}
	return found
}

// WithoutTools is a PATH without the environments that tools live in: uvx and pipx put theirs first, so that `python`
// would be a Python without the user's packages. An environment that the user activated stays.
func WithoutTools(path, activated string) string {
	kept := slices.DeleteFunc(filepath.SplitList(path), func(dir string) bool {
		prefix := filepath.Dir(dir)
		return filepath.IsAbs(dir) && prefix != filepath.Clean(activated) && ofTool(prefix)
	})
	return strings.Join(kept, string(filepath.ListSeparator))
}

// PythonIn is where an environment has its interpreter.
func PythonIn(prefix string) string {
	if runtime.GOOS == "windows" {
		return filepath.Join(prefix, "Scripts", "python.exe")
	}
	return filepath.Join(prefix, "bin", "python")
}

// self is this program.
var self = os.Executable

// ofTool reports whether an environment was made for a tool, as uvx, uv tool and pipx do: it holds this very program, or
// says so.
func ofTool(prefix string) bool {
	if _, err := os.Stat(filepath.Join(prefix, "pyvenv.cfg")); err != nil {
		return false
	}
	for _, framework := range []string{"torch", "jax"} {
		for _, folder := range []string{filepath.Join("lib", "python*"), "Lib"} { // elsewhere, and on Windows
			if found, _ := filepath.Glob(filepath.Join(prefix, folder, "site-packages", framework)); len(found) > 0 {
				return false
			}
		}
	}
	for _, receipt := range []string{"uv-receipt.toml", "pipx_metadata.json"} {
		if _, err := os.Stat(filepath.Join(prefix, receipt)); err == nil {
			return true
		}
	}
	program, err := self()
	if err == nil {
		program, err = filepath.EvalSymlinks(program)
	}
	real, realErr := filepath.EvalSymlinks(prefix)
	if err != nil || realErr != nil {
		return false
	}
	relative, err := filepath.Rel(real, program)
	return err == nil && filepath.IsLocal(relative)
}

// IsExecutable reports whether a file is there that can be run.
func IsExecutable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (info.Mode()&0o111 != 0 || runtime.GOOS == "windows")
}

// Neutral is a folder to start programs in that are only asked something: Python imports from the folder it is started
// in, and the user's may be somebody else's.
func Neutral() string {
	if root := os.Getenv("SystemRoot"); runtime.GOOS == "windows" {
		return root
	}
	return "/"
}
