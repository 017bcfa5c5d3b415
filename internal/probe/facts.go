package probe

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"saturate/internal/run"
)

// Facts is what a process told of itself besides its steps.
type Facts struct {
	Rank       int               `json:"rank"`               // of the process
	World      int               `json:"world"`              // number of ranks
	Versions   map[string]string `json:"versions,omitempty"` // of Python and of libraries
	GPUs       []GPU             `json:"gpus,omitempty"`
	Loaders    []Loader          `json:"loaders,omitempty"` // in the order of their first use
	InProcess  *Made             `json:"in_process,omitempty"`
	Parameters int64             `json:"parameters,omitempty"` // of the main optimizer, or of the largest module
	Optimizer  string            `json:"optimizer,omitempty"`  // its class
	Compiled   bool              `json:"compiled,omitempty"`   // torch.compile was at work
	Attached   []string          `json:"attached,omitempty"`   // the experiment trackers that got the summary
}

// GPU is a device that the program used.
type GPU struct {
	Name         string `json:"name"`                   // of the GPU
	Backend      string `json:"backend"`                // cuda, rocm, mps
	Architecture string `json:"architecture,omitempty"` // sm_90, gfx942
	MemoryBytes  int64  `json:"memory_bytes,omitempty"` // memory of the GPU
}

// Loader is how a torch DataLoader was set up. Samples and Batches are 0 where it does not know them.
type Loader struct {
	Dataset           string `json:"dataset"`                   // its class
	Samples           int    `json:"samples,omitempty"`         // in the data set
	Batches           int    `json:"batches,omitempty"`         // in an epoch
	BatchSize         int    `json:"batch_size,omitempty"`      // samples in a batch
	Workers           int    `json:"workers"`                   // worker processes
	Epochs            int    `json:"epochs"`                    // how often it was begun
	PrefetchFactor    int    `json:"prefetch_factor,omitempty"` // batches that each worker makes ahead
	PinMemory         bool   `json:"pin_memory"`                // batches are copied to pinned memory
	PersistentWorkers bool   `json:"persistent_workers"`        // workers stay for the next epoch
}

// Made is how long a process took to make samples.
type Made struct {
	Samples    int     `json:"samples"` // that were made
	Batches    int     `json:"batches"` // that were made
	Seconds    float64 `json:"s"`       // that it took
	CPUSeconds float64 `json:"cpu_s"`   // computing in the thread itself, and in programs that it started and waited for
	// CoreSeconds is what all cores computed for it: other threads of the process too, and programs that it started and
	// waited for.
	CoreSeconds float64 `json:"cores_s"`
}

// Worker is what one worker process of a loader made.
type Worker struct {
	ID int `json:"id"`
	Made
}

// Workers is what all worker processes made together.
type Workers struct {
	Processes int `json:"processes"` // worker processes
	Made
}

func (w *Workers) add(one Worker) {
	w.Processes++
	w.Samples += one.Samples
	w.Batches += one.Batches
	w.Seconds += one.Seconds
	w.CPUSeconds += one.CPUSeconds
	w.CoreSeconds += one.CoreSeconds
}

// Computing is the share of the time that a core was at work; the rest is waiting. A program with several threads can
// be at work on more than one.
func (m Made) Computing() float64 {
	if m.Seconds <= 0 {
		return 0
	}
	return min(1, m.CPUSeconds/m.Seconds)
}

// Divided says how much of the time is computing.
func (m Made) Divided() string {
	switch share := m.Computing(); {
	case share >= 0.995:
		return "all of it computing"
	case share < 0.005:
		return "all of it waiting"
	default:
		return fmt.Sprintf("%.0f%% of it computing, the rest waiting", 100*share)
	}
}

// PerSample is how long one sample takes a process to make; 0 when none was made.
func (m Made) PerSample() float64 {
	if m.Samples == 0 {
		return 0
	}
	return m.Seconds / float64(m.Samples)
}

func (f Facts) gpus() []run.GPU {
	var gpus []run.GPU
	for _, g := range f.GPUs {
		gpus = append(gpus, run.GPU{
			Name: g.Name, Backend: g.Backend, Architecture: g.Architecture,
			MemoryBytes: g.MemoryBytes,
		})
	}
	return gpus
}

// FactsFile is where a Run keeps what was learnt of the program besides its steps.
const FactsFile = "program.json"

// rankFile is where a Run keeps the steps of a rank other than the first.
func rankFile(rank int) string { return filepath.Join("ranks", fmt.Sprintf("%d.jsonl", rank)) }

// keep saves the facts, the steps of further ranks, and the traces as artefacts of the Run.
func (w *watched) keep(out *Outcome) error {
	if len(out.Ranks) == 0 {
		return nil
	}
	data, err := json.MarshalIndent(struct {
		Facts
		Workers Workers `json:"worker_processes"`
		Ranks   []Rank  `json:"ranks"`
	}{out.Facts, out.Workers, out.Ranks}, "", "  ")
	if err != nil {
		return err
	}
	if err := w.recorder.Save(FactsFile, "facts", append(data, '\n')); err != nil {
		return err
	}
	if out.Flame.Seconds > 0 {
		if err := w.keepFlame(out.Flame); err != nil {
			return err
		}
	}
	for _, r := range out.Ranks[1:] {
		var lines []byte
		for _, s := range r.Steps {
			line, err := json.Marshal(s)
			if err != nil {
				return err
			}
			lines = append(append(lines, line...), '\n')
		}
		if err := w.recorder.Save(rankFile(r.Rank), "steps", lines); err != nil {
			return err
		}
	}
	for _, t := range w.follow.byRank() {
		for _, path := range t.traces {
			if err := w.recorder.Keep(path, "trace"); err != nil {
				return err
			}
			if w.follow.isRank(t) {
				out.Traces = append(out.Traces, filepath.Join(w.recorder.Dir(), path))
			}
		}
	}
	return nil
}
