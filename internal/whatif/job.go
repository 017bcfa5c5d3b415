package whatif

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Task is one operation of one worker in a job of several: of a pipeline stage of a data-parallel rank.
type Task struct {
	Data, Stage int
	Step        int64
	Kind        TaskKind
	Seq         int // counts the tasks of a kind in a step
	Start       int64
	Duration    int64 // with what it waited for partners
}

// TaskKind is what a task does.
type TaskKind string

// The kinds, as Megatron-like pipelines have them.
const (
	Forward       TaskKind = "forward-compute"
	Backward      TaskKind = "backward-compute"
	ForwardSend   TaskKind = "forward-send"
	ForwardRecv   TaskKind = "forward-recv"
	BackwardSend  TaskKind = "backward-send"
	BackwardRecv  TaskKind = "backward-recv"
	GatherParams  TaskKind = "params-all-gather"
	ScatterGrads  TaskKind = "grads-reduce-scatter"
	NormGrads     TaskKind = "layernorm-grads-all-reduce"
	EmbeddingSum  TaskKind = "embedding-grads-all-reduce"
	ClipGrads     TaskKind = "optimizer-clip-main-grad"
	CollectTask   TaskKind = "gc"
	OptimizerTask TaskKind = "optimizer"
)

// computes reports whether the task's time is the worker's own rather than a network's.
func (k TaskKind) computes() bool {
	return k == Forward || k == Backward || k == CollectTask || k == OptimizerTask
}

// Job is a job of several workers: what each task waits for, and which tasks only run together.
type Job struct {
	tasks []Task
	after [][]int32 // the tasks that each waits for
	group []int32   // tasks of one group begin when all have come; none for a task that runs alone
	peers [][]int32 // the tasks of each group
	order []int32   // what a task waits for comes before it
	own   []int64   // of each task: its time without waiting for partners
	even  []int64   // the same if all workers were alike
	alike float64   // the mean step then
	first map[int64]int64
}

// NewJob finds the dependencies of a pipeline with data parallelism.
func NewJob(tasks []Task) (*Job, error) {
	if len(tasks) == 0 {
		return nil, errors.New("the job has no tasks")
	}
	j := &Job{tasks: tasks, after: make([][]int32, len(tasks)), group: make([]int32, len(tasks)), first: map[int64]int64{}}
	for i := range j.group {
		j.group[i] = none
	}
	for _, t := range tasks {
		if began, ok := j.first[t.Step]; !ok || t.Start < began {
			j.first[t.Step] = t.Start
		}
	}
	j.depend()
	j.measure()
	return j, j.sort()
}

// measure finds the time that each task takes alone, and what it would take if all workers were equal: the mean of
// what computes, the median of what communicates.
func (j *Job) measure() {
	j.own, j.even = make([]int64, len(j.tasks)), make([]int64, len(j.tasks))
	kinds := map[TaskKind][]int64{}
	for i, t := range j.tasks {
		j.own[i] = t.Duration
		if g := j.group[i]; g != none {
			last := int64(math.MinInt64)
			for _, k := range j.peers[g] {
				last = max(last, j.tasks[k].Start)
			}
			const skew = -10_000_000 // clocks differ by less
			if j.own[i] = t.Start + t.Duration - last; j.own[i] <= skew {
				j.own[i] = 0
			}
		}
		kinds[t.Kind] = append(kinds[t.Kind], j.own[i])
	}
	typical := map[TaskKind]int64{}
	for kind, list := range kinds {
		if kind.computes() {
			typical[kind] = int64(mean(list))
			continue
		}
		slices.Sort(list)
		typical[kind] = (list[(len(list)-1)/2] + list[len(list)/2]) / 2
	}
	for i, t := range j.tasks {
		j.even[i] = typical[t.Kind]
	}
}

// sort orders the tasks. A group's tasks end together, so whoever waits for one of them waits for all.
func (j *Job) sort() error {
	waits := make([]int32, len(j.tasks))
	next := make([][]int32, len(j.tasks))
	for i, list := range j.after {
		waits[i] = int32(len(list))
		for _, k := range list {
			next[k] = append(next[k], int32(i))
		}
	}
	come := make([]int, len(j.peers))
	var queue []int32
	for i, n := range waits {
		if n == 0 {
			queue = append(queue, int32(i))
		}
	}
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		j.order = append(j.order, i)
		done := []int32{i}
		if g := j.group[i]; g != none {
			if come[g]++; come[g] < len(j.peers[g]) {
				continue
			}
			done = j.peers[g]
		}
		for _, d := range done {
			for _, k := range next[d] {
				if waits[k]--; waits[k] == 0 {
					queue = append(queue, k)
				}
			}
		}
	}
	if len(j.order) < len(j.tasks) {
		return fmt.Errorf("%d tasks wait for each other", len(j.tasks)-len(j.order))
	}
	return nil
}

// run is the mean step when tasks take so long.
func (j *Job) run(dur []int64) float64 {
	begin, end := make([]int64, len(j.tasks)), make([]int64, len(j.tasks))
	come := make([]int, len(j.peers))
	ends := map[int64]int64{}
	for _, i := range j.order {
		begin[i] = j.first[j.tasks[i].Step]
		for _, k := range j.after[i] {
			begin[i] = max(begin[i], end[k])
		}
		g := j.group[i]
		if g == none {
			end[i] = begin[i] + dur[i]
		} else if come[g]++; come[g] == len(j.peers[g]) {
			last := begin[i]
			for _, k := range j.peers[g] {
				last = max(last, begin[k])
			}
			for _, k := range j.peers[g] {
				end[k] = last + dur[k]
			}
		}
	}
	for i, t := range j.tasks {
		ends[t.Step] = max(ends[t.Step], end[i])
	}
	var sum float64
	for step, e := range ends {
		sum += float64(e - j.first[step])
	}
	return sum / float64(len(ends))
}

// Step is the mean step when every task keeps its length and waits only for other tasks.
func (j *Job) Step() float64 { return j.run(j.own) }

// Slowdown is by how much the job is slower than one of equal workers, when only some of the tasks take as long as they
// did.
func (j *Job) Slowdown(asRecorded func(Task) bool) float64 {
	dur := slices.Clone(j.even)
	for i, t := range j.tasks {
		if asRecorded(t) {
			dur[i] = j.own[i]
		}
	}
	if j.alike == 0 {
		j.alike = j.run(j.even)
	}
	return j.run(dur) / j.alike
}

// byStart orders the tasks of a worker.
func (j *Job) byStart(list []int32) {
	slices.SortFunc(list, func(a, b int32) int {
		x, y := j.tasks[a], j.tasks[b]
		return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(x.Seq, y.Seq), cmp.Compare(x.Kind, y.Kind))
	})
}
