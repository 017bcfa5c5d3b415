package cli

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"saturate/internal/bench"
	"saturate/internal/config"
	"saturate/internal/mel"
)

// benchLayer are the flags of `bench layer`.
type benchLayer struct {
	names     []string
	ffn       int
	memorySeq int
	depth     int
}

var layerNames = []string{"transformer", "whisper-encoder", "whisper-decoder"}

func (l *benchLayer) flags(fs *pflag.FlagSet) {
	fs.StringSliceVar(&l.names, "layer", []string{"transformer"}, "layers to measure: "+strings.Join(layerNames, ", "))
	fs.IntVar(&l.ffn, "ffn", 0, "hidden width of the MLP; 0 means 4 × --d-model")
	fs.IntVar(&l.memorySeq, "memory-seq", 1500, "encoder states that a decoder attends to")
	fs.IntVar(&l.depth, "depth", 1, "stacked layers; checkpointing matters from 2 on")
}

func (l *benchLayer) plans() ([]bench.LayerPlan, error) {
	if l.ffn < 0 || l.memorySeq < 1 || l.depth < 1 || l.depth > 1000 {
		return nil, usage("--ffn must be 0 or more, --memory-seq 1 or more, and --depth 1 to 1000")
	}
	if len(l.names) == 0 {
		return nil, usage("--layer needs a name: %s", strings.Join(layerNames, ", "))
	}
	var out []bench.LayerPlan
	for _, name := range l.names {
		if !slices.Contains(layerNames, name) {
			return nil, usage("unknown layer %q; use %s%s", name, strings.Join(layerNames, ", "), config.Hint(name, layerNames))
		}
		if plan := (bench.LayerPlan{Layer: name, MemorySeq: l.memorySeq, FFN: l.ffn, Depth: l.depth}); !slices.Contains(out,
			plan) {
			out = append(out, plan)
		}
	}
	return out, nil
}

// benchLoader are the flags of `bench loader` and `bench mel`.
type benchLoader struct {
	workers []int
	batches int
	repeats int
	clip    time.Duration
	mels    int
}

// shortestClip is about as long as one window of the features.
const shortestClip = 25 * time.Millisecond

func (l *benchLoader) flags(fs *pflag.FlagSet) {
	fs.IntSliceVar(&l.workers, "workers", []int{0, 1, 2, 4}, "worker counts (mel: thread counts)")
	fs.IntVar(&l.batches, "batches", 20, "batches per repeat (loader)")
	fs.IntVar(&l.repeats, "repeats", 6, "repeats per worker count (loader)")
	fs.DurationVar(&l.clip, "clip", 30*time.Second, "clip length")
	fs.IntVar(&l.mels, "n-mels", 80, "mel bands (mel)")
}

func (l *benchLoader) plan(source string, batch int) (bench.LoaderPlan, error) {
	var workers []int
	for _, w := range l.workers {
		if w < 0 || w > 1024 {
			return bench.LoaderPlan{}, usage("--workers must be 0 to 1024, not %d", w)
		}
		if !slices.Contains(workers, w) {
			workers = append(workers, w)
		}
	}
	switch {
	case l.batches < 1 || l.repeats < 1 || len(workers) == 0:
		return bench.LoaderPlan{}, usage("--batches and --repeats must be at least 1, and " +
			"--workers must name at least one count")
	case l.clip < shortestClip || l.clip > time.Hour:
		return bench.LoaderPlan{}, usage("--clip must be %v to 1h, not %v", shortestClip, l.clip)
	}
	return bench.LoaderPlan{
		Source: source, Workers: workers, Batch: batch, Batches: l.batches, Repeats: l.repeats,
		Seconds: l.clip.Seconds(),
	}, nil
}

// threads are the numbers of workers without 0, which means one here.
func (l *benchLoader) threads() []int {
	var out []int
	for _, w := range l.workers {
		if w = max(w, 1); !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

func (l *benchLoader) params() (mel.Params, error) {
	p := mel.Whisper(l.mels)
	if err := p.Check(); err != nil {
		return p, usage("--n-mels: %v", err)
	}
	return p, nil
}
