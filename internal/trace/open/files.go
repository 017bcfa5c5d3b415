package open

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"saturate/internal/trace"
)

// File is a trace to be read.
type File struct {
	Path  string
	Size  int64
	Named bool // by the user, not found in a folder
}

// Rank is the rank that the file's name tells; -1 when it tells none.
func (f File) Rank() int { return rankIn(f.Path) }

// Files lists the trace files at the paths. A folder stands for the traces in it and
// below it, by their names; that of a Run, for its profiler's traces alone, for a Run holds
// other JSON too. A file that the user names is taken with any ending.
func Files(paths []string) ([]File, error) {
	if len(paths) == 0 {
		return nil, errors.New("no trace given")
	}
	var files []File
	for _, path := range paths {
		if path == "" {
			return nil, errors.New("a trace name is empty; use a file or folder")
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, unwrapPath(err))
		}
		if !info.IsDir() {
			files = append(files, File{path, info.Size(), true})
			continue
		}
		if traces := filepath.Join(path, "profiler_traces"); isFolder(traces) {
			path = traces
		}
		found, err := inFolder(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, unwrapPath(err))
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("%s: no trace in this folder (looked for *%s, also with .gz or .zst)", path,
				strings.Join(endings(), ", *"))
		}
		files = append(files, found...)
	}
	return files, nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// inFolder lists the traces in a folder and below it. Links to files are followed, and so is a folder that is one
// itself.
func inFolder(folder string) ([]File, error) {
	if real, err := filepath.EvalSymlinks(folder); err == nil && isLink(folder) {
		folder = real
	}
	var files []File
	stems, folders := map[string]bool{}, map[string]bool{} // of xplane files
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := entry.Name(); entry.IsDir() && path != folder && strings.HasPrefix(name, ".") {
			return fs.SkipDir
		}
		if entry.IsDir() || !isTraceName(entry.Name()) || ofRun(path) {
			return nil
		}
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			return nil // a link to nothing, a device, a pipe
		}
		files = append(files, File{Path: path, Size: info.Size()})
		if stem, ok := strings.CutSuffix(path, ".xplane.pb"); ok {
			stems[stem], folders[filepath.Dir(path)] = true, true
		}
		return nil
	})
	// JAX writes each run twice, or three times with create_perfetto_trace. The JSON is cut at a million events; the
	// protocol buffer is whole.
	files = slices.DeleteFunc(files, func(f File) bool {
		stem, ok := strings.CutSuffix(f.Path, ".trace.json.gz")
		return ok && stems[stem] || filepath.Base(f.Path) == "perfetto_trace.json.gz" && folders[filepath.Dir(f.Path)]
	})
	return files, err
}

// ofRun reports whether a file is a Run's own: run.json, and what lies beside it.
func ofRun(path string) bool {
	if strings.Contains(filepath.Base(path), ".trace.") {
		return false
	}
	_, err := os.Stat(filepath.Join(filepath.Dir(path), "run.json"))
	return err == nil
}

var rankName = regexp.MustCompile(`(?i)(?:^|[^a-z])rank[-_.=]?(\d+)`)

// InOrder sorts traces by rank. Where nothing tells it, the order of the names does.
func InOrder(traces []*trace.Trace) []*trace.Trace {
	if len(traces) < 2 {
		return traces
	}
	known := slices.ContainsFunc(traces, func(t *trace.Trace) bool { return t.Meta().Rank >= 0 })
	slices.SortStableFunc(traces, func(a, b *trace.Trace) int {
		return cmp.Or(cmp.Compare(a.Meta().Rank, b.Meta().Rank), cmp.Compare(a.Absolute(a.Window().Start), b.Absolute(b.Window().Start)),
			cmp.Compare(a.Meta().Path, b.Meta().Path))
	})
	if !known {
		slices.SortStableFunc(traces, func(a, b *trace.Trace) int { return cmp.Compare(a.Meta().Path, b.Meta().Path) })
		for i, t := range traces {
			traces[i] = t.WithOrigin(t.Meta().Path, i)
		}
	}
	return traces
}

// unwrapPath takes the path off an error that will be shown behind it.
func unwrapPath(err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	return err
}
