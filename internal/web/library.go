package web

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"saturate/internal/device"
	"saturate/internal/report"
	"saturate/internal/run"
	"saturate/internal/trace/open"
	"saturate/internal/trace/snapshot"
	"saturate/internal/whatif"
)

// Options say what a library holds and how its Runs are shown.
type Options struct {
	Folders []string // of Runs: every Run in them is shown, those that appear later too
	Runs    []string // single Runs, by their folders
	Traces  []string // files, and folders of traces
	Live    []string // folders in which commands tell how far they are
	Cache   string   // where imported traces are kept
	Capture []string // traces, and folders of them, in which CUDA graphs were captured that the others replay
	Version string   // of saturate
	Code    string   // folder whose code may be read: that of a Run is, where it ran in there

	Show          func([]run.Run) (report.Report, error) // one Run, or several side by side
	Compare       func(a, b run.Run) report.Report
	Scan          func(ctx context.Context, dir string) (report.Report, error)                     // findings in code; may be nil
	Untraced      func(path string) *whatif.Untraced                                               // what a trace's Run measured without the profiler; may be nil
	GPUs          func(context.Context) []device.GPUNow                                            // what the GPUs of this machine do; may be nil
	CompareTraces func(ctx context.Context, before, after []string) (report.Report, error)         // two traces, or jobs of several ranks, side by side
	Snapshot      func(ctx context.Context, path string) (report.Report, []snapshot.Answer, error) // what held the memory, by a snapshot of torch
}

// Library is what a server shows.
type Library struct {
	opt   Options
	roots map[string]*os.Root // by path

	mu      sync.Mutex
	imports map[string]*imported // by the trace's id
	known   map[string]knownRun  // by folder
	turn    chan struct{}        // one import at a time: each takes memory
	gpus    gpuMeter
	pages   map[string]*prepared // pages that take a while, by their keys

	captured string // tells the captures apart from others; "" without
}

// NewLibrary opens the folders. What is not in one of them is not shown, whatever a link in them leads to.
func NewLibrary(opt Options) (*Library, error) {
	l := &Library{opt: opt, roots: map[string]*os.Root{}, imports: map[string]*imported{}, known: map[string]knownRun{}, turn: make(chan struct{}, 1), gpus: gpuMeter{ask: opt.GPUs}, pages: map[string]*prepared{}}
	if len(opt.Capture) > 0 {
		list, err := open.Files(opt.Capture)
		if err != nil {
			return nil, err
		}
		l.captured = newItem("", "", list).ID
	}
	paths := slices.Concat(opt.Folders, opt.Runs)
	for _, path := range opt.Traces {
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			if info.Mode().IsRegular() && !isSnapshot(path) {
				if err := open.Check(path); err != nil {
					return nil, errors.Join(fmt.Errorf("%s: %w", path, err), l.Close())
				}
			}
			path = filepath.Dir(path)
		}
		paths = append(paths, path)
	}
	for _, path := range paths {
		if l.roots[path] != nil {
			continue
		}
		root, err := os.OpenRoot(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // the first Run makes it
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("cannot serve %s: %w", path, err), l.Close())
		}
		l.roots[path] = root
	}
	return l, nil
}

// Close ends the use of the folders and of imported traces.
func (l *Library) Close() error {
	var err error
	for _, root := range l.roots {
		err = errors.Join(err, root.Close())
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, i := range l.imports {
		if i.index != nil {
			err = errors.Join(err, i.index.Close())
		}
	}
	return err
}

// inside reports whether a path lies in one of the folders, with all links followed.
func (l *Library) inside(path string) bool {
	for folder, root := range l.roots {
		rel, err := filepath.Rel(folder, path)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		if _, err := root.Stat(rel); err == nil {
			return true
		}
	}
	// A folder that did not exist at the start may hold its first Run now.
	for _, folder := range l.opt.Folders {
		rel, err := filepath.Rel(folder, path)
		if err != nil || !filepath.IsLocal(rel) || l.roots[folder] != nil {
			continue
		}
		root, err := os.OpenRoot(folder)
		if err != nil {
			continue
		}
		_, err = root.Stat(rel)
		root.Close()
		if err == nil {
			return true
		}
	}
	return false
}

// runs lists all Runs, the newest first, without their steps.
func (l *Library) runs() ([]run.Run, error) {
	var all []run.Run
	seen := map[string]bool{}
	add := func(r run.Run) {
		if !seen[r.Dir] && l.inside(r.Dir) {
			seen[r.Dir] = true
			all = append(all, r)
		}
	}
	for _, folder := range l.opt.Folders {
		list, err := run.List(folder)
		if err != nil {
			return nil, err
		}
		for _, r := range list {
			if r.State != run.Damaged {
				add(r)
			}
		}
	}
	for _, dir := range l.opt.Runs {
		r, err := run.Read(dir)
		if err != nil {
			return nil, err
		}
		add(r)
	}
	slices.SortStableFunc(all, func(a, b run.Run) int { return b.Started.Compare(a.Started) })
	return all, nil
}

// run reads the Run of an id with its steps.
func (l *Library) run(id string) (run.Run, error) {
	all, err := l.runs()
	if err != nil {
		return run.Run{}, err
	}
	for _, r := range all {
		if r.ID == id {
			return run.Read(r.Dir)
		}
	}
	return run.Run{}, errNotThere
}

var errNotThere = errors.New("no such run or trace; choose one from the list")

// traceItem is a trace, or the ranks of one job.
type traceItem struct {
	ID    string   `json:"id"`
	Name  string   `json:"name"`
	Bytes int64    `json:"bytes"`
	Ranks int      `json:"ranks,omitempty"` // 0: a single trace
	Run   string   `json:"run,omitempty"`   // the Run it belongs to
	paths []string // shown from
	files []open.File
}

// mostRanks is how many traces of a folder are offered as one job.
const mostRanks = 64

// traces lists the traces that were named, those of named folders, and those of the Runs.
func (l *Library) traces(runs []run.Run) (items []traceItem) {
	seen := map[string]bool{}
	add := func(path, owner string) {
		found, err := open.Files([]string{path})
		if err != nil {
			return // no traces in there
		}
		folders := map[string][]open.File{}
		var order []string
		for _, f := range found {
			if seen[f.Path] || !l.inside(f.Path) || isSnapshot(f.Path) {
				continue
			}
			seen[f.Path] = true
			folder := filepath.Dir(f.Path)
			if folders[folder] == nil {
				order = append(order, folder)
			}
			folders[folder] = append(folders[folder], f)
		}
		for _, folder := range order {
			if n := len(folders[folder]); n > 1 && n <= mostRanks && (owner == "" || ranksOf(folders[folder]) > 1) { // else recordings of one process
				items = append(items, newItem(l.shownName(folder, owner), owner, folders[folder]))
			}
			for _, f := range folders[folder] {
				items = append(items, newItem(l.shownName(f.Path, owner), owner, []open.File{f}))
			}
		}
	}
	for _, r := range runs { // first, for a folder that was named may hold Runs
		if info, err := os.Stat(filepath.Join(r.Dir, "profiler_traces")); err == nil && info.IsDir() || hasTrace(r) {
			add(r.Dir, r.ID)
		}
	}
	for _, path := range l.opt.Traces {
		add(path, "")
	}
	return items
}

func hasTrace(r run.Run) bool {
	return slices.ContainsFunc(r.Artefacts, func(a run.Artefact) bool { return a.Kind == "trace" })
}

// shownName is a path as seen from the folder that was named. A Run's traces are listed beside its name.
func (l *Library) shownName(path, owner string) string {
	best := filepath.Base(path)
	if owner != "" {
		return best
	}
	for _, folder := range slices.Concat(l.opt.Folders, l.opt.Traces) {
		if rel, err := filepath.Rel(folder, path); err == nil && filepath.IsLocal(rel) && rel != "." {
			return filepath.ToSlash(rel)
		}
	}
	return best
}

// newItem names traces by what they are: other content or another place is another id.
func newItem(name, owner string, list []open.File) traceItem {
	item := traceItem{Name: name, Run: owner, files: list}
	h := sha256.New()
	for _, f := range list {
		item.Bytes += f.Size
		item.paths = append(item.paths, f.Path)
		var changed time.Time
		if info, err := os.Stat(f.Path); err == nil {
			changed = info.ModTime()
		}
		fmt.Fprintf(h, "%s\x00%d\x00%d\n", f.Path, f.Size, changed.UnixNano())
	}
	if n := len(list); n > 1 {
		name = strings.TrimSuffix(name, "/")
		switch ranks := ranksOf(list); {
		case ranks == 0:
			item.Ranks, item.Name = n, fmt.Sprintf("%s: %d traces", name, n)
		case ranks == n:
			item.Ranks, item.Name = n, fmt.Sprintf("%s: %d ranks", name, n)
		default:
			item.Ranks, item.Name = ranks, fmt.Sprintf("%s: %d ranks, %d recordings each", name, ranks, n/ranks)
		}
	}
	item.ID = hex.EncodeToString(h.Sum(nil)[:6])
	return item
}

// ranksOf is how many ranks the files' names tell, where each has as many files; else 0.
func ranksOf(list []open.File) int {
	ranks := map[int]int{}
	for _, f := range list {
		ranks[f.Rank()]++
	}
	for rank, n := range ranks {
		if rank < 0 || n*len(ranks) != len(list) {
			return 0
		}
	}
	return len(ranks)
}

// trace finds a trace by its id.
func (l *Library) trace(id string) (traceItem, error) {
	runs, err := l.runs()
	if err != nil {
		return traceItem{}, err
	}
	for _, item := range l.traces(runs) {
		if item.ID == id {
			return item, nil
		}
	}
	return traceItem{}, errNotThere
}

// Start is the page to begin with: that of the only Run or trace, else the list.
func (l *Library) Start() (string, error) {
	runs, err := l.runs()
	if err != nil {
		return "", err
	}
	traces, snapshots := l.traces(runs), l.snapshots()
	switch {
	case len(runs) == 1 && len(l.opt.Folders) == 0:
		return "/run/" + runs[0].ID, nil
	case len(runs) == 0 && len(traces) == 1 && len(snapshots) == 0:
		return "/trace/" + traces[0].ID, nil
	case len(runs) == 0 && len(traces) == 0 && len(snapshots) == 1:
		return "/memory/" + snapshots[0].ID, nil
	case len(runs) == 0 && len(traces) == 0 && len(snapshots) == 0 && len(l.opt.Traces) > 0:
		return "", fmt.Errorf("%s: no runs and no traces in this folder", l.opt.Traces[0])
	}
	return "/", nil
}
