package web

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"saturate/internal/analyze"
	"saturate/internal/files"
	"saturate/internal/report"
	"saturate/internal/trace"
	"saturate/internal/trace/open"
	"saturate/internal/web/timeline"
)

// imported is a trace on its way to the page, or ready.
type imported struct {
	ready chan struct{} // closed when it is, or failed
	err   error
	index *timeline.Index
	data  []byte // analysis.json

	phase       atomic.Value // string
	done, total atomic.Int64
}

// kept is analysis.json: what the panes of a trace show.
type kept struct {
	analyze.Analysis
	Curve   []memoryPoint        `json:"memory_curve"`
	Busy    [][]float64          `json:"busy_over_time"` // of each GPU, over equal stretches
	Shown   []report.PageFinding `json:"shown_findings"`
	Made    time.Time            `json:"imported"`
	Seconds float64              `json:"import_s"`
}

type memoryPoint struct {
	At        int64 `json:"at"`
	Allocated int64 `json:"allocated"`
	Reserved  int64 `json:"reserved"`
}

// How long the lists of the page are. What is cut is the end of long lists, which are sorted by what they cost.
const (
	mostRows = 5000
	mostGaps = 2_000_000 // drawn
	pageGaps = 500       // listed
)

// importOf is the import of a trace by its id. The list is looked through only for the first request: tiles are many.
func (l *Library) importOf(id string) (*imported, error) {
	l.mu.Lock()
	i := l.imports[id]
	l.mu.Unlock()
	if i != nil {
		return i, nil
	}
	item, err := l.trace(id)
	if err != nil {
		return nil, err
	}
	return l.get(item), nil
}

// get starts the import of a trace unless it is done already, and returns where it stands.
func (l *Library) get(item traceItem) *imported {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := l.imports[item.ID]; i != nil {
		return i
	}
	i := &imported{ready: make(chan struct{})}
	i.phase.Store("waiting")
	i.total.Store(item.Bytes)
	l.imports[item.ID] = i
	go func() {
		defer close(i.ready)
		l.turn <- struct{}{}
		defer func() { <-l.turn }()
		i.index, i.data, i.err = l.load(context.Background(), item, i)
	}()
	return i
}

// load opens what an earlier import kept, or imports.
func (l *Library) load(ctx context.Context, item traceItem, i *imported) (*timeline.Index, []byte, error) {
	key := sha256.Sum256([]byte(item.ID + " " + l.opt.Version + " " + string(rune('0'+timeline.Version)) + l.captured))
	dir := filepath.Join(l.opt.Cache, hex.EncodeToString(key[:12]))
	open := func() (*timeline.Index, []byte, error) {
		data, err := files.Read(filepath.Join(dir, "analysis.json"), 1<<30)
		if err != nil {
			return nil, nil, err
		}
		index, err := timeline.Open(dir)
		now := time.Now()
		_ = os.Chtimes(dir, now, now) // the least used goes first
		return index, data, err
	}
	if index, data, err := open(); err == nil {
		return index, data, nil
	}
	if err := l.importTrace(ctx, item, dir, i); err != nil {
		return nil, nil, err
	}
	debug.FreeOSMemory() // the trace itself is not needed any more
	return open()
}

// importTrace reads and analyzes a trace and writes the folder that the page is drawn from, whole or not at all.
func (l *Library) importTrace(ctx context.Context, item traceItem, dir string, i *imported) (err error) {
	began := time.Now()
	i.phase.Store("reading")
	job, err := open.NewJob(item.paths, open.Options{Progress: func(done, _ int64) { i.done.Store(done) }})
	if err != nil {
		return err
	}
	opt := analyze.All
	opt.Top = mostGaps
	if l.opt.Untraced != nil && len(item.paths) == 1 {
		opt.Untraced = l.opt.Untraced(item.paths[0])
	}
	if len(l.opt.Capture) > 0 {
		if opt.Captures, err = open.Read(ctx, l.opt.Capture, open.Options{}); err != nil {
			return err
		}
	}
	var only *trace.Trace // ranks are read one after the other, and the explained one again
	at := map[string]int{}
	load := func(ctx context.Context, n int) (*trace.Trace, error) {
		if only != nil {
			return only, nil
		}
		t, err := job.Read(ctx, n)
		if t == nil || err != nil {
			return t, err
		}
		name := l.shownName(t.Meta().Path, item.Run)
		t, at[name] = t.WithOrigin(name, t.Meta().Rank), n
		if job.Len() == 1 {
			only = t
		}
		if len(at) == job.Len() {
			i.phase.Store("analyzing")
		}
		return t, nil
	}
	a, err := analyze.Job(ctx, job.Len(), load, opt)
	if err != nil {
		return err
	}
	t, err := load(ctx, at[a.Trace.Path])
	if err != nil {
		return err
	}
	i.phase.Store("drawing")
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	l.prune(item.Bytes)
	temp, err := os.MkdirTemp(filepath.Dir(dir), ".new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if err := timeline.Build(ctx, t, &a, temp); err != nil {
		return err
	}
	k := forPage(a, t.Window().Start)
	k.Made, k.Seconds = began, time.Since(began).Seconds()
	data, err := json.Marshal(k)
	if err != nil {
		return err
	}
	if err := files.WriteMode(filepath.Join(temp, "analysis.json"), data, 0o600); err != nil {
		return err
	}
	if err := os.Rename(temp, dir); err != nil && !errors.Is(err, os.ErrExist) {
		os.RemoveAll(dir) // a damaged one of before
		return os.Rename(temp, dir)
	}
	return nil
}

// forPage counts all times from the trace's beginning, since JavaScript's numbers hold 53 bits, and cuts long lists.
func forPage(a analyze.Analysis, base int64) kept {
	a.Window.StartNS -= base
	a.Window.EndNS -= base
	for i := range a.Steps {
		a.Steps[i].StartNS -= base
		a.Steps[i].EndNS -= base
	}
	k := kept{Busy: [][]float64{}, Curve: []memoryPoint{}}
	for i := range a.GPUs {
		g := &a.GPUs[i]
		g.LongestGaps = slices.Clone(g.LongestGaps[:min(pageGaps, len(g.LongestGaps))])
		for n := range g.LongestGaps {
			g.LongestGaps[n].StartNS -= base
			g.LongestGaps[n].EndNS -= base
		}
		k.Busy = append(k.Busy, g.Busy)
	}
	a.Memory.PeakAtNS -= base
	for i := range a.Memory.Spikes {
		a.Memory.Spikes[i].AtNS -= base
	}
	for i := range a.Findings {
		f := &a.Findings[i]
		if f.When != nil {
			when := *f.When
			when.StartNS -= base
			when.EndNS -= base
			f.When = &when
		}
		for n := range f.Evidence {
			if at := f.Evidence[n].Interval; at != nil {
				moved := *at
				moved.StartNS -= base
				moved.EndNS -= base
				f.Evidence[n].Interval = &moved
			}
		}
	}
	for _, p := range a.Memory.Curve {
		k.Curve = append(k.Curve, memoryPoint{p.At - base, p.Allocated, p.Reserved})
	}
	a.Kernels = a.Kernels[:min(mostRows, len(a.Kernels))]
	a.Operators = a.Operators[:min(mostRows, len(a.Operators))]
	k.Analysis, k.Shown = a, report.PageFindings(a.Findings)
	return k
}

// mostCache is how much disk imported traces may take, unless one alone takes more.
const mostCache = 20 << 30

// prune removes the least recently used imports until the new one fits.
func (l *Library) prune(coming int64) {
	type old struct {
		dir  string
		size int64
		used time.Time
	}
	var all []old
	var total int64
	entries, _ := os.ReadDir(l.opt.Cache)
	for _, e := range entries {
		dir := filepath.Join(l.opt.Cache, e.Name())
		info, err := e.Info()
		if err != nil || !info.IsDir() || time.Since(info.ModTime()) < time.Hour {
			continue // just made, or in use
		}
		o := old{dir: dir, used: info.ModTime()}
		inner, _ := os.ReadDir(dir)
		for _, f := range inner {
			if i, err := f.Info(); err == nil {
				o.size += i.Size()
			}
		}
		total += o.size
		all = append(all, o)
	}
	slices.SortFunc(all, func(a, b old) int { return cmp.Compare(a.used.UnixNano(), b.used.UnixNano()) })
	for _, o := range all {
		if total+coming/3 <= mostCache {
			return
		}
		os.RemoveAll(o.dir)
		total -= o.size
	}
}
