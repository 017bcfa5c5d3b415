package process

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Confinement keeps a program from writing to files that are not its own. It reads everything. What it writes outside
// of its own folders it sees itself, and nobody else does: the files are copied when they are written to, and gone when
// the program has ended. Where the kernel does not offer that, such writes are refused.
//
//	overlay    a mount namespace of its own, with an overlay over every folder at the top of the file system
//	landlock   writes are refused by the kernel, and the program gets "Permission denied"
//	none       neither is there: the outside files are watched
type Confinement struct {
	Own []string // folders that it writes for real: its copy of the project, what is recorded of it

	Fork *Fork // nil: the program is started; otherwise a process forks and becomes the program, confined just the same
}

// Fork is a fork server's end of a program: the server reads from the other end of the socket what it has to become,
// and tells how that ended.
type Fork struct {
	Socket  *os.File
	Options []string // of the interpreter
	Args    []string // the script, or -m and a module, and its arguments
}

// Kind is how a program is confined here.
type Kind string

const (
	Overlay  Kind = "overlay"
	Landlock Kind = "landlock"
	Open     Kind = "none"
)

// caches are variables that name folders in which libraries keep what they have made or downloaded, and where those lie
// otherwise.
var caches = map[string]string{
	"XDG_CACHE_HOME": "~/.cache", "HF_HOME": "~/.cache/huggingface", "TORCH_HOME": "~/.cache/torch", "TRITON_CACHE_DIR": "~/.triton",
	"CUDA_CACHE_PATH": "~/.nv", "TORCHINDUCTOR_CACHE_DIR": "", "NUMBA_CACHE_DIR": "", "MPLCONFIGDIR": "~/.config/matplotlib", "PYTHONPYCACHEPREFIX": "",
}

// writable are the folders that a program may write for real: its own, and the caches of its libraries.
func (c Confinement) writable(environ []string) (list []string) {
	variable := func(name string) string {
		for _, entry := range slices.Backward(environ) {
			if value, ok := strings.CutPrefix(entry, name+"="); ok {
				return value
			}
		}
		return ""
	}
	home := variable("HOME")
	add := func(folder string) {
		if rest, ok := strings.CutPrefix(folder, "~"); ok {
			if home == "" {
				return
			}
			folder = home + rest
		}
		if real, err := filepath.EvalSymlinks(folder); err == nil && filepath.IsAbs(real) && !slices.Contains(list, real) {
			list = append(list, real)
		}
	}
	for _, folder := range c.Own {
		add(folder)
	}
	for name, usual := range caches {
		if set := variable(name); set != "" {
			add(set)
		} else {
			add(usual)
		}
	}
	slices.Sort(list)
	return list
}

// outside names the files of a list that the program wrote outside its folders, without what Python and shells
// leave.
func outside(paths []string) []string {
	return slices.DeleteFunc(paths, func(path string) bool {
		return strings.Contains(path, "/__pycache__/") || strings.HasPrefix(path, os.TempDir()+"/") && isScratch(path)
	})
}

// isScratch reports whether a file in the folder for temporary files was new: nobody's file was meant.
func isScratch(path string) bool {
	_, err := os.Lstat(path)
	return err != nil
}

// watch looks, where nothing confines the program, which files of its neighbors it has changed.
func (c Confinement) watch() (done func() []string) {
	began := time.Now()
	return func() (list []string) {
		for _, folder := range c.neighbours() {
			seen := 0
			_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
				if seen++; err != nil || seen > mostWatched {
					return filepath.SkipDir
				}
				if info, err := d.Info(); err == nil && info.Mode().IsRegular() && info.ModTime().After(began) {
					list = append(list, path)
				}
				return nil
			})
		}
		return list
	}
}

const mostWatched = 20_000 // files of each neighbour

// neighbors are the folders of the user's that links beside the program's own folders lead to: there ../data is found.
func (c Confinement) neighbours() (list []string) {
	for _, own := range c.Own {
		beside, _ := os.ReadDir(filepath.Dir(own))
		for _, e := range beside {
			if e.Type()&fs.ModeSymlink == 0 {
				continue
			}
			if real, err := filepath.EvalSymlinks(filepath.Join(filepath.Dir(own), e.Name())); err == nil &&
				!slices.Contains(list, real) {
				list = append(list, real)
			}
		}
	}
	return list
}
