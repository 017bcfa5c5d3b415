package open

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"

	"saturate/internal/human"
	"saturate/internal/trace"
)

// Job is the traces of one job: files that are read one at a time, so that a job of many ranks needs the memory of one.
type Job struct {
	files  []File
	opt    Options
	before []int64 // bytes of the files before each
	total  int64
	seen   []bool // already read: reading it again does not count as progress
	first  *trace.Meta
	last   error // of a file that was skipped
}

// NewJob lists the traces at the paths: files, or folders of them.
func NewJob(paths []string, opt Options) (*Job, error) {
	files, err := Files(paths)
	if err != nil {
		return nil, err
	}
	j := &Job{files: files, opt: opt, seen: make([]bool, len(files))}
	for _, f := range files {
		j.before = append(j.before, j.total)
		j.total += f.Size
	}
	return j, nil
}

// Len is how many files there are.
func (j *Job) Len() int { return len(j.files) }

// Bytes is the size of all files.
func (j *Job) Bytes() int64 { return j.total }

// Read reads one trace. It is nil where the file cannot be read and is skipped; the last of files that were all skipped
// is an error.
func (j *Job) Read(ctx context.Context, i int) (*trace.Trace, error) {
	defer calmGC()()
	f, opt := j.files[i], j.opt
	if opt.Progress != nil {
		opt.Progress = func(done, _ int64) { j.opt.Progress(j.before[i]+done, j.total) }
		if j.seen[i] {
			opt.Progress = nil
		}
	}
	j.seen[i] = true
	t, err := readFile(ctx, f.Path, opt)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err == nil:
	case len(j.files) > 1 && !f.Named && opt.Skip != nil:
		opt.Skip(f.Path, err)
		j.last = fmt.Errorf("%s: %w", f.Path, err)
		if j.first == nil && i == len(j.files)-1 {
			return nil, j.last
		}
		return nil, nil
	case len(j.files) > 1:
		return nil, fmt.Errorf("%s: %w\nTo read %s, leave this one out", f.Path, err,
			human.Choose(len(j.files)-1, "the other file", fmt.Sprintf("the other %d files", len(j.files)-1)))
	default:
		return nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	if j.first == nil {
		j.first = t.Meta()
	}
	if j.first.Format != t.Meta().Format {
		return nil, fmt.Errorf("%s is a %s trace and %s is a %s trace, so they are not ranks of one job; use traces of one format",
			j.first.Path, j.first.Format, f.Path, t.Meta().Format)
	}
	if len(j.files) > 1 && t.Meta().Rank < 0 {
		t = t.WithOrigin(t.Meta().Path, rankIn(f.Path))
	}
	return t, nil
}

// rankIn is the rank that a file's name tells; -1 when it tells none.
func rankIn(path string) int {
	if m := rankName.FindStringSubmatch(filepath.Base(path)); m != nil {
		if rank, err := strconv.Atoi(m[1]); err == nil {
			return rank
		}
	}
	return -1
}

// Read reads all traces at the paths: files, or folders of them. Several are the ranks of
// one job and are returned in rank order.
func Read(ctx context.Context, paths []string, opt Options) ([]*trace.Trace, error) {
	j, err := NewJob(paths, opt)
	if err != nil {
		return nil, err
	}
	var traces []*trace.Trace
	for i := range j.Len() {
		t, err := j.Read(ctx, i)
		if err != nil {
			return nil, err
		}
		if t != nil {
			traces = append(traces, t)
		}
	}
	return InOrder(traces), nil
}
