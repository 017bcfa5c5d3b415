package bench

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"saturate/internal/audio"
	"saturate/internal/device"
	"saturate/internal/human"
)

// AudioFolder measures how fast this program reads and decodes a folder of audio, beside torch's DataLoader.
type AudioFolder struct {
	System device.System
	Dir    string
	Loader LoaderPlan
}

// Framework is go.
func (AudioFolder) Framework() string { return "go" }

// rate of the samples that files become, as speech models want it.
const loaderRate = 16000

// Measure decodes the first files of the folder, each number of workers several times.
func (e AudioFolder) Measure(ctx context.Context, _ Plan, tell func(Event)) (Measured, error) {
	if strings.Contains(e.Loader.Source, ":") && !isFolder(e.Dir) {
		return Measured{}, &MissingError{Skip{"go", "only torch reads a Python Dataset"}}
	}
	files, err := audioFiles(e.Dir, e.Loader.Batch*e.Loader.Batches)
	if err != nil {
		return Measured{}, err
	}
	out := Measured{Machines: []Machine{onProcessor(ctx, e.System)}}
	for i, workers := range e.Loader.Workers {
		tell(Event{Framework: "go", Done: i, Of: len(e.Loader.Workers), What: human.Plural(workers, "worker")})
		r := MeasuredRate{Framework: "go", Name: human.Plural(workers, "worker"), Workers: workers}
		for repeat := range e.Loader.Repeats + 1 { // the first one brings the files into the page cache
			once, err := e.once(ctx, files, max(workers, 1))
			if err != nil {
				return out, err
			}
			if repeat > 0 {
				r.add(once)
			}
		}
		out.Rates = append(out.Rates, r)
	}
	return out, nil
}

func (r *MeasuredRate) add(o MeasuredRate) {
	r.Seconds, r.Items, r.Audio, r.Bytes, r.First = append(r.Seconds, o.Seconds...), append(r.Items,
		o.Items...), append(r.Audio, o.Audio...), append(r.Bytes, o.Bytes...), append(r.First, o.First...)
}

// once decodes all files with so many workers.
func (e AudioFolder) once(ctx context.Context, files []string, workers int) (MeasuredRate, error) {
	var next, done, frames, bytes atomic.Int64
	var first atomic.Int64
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	began := time.Now()
	var working sync.WaitGroup
	for range workers {
		working.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(files) {
					return
				}
				clip, err := audio.DecodeFile(ctx, files[i], audio.Options{Rate: loaderRate})
				if err != nil {
					stop(err) // which names the file
					return
				}
				if info, err := os.Stat(files[i]); err == nil {
					bytes.Add(info.Size())
				}
				frames.Add(int64(len(clip.PCM) + len(clip.Samples)))
				if done.Add(1) == int64(min(e.Loader.Batch, len(files))) {
					first.Store(int64(time.Since(began)))
				}
			}
		})
	}
	working.Wait()
	took := time.Since(began).Seconds()
	if err := context.Cause(ctx); err != nil {
		return MeasuredRate{}, err
	}
	return MeasuredRate{
		Seconds: []float64{took}, Items: []float64{float64(done.Load())},
		Audio: []float64{float64(frames.Load()) / loaderRate},
		Bytes: []float64{float64(bytes.Load())}, First: []float64{time.Duration(first.Load()).Seconds()},
	}, nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// audioFiles are the first of a folder, by name.
func audioFiles(dir string, most int) ([]string, error) {
	var files []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && slices.Contains(audio.Endings(), strings.ToLower(filepath.Ext(path))) {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("cannot list %s: %w", dir, err)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no audio in %s (looked for %s)", dir, strings.Join(audio.Endings(), ", "))
	}
	return files[:min(len(files), most)], nil
}

// CheckFolder refuses a folder without audio before anything is started.
func CheckFolder(dir string) error {
	_, err := audioFiles(dir, 1)
	return err
}
