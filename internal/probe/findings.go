package probe

import (
	"fmt"
	"math"
	"slices"

	"saturate/internal/finding"
	"saturate/internal/human"
	"saturate/internal/run"
)

// Findings are the faults that the steps and the loaders give away by themselves, without a trace.
func Findings(o Outcome, e Explanation) []finding.Finding {
	if e.StepTime <= 0 {
		return nil
	}
	var found []finding.Finding
	add := func(code, name string, severity finding.Severity, cost float64, message, why, advice string) {
		part := map[string]string{"PRF101": "data", "PRF102": "data", "PRF104": run.Other, "PRF106": "data"}[code]
		found = append(found, finding.Finding{
			Code: code, Name: name, Severity: severity, Confidence: 0.9, Message: message, Why: why, Advice: advice, Evidence: costOf(o.Run.Functions, part),
			Estimate: &finding.Estimate{SecondsPerStep: cost, Basis: "measured in this run"},
		})
	}
	data := e.Part("data")
	loader, known := o.Facts.training()
	switch {
	case !known || data < worthNaming*e.StepTime:
	case loader.Workers == 0:
		message := "batches are made in the training process itself, while the model waits"
		if made := o.Facts.InProcess; made != nil && made.Samples > 0 {
			message += fmt.Sprintf(": %s per sample, %s", human.Seconds(made.PerSample()), made.Divided())
		}
		why, advice := "Without worker processes a batch is begun only when the model asks for it, and nothing overlaps.",
			advisedWorkers(neededWorkers(data, e.StepTime, 0), o.Run.Environment.Machine)
		if data < handedOver {
			advice = fmt.Sprintf("A batch takes %s, and a worker process about as long or longer to hand one over: make the batch at once, by indexing tensors that hold all samples, or put them on the device ahead of training.", human.Seconds(data))
		}
		add("PRF101", "loader-in-main-process", finding.Error, data, message, why, advice)
	default:
		workers := fmt.Sprintf("%d worker %s", loader.Workers, human.Choose(loader.Workers, "process", "processes"))
		message := fmt.Sprintf("%s %s not keep up", workers, human.Choose(loader.Workers, "does", "do"))
		if o.Workers.Samples > 0 {
			message += fmt.Sprintf(": a sample takes %s, %s", human.Seconds(o.Workers.PerSample()), o.Workers.Divided())
		}
		why, advice := "The model uses batches up faster than the workers make them.",
			"Make samples cheaper ahead of training. "+advisedWorkers(neededWorkers(data, e.StepTime, loader.Workers), o.Run.Environment.Machine)
		// How long the workers take to make the samples of a step, side by side; 0 where that is not known.
		if making := o.Workers.PerSample() * e.samples / float64(loader.Workers); making > 0 && making < e.StepTime-data {
			message = fmt.Sprintf("batches come late from %s: making those of a step takes %s, and a step without the wait %s", workers, human.Seconds(making), human.Seconds(e.StepTime-data))
			why = "The workers make batches faster than the model uses them up. But each is also copied, announced and taken, by processes and threads that need a core, and some may take much longer to make than others."
			advice = "Hand over less with each batch, or have more of them ready: a larger prefetch_factor. Where samples are cheap, batches made at once by indexing tensors need no workers."
		}
		add("PRF102", "workers-too-slow", finding.Error, data, message, why, advice)
	}
	if copies := e.Part("h2d"); known && len(o.Facts.GPUs) > 0 && !loader.PinMemory && copies >= 0.05*e.StepTime {
		add("PRF103", "pageable-copies", finding.Warning, copies, "batches are copied to the GPU from pageable memory",
			"A pageable copy goes through a staging buffer and makes the host wait.",
			"Set pin_memory=True and copy with non_blocking=True.")
	}
	if other := e.Part(run.Other); other >= worthNaming*e.StepTime {
		add("PRF104", "other-code-in-the-loop", finding.Warning, other,
			fmt.Sprintf("%s of a step is neither data, copies, forward, backward nor optimizer", human.Percent(other/e.StepTime)),
			"Logging, metrics, reading values back and data that no DataLoader fetches happen while nothing else does.",
			"Move it out of the loop, or do it every few steps.")
	}
	if cold, wait := e.coldStart(); known && wait >= worthNaming*e.Training {
		message := fmt.Sprintf("the first step of an epoch takes %s, %s of it waiting for data, and others take %s",
			human.Seconds(cold.Seconds/float64(cold.Steps)), human.Seconds(wait*float64(e.all)/float64(cold.Steps)), human.Seconds(e.StepTime))
		why, advice := "No batch is ready when an epoch begins: the model waits until the first one is made.",
			"Make samples cheaper ahead of training, or epochs longer: a sampler may go over a small data set several times."
		if loader.Workers > 0 && !loader.PersistentWorkers {
			why = fmt.Sprintf("%s started anew for each epoch, and no batch is ready when it begins.", human.Choose(loader.Workers, "The worker process is", fmt.Sprintf("%d worker processes are", loader.Workers)))
			advice = "persistent_workers=True keeps them. " + advice
		}
		add("PRF106", "epochs-start-cold", finding.Warning, wait, message, why, advice)
	}
	found = append(found, apartFindings(o)...)
	if n, cost := late(o.Run.Steps, "recompilation"); n > 0 {
		add("PRF105", "recompilations", finding.Warning, cost/float64(len(o.Run.Steps)), fmt.Sprintf("%s after the first ones %s held up by compiling", human.Plural(n, "step"), human.Choose(n, "was", "were")),
			"Compiled code is made anew whenever a shape or a constant changes.",
			"Pad batches to few sizes, or mark what varies as dynamic.")
	}
	return found
}

// training is the loader that feeds training: the one with most batches, which is also the first of those.
func (f Facts) training() (Loader, bool) {
	if len(f.Loaders) == 0 {
		return Loader{}, false
	}
	return slices.MaxFunc(f.Loaders, func(a, b Loader) int { return a.Batches - b.Batches }), true
}

// Restarted is how many worker processes took the place of others that were ended, because a loader does not keep its
// workers from one epoch to the next; 0 where all loaders keep them.
func (f Facts) Restarted() (n int) {
	for _, l := range f.Loaders {
		if !l.PersistentWorkers {
			n += l.Workers * max(0, l.Epochs-1)
		}
	}
	return n * max(1, f.World)
}

// handedOver is about what a worker process takes to hand a small batch over: 0.5 to 0.8 ms more than to make it in the training
// process, with torch 2.15 on two idle cores, and 1.3 to 1.7 ms on busy ones.
const handedOver = 0.001

// neededWorkers is how many workers would make a batch in the time that the rest of a step takes.
func neededWorkers(wait, step float64, now int) int {
	work := wait // what one process spends on a batch
	if now > 0 {
		work = step * float64(now) // all of them are busy all the time
	}
	return max(now+1, int(math.Ceil(work/max(step-wait, step/16)-1e-6)))
}

// late counts steps with a tag after the first five, where it is no longer part of getting started.
func late(steps []run.Step, tag string) (n int, cost float64) {
	for _, s := range steps {
		if s.Index > 5 && slices.Contains(s.Tags, tag) {
			n, cost = n+1, cost+s.Seconds
		}
	}
	return n, cost
}
