package probe

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"saturate/internal/files"
	"saturate/python"
)

// inside is what runs in the user's program.
//
//go:embed py/*.py py/saturate_probe/*.py
var inside embed.FS

// unpack puts the probe where interpreters can import it.
func unpack() (string, error) {
	sources := map[string][]byte{}
	err := fs.WalkDir(inside, "py", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".py" {
			return err
		}
		data, err := inside.ReadFile(name)
		sources[strings.TrimPrefix(name, "py/")] = data
		return err
	})
	if err != nil {
		return "", fmt.Errorf("the probe is damaged: %w", err)
	}
	for name, data := range python.Runtime() { // what patches import, where it is not installed
		sources["runtime/"+name] = data
	}
	return Unpack("probe", sources)
}

// Unpack puts Python files into a folder of the cache that is named after what it holds, so that it is written once and
// its compiled form is used again. It returns the folder.
func Unpack(kind string, sources map[string][]byte) (string, error) {
	hash := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		fmt.Fprintf(hash, "%s %d\n%s", name, len(sources[name]), sources[name])
	}
	folder := kind + "-" + hex.EncodeToString(hash.Sum(nil)[:8])
	var last error
	for _, base := range cacheFolders() {
		if last = ours(base); last != nil {
			continue
		}
		target := filepath.Join(base, folder)
		if complete(target, sources) {
			return target, nil
		}
		if last = write(target, sources); last == nil || complete(target, sources) {
			return target, nil
		}
	}
	return "", fmt.Errorf("cannot unpack the %s: %w; set XDG_CACHE_HOME to a writable folder", kind, last)
}

func cacheFolders() []string {
	var folders []string
	if cache, err := os.UserCacheDir(); err == nil {
		folders = append(folders, filepath.Join(cache, "saturate"))
	}
	return append(folders, filepath.Join(os.TempDir(), fmt.Sprintf("saturate-%d", os.Getuid())))
}

// ours makes a folder, and refuses one that somebody else has made or linked: what lies in it is run.
func ours(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for _, look := range []func(string) (fs.FileInfo, error){os.Lstat, os.Stat} {
		info, err := look(dir)
		if err != nil {
			return err
		}
		if owner := files.Owner(info); owner >= 0 && owner != os.Getuid() {
			return fmt.Errorf("%s belongs to another user", dir)
		}
	}
	return nil
}

func complete(target string, sources map[string][]byte) bool {
	for name, data := range sources {
		if have, err := files.Read(filepath.Join(target, filepath.FromSlash(name)), files.MaxSource); err != nil ||
			string(have) != string(data) {
			return false
		}
	}
	return true
}

// write makes the folder under another name first: several may be started at once.
func write(target string, sources map[string][]byte) error {
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	temporary, err := os.MkdirTemp(filepath.Dir(target), ".probe-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	for name, data := range sources {
		file := filepath.Join(temporary, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := files.Write(file, data); err != nil {
			return err
		}
	}
	os.RemoveAll(target) // left by somebody who was killed, or changed by hand
	return os.Rename(temporary, target)
}

// settings is what the probe reads from its variable.
func (p Plan) settings(folder, runDir string) (string, error) {
	text, err := json.Marshal(struct {
		Folder  string      `json:"folder"`
		Run     string      `json:"run"`
		Steps   int         `json:"steps,omitempty"`
		Within  *Within     `json:"within,omitempty"`
		Seed    *int64      `json:"seed,omitempty"`
		Loss    bool        `json:"loss,omitempty"`
		Trace   *Schedule   `json:"trace,omitempty"`
		Attach  bool        `json:"attach,omitempty"`
		Sample  bool        `json:"sample,omitempty"`
		Samples *SamplePlan `json:"samples,omitempty"`
		Imports bool        `json:"imports,omitempty"`
	}{absolute(folder), absolute(runDir), p.Steps, p.Within, p.Seed, p.Loss, p.Trace, p.Attach, p.Sample, p.Samples, p.Forks != nil})
	return string(text), err
}

func absolute(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}

// noCompile are the variables that turn torch.compile off. It reads the first when it is called, so that programs that were
// forked obey it too.
var noCompile = []string{"TORCHDYNAMO_DISABLE", "TORCH_COMPILE_DISABLE"}

// environ is what the program would start with anyway.
func (p Plan) environ() []string {
	environ := p.Environ
	if environ == nil {
		environ = os.Environ()
	}
	environ = append(slices.Clone(environ), p.Env...)
	if p.NoCompile {
		for _, name := range noCompile {
			environ = append(environ, name+"=1")
		}
	}
	if _, set := lookup(environ, "PYTHONHASHSEED"); p.Seed != nil && !set {
		environ = append(environ, fmt.Sprintf("PYTHONHASHSEED=%d", uint32(*p.Seed)))
	}
	return environ
}

// withProbe makes every Python that the program starts start the probe.
func withProbe(environ []string, folder, settings string) []string {
	return append(inFront(environ, folder), "SATURATE_PROBE="+settings)
}

// inFront puts the probe's folder first on the search path of Python.
func inFront(environ []string, folder string) []string {
	search := folder
	if theirs, ok := lookup(environ, "PYTHONPATH"); ok && theirs != "" {
		search += string(os.PathListSeparator) + searchPath(environ, theirs)
	}
	return append(slices.Clone(environ), "PYTHONPATH="+search)
}

// lookup finds the last value of a variable, which is the one that counts.
func lookup(environ []string, name string) (string, bool) {
	for _, entry := range slices.Backward(environ) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value, true
		}
	}
	return "", false
}

func (p Plan) dir() string {
	if p.Dir != "" {
		return p.Dir
	}
	dir, err := os.Getwd()
	if err != nil {
		return "."
	}
	return dir
}

// name is the experiment's: that of the first script, else of the program.
func (p Plan) name() string {
	if p.Name != "" {
		return p.Name
	}
	for i, arg := range p.Command {
		if arg == "-m" && i+1 < len(p.Command) && i > 0 {
			if module := p.Command[i+1]; module != "torch.distributed.run" && module != "accelerate.commands.launch" {
				return module
			}
		}
		if strings.HasSuffix(arg, ".py") {
			return strings.TrimSuffix(filepath.Base(arg), ".py")
		}
	}
	return filepath.Base(p.Command[0])
}
