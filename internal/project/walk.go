package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"saturate/internal/files"
	"saturate/internal/human"
)

// file is something to read.
type file struct {
	path     string
	size     int64
	kind     fileKind
	named    bool   // by the user, not found in a folder
	link     bool   // leads to another file
	of       string // the file of the project that a link leads to, or nothing
	above    bool   // of the surroundings of what the user named: only the versions in it count
	outline  bool   // the heads of its functions may do
	test     bool   // its lines are counted, and no more
	borrowed bool   // its text is in memory that the next file needs
}

type fileKind uint8

const (
	pythonFile fileKind = iota
	notebookFile
	settingsFile
	versionsFile
	scriptFile
)

// mostSettings is how many settings files are read: a folder with more JSON
// files than that holds data.
const mostSettings = 2000

// walk lists the files that belong to the project, each once, in order of their path.
func walk(paths []string, opt Options) (list []file, environments []string, root string, warnings []Warning, err error) {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	w := &walker{opt: opt, seen: map[string]bool{}}
	for i, p := range paths {
		p = filepath.Clean(p)
		info, err := os.Stat(p)
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil, nil, "", nil, fmt.Errorf("%s does not exist; give a Python file or a project folder", p)
			}
			return nil, nil, "", nil, fmt.Errorf("%s cannot be read: %w", p, unwrapPath(err))
		}
		folder := p
		if info.IsDir() {
			if _, err := os.ReadDir(p); err != nil {
				return nil, nil, "", nil, fmt.Errorf("%s cannot be read: %w", p, unwrapPath(err))
			}
			w.top = realPath(p)
			w.folder(p, ignores{base: p, rules: parseIgnore(strings.Join(opt.Exclude, "\n"))}, 0)
		} else if !info.Mode().IsRegular() {
			return nil, nil, "", nil, fmt.Errorf("%s cannot be read: %w", p, files.ErrNotRegular)
		} else {
			folder = filepath.Dir(p)
			if err := w.named(p, info); err != nil {
				return nil, nil, "", nil, err
			}
		}
		w.versionsAbove(p, info.IsDir())
		if i == 0 {
			root = folder
		} else {
			root = common(root, folder)
		}
	}
	sort.Slice(w.files, func(i, j int) bool { return w.files[i].path < w.files[j].path })
	w.limitSettings()
	w.followLinks()
	if w.outside > 0 {
		w.warn(w.firstOut, "%s out of the folder %s not followed; name the target if it belongs to the project",
			human.Plural(w.outside, "link"), human.Choose(w.outside, "was", "were"))
	}
	return w.files, w.environments, root, w.warnings, nil
}

type walker struct {
	opt      Options
	files    []file
	warnings []Warning
	seen     map[string]bool // real paths of folders and files that came through links
	top      string          // the real path of the folder that is walked
	outside  int             // links that lead out of it
	firstOut string

	environments []string // folders of installed Pythons
	peeked       int      // files that were opened to see whether they are programs
}

func (w *walker) warn(path, format string, args ...any) {
	w.warnings = append(w.warnings, Warning{Path: path, Message: fmt.Sprintf(format, args...)})
}

// named takes a file that the user named. Without an ending it is Python.
func (w *walker) named(path string, info fs.FileInfo) error {
	kind, ok := kindOf(path)
	switch {
	case !ok && filepath.Ext(path) == "":
		kind = pythonFile
	case !ok || kind == scriptFile:
		return fmt.Errorf("%s is not a Python file, a notebook or a settings file (.py, .ipynb, .yaml, .json, .toml)", path)
	}
	seen, err := os.Lstat(path)
	w.add(file{path: path, size: info.Size(), kind: kind, named: true, link: err == nil && seen.Mode()&fs.ModeSymlink != 0})
	return nil
}

// mostAbove is how far above a path the top of its repository is looked for.
const mostAbove = 16

// versionsAbove takes the files that say which libraries a path is used with: those beside a file, and those above up
// to the top of the repository. They hold for it, however much of the project the user named.
func (w *walker) versionsAbove(p string, isDir bool) {
	dir, err := filepath.Abs(p)
	if err != nil {
		return
	}
	typed := p
	up := func() { dir, typed = filepath.Dir(dir), above(typed) }
	var found []file
	for level := 0; level <= mostAbove; level++ {
		if level > 0 || !isDir {
			up()
			for _, f := range w.versionsIn(typed) {
				if level == 0 {
					w.add(f)
				} else {
					found = append(found, f)
				}
			}
		}
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			for _, f := range found {
				w.add(f)
			}
			return
		}
		if filepath.Dir(dir) == dir {
			return
		}
	}
}

// above is the folder of a path, as the user would type it.
func above(p string) string {
	if base := filepath.Base(p); base == "." || base == ".." {
		return filepath.Join(p, "..")
	}
	return filepath.Dir(p)
}

// versionsIn lists the files of a folder that say which libraries are used.
func (w *walker) versionsIn(dir string) (list []file) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && isVersionsFile(strings.ToLower(e.Name())) {
			list = append(list, file{path: filepath.Join(dir, e.Name()), size: info.Size(), kind: versionsFile, above: true})
		}
	}
	return list
}

func (w *walker) add(f file) {
	if !w.seen[f.path] {
		w.seen[f.path] = true
		w.files = append(w.files, f)
	}
}

// mostDepth is how deep folders are followed, in case a file system has a cycle that links do not show.
const mostDepth = 64

func (w *walker) folder(dir string, ig ignores, depth int) {
	if depth > mostDepth {
		w.warn(dir, "skipped: the folder is more than %d levels deep", mostDepth)
		return
	}
	key := "folder:" + realPath(dir)
	if w.seen[key] {
		return // a link that leads back
	}
	w.seen[key] = true
	entries, err := os.ReadDir(dir)
	if err != nil {
		w.warn(dir, "the folder cannot be read: %v", unwrapPath(err))
		return
	}
	ig = ig.enter(dir)
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		isDir := entry.IsDir()
		size := int64(-1)
		if entry.Type()&fs.ModeSymlink != 0 {
			info, err := os.Stat(path)
			if err != nil || !info.IsDir() && !info.Mode().IsRegular() {
				continue // a link to nothing, or to a device
			}
			isDir, size = info.IsDir(), info.Size()
			if !files.Inside(realPath(path), w.top) {
				if _, wanted := kindOf(entry.Name()); isDir || wanted {
					w.leaveOut(path)
				}
				continue
			}
		} else if !isDir && !entry.Type().IsRegular() {
			continue
		}
		if isDir && isEnvironment(path) {
			w.environments = append(w.environments, path)
			continue
		}
		if ig.skips(path, entry.Name(), isDir) {
			continue
		}
		if isDir {
			if !strings.HasPrefix(entry.Name(), ".") {
				w.folder(path, ig, depth+1)
			}
			continue
		}
		kind, ok := kindOf(entry.Name())
		if !ok && filepath.Ext(entry.Name()) == "" && w.peeked < mostPeeked {
			w.peeked++
			kind, ok = pythonFile, startsPython(path)
		}
		if !ok {
			continue
		}
		if size < 0 {
			if info, err := entry.Info(); err == nil {
				size = info.Size()
			}
		}
		w.add(file{path: path, size: size, kind: kind, link: entry.Type()&fs.ModeSymlink != 0})
	}
}

// mostPeeked is how many files without an ending are opened: a folder with more of them holds data.
const mostPeeked = 100

// startsPython reports a program whose first line says that Python runs it.
func startsPython(path string) bool {
	f, err := files.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var head [64]byte
	n, _ := f.Read(head[:])
	line, _, _ := strings.Cut(string(head[:n]), "\n")
	return strings.HasPrefix(line, "#!") && strings.Contains(line, "python")
}

// leaveOut counts a link that leads out of the folder; files outside a given folder are not read.
func (w *walker) leaveOut(path string) {
	if w.outside++; w.outside == 1 {
		w.firstOut = path
	}
}

// followLinks finds for each link the file that it leads to. A link stays a file of its own, because Python
// imports it under its own name; what is found in it and what is to change is in the file.
func (w *walker) followLinks() {
	holders := map[string]string{} // by the real path
	if slices.ContainsFunc(w.files, func(f file) bool { return f.link }) {
		folders := map[string]string{}
		for _, f := range w.files {
			if !f.link {
				dir := filepath.Dir(f.path)
				if folders[dir] == "" {
					folders[dir] = realPath(dir)
				}
				holders[filepath.Join(folders[dir], filepath.Base(f.path))] = f.path
			}
		}
	}
	for i := range w.files {
		if f := &w.files[i]; f.link {
			real := realPath(f.path)
			if f.of = holders[real]; f.of == "" {
				holders[real] = f.path // the first link stands for a file that lies elsewhere
			}
		}
	}
}

// realPath is the absolute path without links, as far as it can be told.
func realPath(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return files.Real(path)
}

// limitSettings drops the settings files of a project that has too many.
func (w *walker) limitSettings() {
	n := 0
	for _, f := range w.files {
		if f.kind == settingsFile {
			n++
		}
	}
	if n <= mostSettings {
		return
	}
	kept := w.files[:0]
	left := mostSettings
	for _, f := range w.files {
		if f.kind == settingsFile {
			if left--; left < 0 {
				if left == -1 {
					w.warn(f.path, "skipped: there are %s settings files; this one and all later ones (by path) were not read", human.Count(n))
				}
				continue
			}
		}
		kept = append(kept, f)
	}
	w.files = kept
}

func kindOf(name string) (fileKind, bool) {
	base := strings.ToLower(filepath.Base(name))
	switch {
	case isVersionsFile(base):
		return versionsFile, true
	case strings.HasSuffix(base, ".py") || strings.HasSuffix(base, ".pyw"):
		return pythonFile, true
	case strings.HasSuffix(base, ".ipynb"):
		return notebookFile, true
	case isScript(base):
		return scriptFile, true
	case settingsLanguage(base) != "" && !strings.HasPrefix(base, "tokenizer") && base != "package.json" &&
		base != "package-lock.json":
		return settingsFile, true
	}
	return 0, false
}

// isEnvironment reports a folder that holds an installed Python, whatever its name.
func isEnvironment(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "pyvenv.cfg"))
	return err == nil
}

// common is the deepest folder above both.
func common(a, b string) string {
	for a != b && !strings.HasPrefix(b+string(filepath.Separator), a+string(filepath.Separator)) {
		up := filepath.Dir(a)
		if up == a {
			return a
		}
		a = up
		if a == "." {
			return a
		}
	}
	return a
}

// unwrapPath leaves the path out of an error, for messages that name it already.
func unwrapPath(err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	return err
}
