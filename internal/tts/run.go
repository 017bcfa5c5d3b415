package tts

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"saturate/internal/audio"
	"saturate/internal/files"
	"saturate/internal/human"
	"saturate/internal/progress"
)

// Options are everything a run needs besides texts and engine.
type Options struct {
	Dir      string
	Rate     int
	Voices   []string
	Variants int
	Speed    float64
	Workers  int
	Retries  int           // further tries of a text that failed
	Timeout  time.Duration // of one try
	Backoff  time.Duration // before the first further try; doubles each time
	Manifest string        // json or nemo
	Absolute bool          // whole paths in the manifest
	Replace  bool          // other settings than the folder's are meant
	DryRun   bool
	Progress *progress.Display
}

// Result is what a run did.
type Result struct {
	Engine       string     `json:"engine"`         // name of the speech engine
	Version      string     `json:"engine_version"` // of the engine
	Texts        int        `json:"texts"`          // that were read
	Entries      int        `json:"entries"`        // lines of the manifest
	Files        int        `json:"files"`          // different ones
	Made         int        `json:"made"`           // in this run
	Reused       int        `json:"reused"`         // files of an earlier run
	Failed       []Rejected `json:"failed"`
	Empty        int        `json:"empty"`              // lines and cells without a text, left out
	Cleaned      int        `json:"cleaned"`            // texts from which control characters were taken
	AudioSeconds float64    `json:"audio_seconds"`      // length of the audio
	Bytes        int64      `json:"bytes"`              // of the files
	WallSeconds  float64    `json:"wall_s"`             // that the run took
	FilesPerS    float64    `json:"files_per_s"`        // files per second
	Workers      int        `json:"workers"`            // that spoke at the same time
	Manifest     string     `json:"manifest,omitempty"` // file that lists the audio
	Failures     string     `json:"failures,omitempty"` // file that lists what failed
	Estimate     Estimate   `json:"estimate"`
	DryRun       bool       `json:"dry_run"` // nothing was made
}

// Stopped is why a run ended before its time, and how far it had come.
type Stopped struct {
	Reason      error
	Done, Files int
}

func (s *Stopped) Error() string {
	what := s.Reason.Error()
	if errors.Is(s.Reason, context.Canceled) {
		what = "stopped"
	}
	return fmt.Sprintf("%s\n%s of %s finished; the same command resumes",
		what, human.Count(s.Done), human.Plural(s.Files, "file"))
}

func (s *Stopped) Unwrap() error { return s.Reason }

// Run speaks all texts that the folder does not have yet.
func Run(ctx context.Context, engine Engine, texts Texts, opt Options) (Result, error) {
	identity, err := engine.Prepare(ctx, opt.Voices)
	if err != nil {
		return Result{}, err
	}
	if opt.Workers <= 0 {
		opt.Workers = runtime.NumCPU()
	}
	plan := makePlan(texts.Items, Settings{
		Engine: engine.Name(), Identity: identity, Rate: opt.Rate, Voices: opt.Voices, Variants: opt.Variants, Speed: opt.Speed,
	})
	result := Result{
		Engine: engine.Name(), Version: identity.Version, Texts: len(texts.Items), Entries: len(plan.Entries), Files: len(plan.Jobs),
		Failed: append([]Rejected{}, texts.Rejected...), Empty: texts.Empty, Cleaned: texts.Cleaned, Workers: opt.Workers, DryRun: opt.DryRun,
	}
	if opt.DryRun {
		result.Estimate, err = byTrying(ctx, engine, plan.Jobs, opt, existing(opt.Dir))
		return result, err
	}
	st, err := openStore(opt.Dir, plan.Settings, opt.Replace)
	if err != nil {
		return result, err
	}
	defer st.close()

	var todo []Job
	for _, j := range plan.Jobs {
		if _, ok := st.have(j, opt.Rate); !ok {
			delete(st.done, j.Key) // its file is gone or was damaged
			todo = append(todo, j)
		}
	}
	result.Reused = len(plan.Jobs) - len(todo)
	result.Estimate = roughly(todo, opt.Rate, opt.Dir)
	if e := result.Estimate; e.FreeBytes >= 0 && e.Bytes/4 > e.FreeBytes {
		return result, fmt.Errorf("%s has %s free, but the speech needs about %s; free some "+
			"space, or choose another folder with --output",
			opt.Dir, human.Bytes(e.FreeBytes), human.Bytes(e.Bytes))
	}
	start := time.Now()
	failed, stopped := speakAll(ctx, engine, st, plan.Jobs, todo, opt)
	result.WallSeconds = time.Since(start).Seconds()
	result.Made = len(todo) - len(failed)
	if stopped != nil {
		done := 0
		for _, j := range plan.Jobs {
			if _, ok := st.done[j.Key]; ok {
				done++
			}
		}
		return result, &Stopped{stopped, done, len(plan.Jobs)}
	}
	return st.finish(plan, result, failed, opt)
}

// finish writes the lists and adds up.
func (st *store) finish(plan Plan, result Result, failed map[string]error, opt Options) (Result, error) {
	for _, e := range plan.Entries {
		j := plan.Jobs[e.Job]
		if err := failed[j.Key]; err != nil {
			result.Failed = append(result.Failed, Rejected{e.Item.Place, shorten(e.Item.Text), j.Request.Voice, err.Error()})
		}
	}
	for _, j := range plan.Jobs {
		m := st.done[j.Key]
		result.AudioSeconds += float64(m.Samples) / float64(opt.Rate)
		result.Bytes += m.Bytes
	}
	if result.WallSeconds > 0 {
		result.FilesPerS = float64(result.Made) / result.WallSeconds
	}
	var err, err2 error
	result.Manifest, err = st.writeManifest(plan, opt.Manifest, opt.Absolute)
	result.Failures, err2 = st.writeFailures(result.Failed)
	return result, errors.Join(err, err2)
}

// speakAll works through what is to do of all jobs. It returns those that failed, and why it stopped early if it did.
func speakAll(ctx context.Context, engine Engine, st *store, all, todo []Job, opt Options) (failed map[string]error, stopped error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	display := opt.Progress
	if display == nil {
		display = &progress.Display{Quiet: true}
	}
	task := display.Start("speaking", "files", int64(len(todo)))
	defer task.Done()
	doubt := &doubt{jobs: all, done: st.finished, ask: func(ctx context.Context, j Job) error {
		_, err := speak(ctx, engine, j.Request, opt)
		return err
	}}
	var mu sync.Mutex
	failed = map[string]error{}
	jobs := make(chan Job)
	var workers sync.WaitGroup
	for range min(opt.Workers, len(todo)) {
		workers.Go(func() {
			for j := range jobs {
				err := makeOne(ctx, engine, st, j, opt)
				if err != nil && ctx.Err() == nil && !isEnding(err) {
					if every := doubt.failed(ctx, j, err); every != nil {
						err = every
					}
				}
				switch {
				case err == nil:
					doubt.spoken()
				case ctx.Err() != nil:
					return
				case isEnding(err):
					stop(err)
					return
				default:
					mu.Lock()
					failed[j.Key] = err
					task.Note(fmt.Sprintf("%d failed", len(failed)))
					mu.Unlock()
				}
				task.Add(1)
			}
		})
	}
feeding:
	for _, j := range todo {
		select {
		case jobs <- j:
		case <-ctx.Done():
			break feeding
		}
	}
	close(jobs)
	workers.Wait()
	if ctx.Err() != nil {
		return failed, context.Cause(ctx)
	}
	return failed, nil
}

// makeOne speaks one text, with further tries, and stores it.
func makeOne(ctx context.Context, engine Engine, st *store, j Job, opt Options) error {
	var samples []int16
	for try := 0; ; try++ {
		var err error
		if samples, err = speak(ctx, engine, j.Request, opt); err == nil {
			break
		}
		var f *failure
		known := errors.As(err, &f)
		if ctx.Err() != nil || try >= opt.Retries || known && f.kind != passing {
			if try > 0 && (!known || f.kind == passing) {
				err = fmt.Errorf("%w (tried %d times)", err, try+1)
			}
			return err
		}
		wait := min(opt.Backoff<<min(try, 10), time.Minute)
		if known {
			wait = max(wait, f.after)
		}
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
	data, err := audio.AppendWAV(nil, opt.Rate, 1, samples)
	if err != nil {
		return err
	}
	if _, err := st.put(j, len(samples), data); err != nil {
		if files.DiskFull(err) {
			return hopeless("the disk is full: %w", err)
		}
		return hopeless("%w", err)
	}
	return nil
}

// speak asks the engine once and makes sure that what it gave is speech.
func speak(ctx context.Context, engine Engine, r Request, opt Options) ([]int16, error) {
	if paced, ok := engine.(interface{ Turn(context.Context) error }); ok {
		if err := paced.Turn(ctx); err != nil { // which may take longer than a text
			return nil, err
		}
	}
	limited := ctx
	if opt.Timeout > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, opt.Timeout)
		defer cancel()
	}
	data, err := engine.Speak(limited, r)
	if err != nil {
		return nil, err
	}
	if len(data) == 0 {
		return nil, later(0, "%s wrote no audio", engine.Name())
	}
	clip, err := audio.Decode(limited, "what "+engine.Name()+" wrote", data, audio.Options{Rate: opt.Rate})
	switch {
	case err != nil && limited.Err() != nil && ctx.Err() == nil:
		return nil, later(0, "decoding the output of %s timed out (--timeout)", engine.Name())
	case err != nil:
		return nil, err
	}
	samples := clip.Int16()
	for _, v := range samples {
		if v != 0 {
			return samples, nil
		}
	}
	return nil, permanent("%s returned only silence (%d samples)", engine.Name(), len(samples))
}

// existing is the folder, or the nearest existing one above it.
func existing(dir string) string {
	for {
		if _, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}
