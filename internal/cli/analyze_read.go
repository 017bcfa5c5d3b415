package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"saturate/internal/analyze"
	"saturate/internal/files"
	"saturate/internal/human"
	"saturate/internal/trace"
	"saturate/internal/trace/open"
)

// analyzeJob reads the traces of one job, one after the other, and explains them.
func analyzeJob(ctx context.Context, env *Env, r reading, typed []string, opt analyze.Options) (a analyze.Analysis, err error) {
	job, load, done, err := openTraces(env, r, typed)
	if err != nil {
		return a, err
	}
	defer done()
	return files.Await(ctx, func() (analyze.Analysis, error) { return analyze.Job(ctx, job.Len(), load, opt) })
}

// readTraces reads traces and keeps them all in memory.
func readTraces(ctx context.Context, env *Env, r reading, typed []string) ([]*trace.Trace, error) {
	job, load, done, err := openTraces(env, r, typed)
	if err != nil {
		return nil, err
	}
	defer done()
	return files.Await(ctx, func() ([]*trace.Trace, error) {
		var traces []*trace.Trace
		for i := range job.Len() {
			t, err := load(ctx, i)
			if err != nil {
				return nil, err
			}
			if t != nil {
				traces = append(traces, t)
			}
		}
		return open.InOrder(traces), nil
	})
}

// openTraces finds the files of a job. Load reads one, shows how far it is, and says on stderr when one is cut off;
// done ends that.
func openTraces(env *Env, r reading, typed []string) (job *open.Job, load analyze.Load, done func(), err error) {
	paths := make([]string, len(typed))
	for i, p := range typed {
		if p == "" {
			continue
		}
		paths[i] = env.path(p)
		if _, err := os.Stat(paths[i]); errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(p, `/\.`) {
			r, err := findRun(env, p)
			if err != nil {
				return nil, nil, nil, fmt.Errorf("%s is not a file, and %w", p, err)
			}
			paths[i] = r.Dir
		}
		if err := holdsTrace(env, paths[i]); err != nil {
			return nil, nil, nil, err
		}
	}
	options := open.Options{MaxBytes: int64(r.maxBytes)}
	var skipped []string
	if !r.strict {
		options.Skip = func(path string, why error) { skipped = append(skipped, env.shown(path)+": "+why.Error()) }
	}
	var report func(int64)
	options.Progress = func(done, _ int64) { report(done) }
	if job, err = open.NewJob(paths, options); err != nil {
		return nil, nil, nil, err
	}
	task := env.Progress.Start("Reading", "B", job.Bytes())
	report = func(done int64) { task.Set(done) }
	judged := make([]bool, job.Len())
	load = func(ctx context.Context, i int) (*trace.Trace, error) {
		t, err := job.Read(ctx, i)
		if t == nil || err != nil {
			return nil, err
		}
		t = t.WithOrigin(env.shown(t.Meta().Path), t.Meta().Rank)
		if judged[i] {
			return t, nil
		}
		judged[i] = true
		return t, r.judge(env, t)
	}
	return job, load, func() {
		task.Done()
		if env.Verbose >= 0 {
			for _, why := range skipped {
				fmt.Fprintf(env.Stderr, "saturate: skipped %s\n", human.Line(why))
			}
		}
	}, nil
}
