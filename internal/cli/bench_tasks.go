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
	fs.StringSliceVar(&l.names, "layer", []string{"transformer"}, "for layer: "+strings.Join(layerNames, ", "))
	fs.IntVar(&l.ffn, "ffn", 0, "for layer: width inside the MLP; 0 for four times the width")
	fs.IntVar(&l.memorySeq, "memory-seq", 1500, "for layer: encoder states that a decoder looks at")
	fs.IntVar(&l.depth, "depth", 1, "for layer: layers behind each other; checkpointing shows from 2 on")
}

func (l *benchLayer) plans() ([]bench.LayerPlan, error) {
	if l.ffn < 0 || l.memorySeq < 1 || l.depth < 1 || l.depth > 1000 {
		return nil, usage("--ffn is 0 or more, --memory-seq 1 or more, and --depth 1 to 1000")
	}
	if len(l.names) == 0 {
		return nil, usage("--layer needs a name: %s", strings.Join(layerNames, ", "))
	}
	var out []bench.LayerPlan
	for _, name := range l.names {
		if !slices.Contains(layerNames, name) {
			return nil, usage("there is no layer %q; use %s%s", name, strings.Join(layerNames, ", "), config.Hint(name, layerNames))
		}
		if plan := (bench.LayerPlan{Layer: name, MemorySeq: l.memorySeq, FFN: l.ffn, Depth: l.depth}); !slices.Contains(out, plan) {
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
	fs.IntSliceVar(&l.workers, "workers", []int{0, 1, 2, 4}, "for loader and mel: numbers of workers, or threads")
	fs.IntVar(&l.batches, "batches", 20, "for loader: batches of each repeat")
	fs.IntVar(&l.repeats, "repeats", 6, "for loader: times that each number of workers is tried")
	fs.DurationVar(&l.clip, "clip", 30*time.Second, "for loader and mel: length of a clip")
	fs.IntVar(&l.mels, "n-mels", 80, "for mel: bands")
}

func (l *benchLoader) plan(source string, batch int) (bench.LoaderPlan, error) {
	var workers []int
	for _, w := range l.workers {
		if w < 0 || w > 1024 {
			return bench.LoaderPlan{}, usage("--workers are 0 to 1024, not %d", w)
		}
		if !slices.Contains(workers, w) {
			workers = append(workers, w)
		}
	}
	switch {
	case l.batches < 1 || l.repeats < 1 || len(workers) == 0:
		return bench.LoaderPlan{}, usage("--batches, --repeats and --workers have to be more than 0")
	case l.clip < shortestClip || l.clip > time.Hour:
		return bench.LoaderPlan{}, usage("--clip is %v to an hour, not %v", shortestClip, l.clip)
	}
	return bench.LoaderPlan{Source: source, Workers: workers, Batch: batch, Batches: l.batches, Repeats: l.repeats, Seconds: l.clip.Seconds()}, nil
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
