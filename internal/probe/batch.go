package probe

import (
	"encoding/json"
	"math"
)

// BatchPlan changes a program's batch size from outside, for a few steps that show how much memory it needs; see
// py/saturate_probe/batches.py. It travels in a variable, as a Tuning does.
type BatchPlan struct {
	Batch         int         `json:"batch,omitempty"`         // samples in each batch of each process; 0: the program's own
	Steps         int         `json:"steps"`                   // of the optimizer; then an evaluation, where one follows, and the end
	Memory        int64       `json:"memory,omitempty"`        // bytes of the device that count; 0: all
	Loader        *int        `json:"loader,omitempty"`        // the loader that is trained with, by its number; nil: not known yet
	Lengths       string      `json:"lengths,omitempty"`       // beginning of the names of files that hold the lengths of samples, once they are known
	Accumulation  int         `json:"accumulation,omitempty"`  // batches of a step, once they are known
	Checkpointing bool        `json:"checkpointing,omitempty"` // turned on in models of transformers
	Host          *HostMemory `json:"host,omitempty"`
}

// HostMemory is what a program on the CPU has.
type HostMemory struct {
	Total  int64 `json:"total"`
	Others int64 `json:"others"` // taken before it starts
}

// batchVariable is the name of the variable that holds a BatchPlan.
const batchVariable = "SATURATE_BATCH"

// Variable is what the program has to start with.
func (p BatchPlan) Variable() (string, error) {
	text, err := json.Marshal(p)
	return batchVariable + "=" + string(text), err
}

// Memory is what a program took, at its peak.
type Memory struct {
	Device    string  `json:"device"`            // cuda, cpu
	Total     int64   `json:"total"`             // bytes that count
	Others    int64   `json:"others"`            // taken by other processes, and by this one outside of its allocator
	Allocated int64   `json:"allocated"`         // by tensors; on a CPU, by the process that trains
	Reserved  int64   `json:"reserved"`          // by the allocator; on a CPU, by the process and its workers
	Retries   int     `json:"retries,omitempty"` // how often the allocator freed its cache and tried again
	OOMs      int     `json:"ooms,omitempty"`    // also those that the program caught
	Phases    []Phase `json:"phases,omitempty"`
}

// Phase is the peak of one part of the program: training, evaluation, generation.
type Phase struct {
	Name      string `json:"name"`      // training, evaluation or generation
	Allocated int64  `json:"allocated"` // bytes in tensors
	Reserved  int64  `json:"reserved"`  // bytes in the allocator
}

// BatchTold is what a program told while its batch size was changed.
type BatchTold struct {
	Memory
	Loaders      []BatchLoader `json:"loaders"`
	Trained      *int          `json:"trained,omitempty"` // the loader that was trained with, by its number
	Batch        int           `json:"batch"`             // samples in its batches
	Accumulation int           `json:"accumulation"`      // batches of a step
	Lengths      Lengths       `json:"lengths"`
	Optimizer    string        `json:"optimizer,omitempty"`     // its class
	Rate         float64       `json:"learning_rate,omitempty"` // learning rate
	Parameters   int64         `json:"parameters,omitempty"`    // number of parameters that are trained
	BatchNorm    int           `json:"batch_norm,omitempty"`    // layers whose statistics are those of a batch
	Schedules    []string      `json:"schedules,omitempty"`     // learning-rate schedules, by their classes
	Trainer      string        `json:"trainer,omitempty"`       // transformers, lightning, accelerate
	Model        string        `json:"model,omitempty"`         // the class of the largest module
	ModelLoss    bool          `json:"model_loss,omitempty"`    // the model computes its loss and ignores num_items_in_batch
	Obstacle     *Obstacle     `json:"obstacle,omitempty"`
	Checkpointed int           `json:"checkpointed,omitempty"` // models that checkpointing was turned on in
	Setting      *Setting      `json:"setting,omitempty"`      // where a trainer's batch size is set
}

// BatchLoader is a loader that a program began.
type BatchLoader struct {
	Number     int    `json:"number"`               // in the order of their first use, from 0
	Dataset    string `json:"dataset"`              // its class
	Samples    int    `json:"samples,omitempty"`    // 0: a stream
	BatchSize  int    `json:"batch_size,omitempty"` // samples in a batch
	File       string `json:"file,omitempty"`       // where it was made
	Line       int    `json:"line,omitempty"`       // of that file
	DropLast   bool   `json:"drop_last,omitempty"`  // a last batch that is not full is dropped
	Evaluation bool   `json:"evaluation,omitempty"` // no training followed its batches
}

// Lengths is what is known of the samples' sizes.
type Lengths struct {
	Seen    int     `json:"seen"`              // samples that were looked at
	Samples int     `json:"samples"`           // all
	Varies  bool    `json:"varies"`            // samples differ in size
	Longest float64 `json:"longest,omitempty"` // numbers in the longest
	Median  float64 `json:"median,omitempty"`  // numbers in the median sample
	Tail    float64 `json:"tail,omitempty"`    // by how much the longest tenth exceeds the shortest of it, on average
}

// Stretch is how much longer than the longest sample that was seen one may be that was not: beyond the longest tenth,
// lengths are taken to thin out exponentially, and three more of their means are added for bad luck.
func (l Lengths) Stretch() float64 {
	if !l.Varies || l.Seen == 0 || l.Seen >= l.Samples || l.Longest <= 0 {
		return 1
	}
	return 1 + l.Tail*(math.Log(float64(l.Samples)/float64(l.Seen))+3)/l.Longest
}

// Quantile is the share of the samples that are at most as long as the longest that was seen: at least so, on average.
func (l Lengths) Quantile() float64 {
	switch {
	case l.Seen == 0:
		return 0
	case l.Seen >= l.Samples:
		return 1
	}
	return float64(l.Seen) / float64(l.Seen+1)
}

// Setting is a named value that a line of the program sets.
type Setting struct {
	Name string `json:"name"` // of the value
	File string `json:"file"` // that sets it
	Line int    `json:"line"` // of that file
}

// Obstacle is why the batch size cannot be changed from outside, and where it can be changed.
type Obstacle struct {
	What string `json:"what"`           // is in the way
	File string `json:"file,omitempty"` // where the batch size can be changed
	Line int    `json:"line,omitempty"` // of that file
}

// trial is what the process that makes the steps told of its memory; where that is silent, as one that failed before
// its first step, the one that took most.
func (f *follower) trial() *BatchTold {
	if f.main != nil && f.main.trial != nil {
		return f.main.trial
	}
	var best *BatchTold
	for _, t := range f.tellers {
		if t.trial != nil && (best == nil || t.trial.Reserved > best.Reserved) {
			best = t.trial
		}
	}
	return best
}
