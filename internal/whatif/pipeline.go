package whatif

import "slices"

type worker struct {
	step        int64
	data, stage int
}

type named struct {
	worker
	kind TaskKind
	seq  int
}

// depend finds what each task of a pipeline waits for, and with whom it runs.
func (j *Job) depend() {
	at := make(map[named]int32, len(j.tasks))
	of := map[worker][]int32{}
	for i, t := range j.tasks {
		w := worker{t.Step, t.Data, t.Stage}
		at[named{w, t.Kind, t.Seq}] = int32(i)
		of[w] = append(of[w], int32(i))
	}
	for w, list := range of {
		j.byStart(list)
		j.dependInside(w, list, at)
	}
	j.meet()
}

// dependInside finds the dependencies of one worker in one step.
func (j *Job) dependInside(w worker, list []int32, at map[named]int32) {
	wait := func(i, on int32) { j.after[i] = append(j.after[i], on) }
	var computes []int32
	last := map[TaskKind]int32{}
	tail := none // of what follows the last backward pass
	then := func(i int32) {
		if tail != none {
			wait(i, tail)
		}
		tail = i
	}
	for _, i := range list {
		t := j.tasks[i]
		switch t.Kind {
		case Forward, Backward:
			if n := len(computes); n > 0 {
				wait(i, computes[n-1])
			}
			computes = append(computes, i)
		case ForwardSend, ForwardRecv, BackwardSend, BackwardRecv, GatherParams:
			if before, ok := last[t.Kind]; ok { // each has a stream of its own
				wait(i, before)
			}
			last[t.Kind] = i
		}
		kind, send := Forward, t.Kind == ForwardSend || t.Kind == BackwardSend
		if t.Kind == BackwardSend || t.Kind == BackwardRecv {
			kind = Backward
		}
		switch own, ok := at[named{w, kind, t.Seq}]; {
		case !ok:
		case send:
			wait(i, own)
		case t.Kind == ForwardRecv || t.Kind == BackwardRecv:
			wait(own, i)
			if before, ok := at[named{w, kind, t.Seq - 1}]; ok {
				wait(i, before)
			}
		}
	}
	if len(computes) == 0 {
		return
	}
	if gather, ok := last[GatherParams]; ok {
		wait(computes[0], gather)
	}
	j.firstBackward(w, computes, at)
	tail = computes[len(computes)-1]
	for _, kind := range []TaskKind{CollectTask, NormGrads, EmbeddingSum, ScatterGrads, ClipGrads, OptimizerTask} {
		for seq := 0; ; seq++ {
			i, ok := at[named{w, kind, seq}]
			if !ok {
				break
			}
			then(i)
		}
	}
}

// firstBackward lets the first exchange of gradients be posted two passes before the first backward pass, as pipelines
// do.
func (j *Job) firstBackward(w worker, computes []int32, at map[named]int32) {
	first := slices.IndexFunc(computes, func(i int32) bool { return j.tasks[i].Kind == Backward })
	if first < 2 {
		return
	}
	for _, kind := range []TaskKind{BackwardRecv, BackwardSend} {
		if i, ok := at[named{w, kind, 0}]; ok {
			j.after[i] = append(j.after[i], computes[first-2])
		}
	}
}

// meet groups the tasks that only run together: a send with its receive, collectives over the data-parallel ranks, the
// two ends of the pipeline, and all workers where gradients are clipped.
func (j *Job) meet() {
	groups := map[named][]int32{}
	for i, t := range j.tasks {
		key := named{worker{t.Step, t.Data, t.Stage}, t.Kind, t.Seq}
		switch t.Kind {
		case ForwardSend:
			key.kind, key.stage = ForwardRecv, t.Stage+1
		case BackwardSend:
			key.kind, key.stage = BackwardRecv, t.Stage-1
		case ForwardRecv, BackwardRecv:
		case GatherParams, ScatterGrads:
			key.data = 0
		case EmbeddingSum:
			key.stage = 0
		case ClipGrads:
			key.data, key.stage = 0, 0
		default:
			continue
		}
		groups[key] = append(groups[key], int32(i))
	}
	for _, list := range groups {
		for _, i := range list {
			j.group[i] = int32(len(j.peers))
		}
		j.peers = append(j.peers, list)
	}
}
