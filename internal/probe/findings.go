package probe

import (
	"fmt"
	"math"
	"slices"

	"saturate/internal/finding"
	"saturate/internal/human"
	"saturate/internal/run"
)

// The faults that the steps and the loaders of a run show.
var (
	loaderInMainProcess = finding.Rule{Code: "PRF101"}.Like(finding.LoaderInMainProcess)
	workersTooSlow      = finding.Rule{Code: "PRF102"}.Like(finding.WorkersTooSlow)
	pageableCopies      = finding.Rule{Code: "PRF103"}.Like(finding.PageableCopies)
	otherCode           = finding.Rule{
		Code: "PRF104", Name: "other-code-in-the-loop", Severity: finding.Warning, Subject: finding.HostCode, Areas: []finding.Area{finding.HostArea},
		Title: "the loop spends time on something other than data, copies, forward, backward and optimizer",
		Why: "Logging, metrics, reading values back and loading data without a DataLoader " +
			"take time in which nothing else happens.",
		Advice: "Move it out of the loop, or do it every few steps.",
		Cures:  []string{"log-every-step"},
	}
	recompilations = finding.Rule{
		Code: "PRF105", Name: "recompilations", Severity: finding.Warning, Subject: finding.Compiling, Areas: []finding.Area{finding.ComputeArea, finding.HostArea},
		Title:  "code is compiled again after the first steps",
		Why:    "Compiled code is compiled again whenever a shape or a constant changes.",
		Advice: "Pad batches to few sizes, or mark the dimensions that vary as dynamic.",
		Cures:  []string{"compile-in-loop", "jit-in-loop", "varying-shapes", "static-arg-churn"},
	}
	epochsStartCold = finding.Rule{
		Code: "PRF106", Name: "epochs-start-cold", Severity: finding.Warning, Subject: finding.Loading, Areas: []finding.Area{finding.DataArea},
		Title:  "the first step of an epoch waits for data",
		Why:    "No batch is ready when an epoch begins: the model waits for the first one.",
		Advice: "Prepare samples before training, or make epochs longer: a sampler can repeat a small dataset several times.",
		Cures:  []string{"workers-without-persistent", "loader-in-epoch-loop"},
	}
)

func init() {
	finding.Register(finding.Run, loaderInMainProcess, workersTooSlow, pageableCopies, otherCode, recompilations,
		epochsStartCold)
	for _, a := range aside {
		finding.Register(finding.Run, a.rule)
	}
}

// Findings are the faults that the steps and the loaders show without a trace.
func Findings(o Outcome, e Explanation) []finding.Finding {
	if e.StepTime <= 0 {
		return nil
	}
	l := faults{Outcome: o, Explanation: e}
	l.loader, l.known = o.Facts.training()
	l.loading()
	if copies := e.Part("h2d"); l.known && len(o.Facts.GPUs) > 0 && !l.loader.PinMemory && copies >= 0.05*e.StepTime {
		l.add(pageableCopies, "h2d", copies, pageableCopies.Title)
	}
	if other := e.Part(run.Other); other >= worthNaming*e.StepTime {
		l.add(otherCode, run.Other, other, fmt.Sprintf("%s of a step is not data, copies, forward, backward or optimizer",
			human.Percent(other/e.StepTime)))
	}
	l.coldEpochs()
	l.found = append(l.found, apartFindings(o)...)
	if n, cost := late(o.Run.Steps, "recompilation"); n > 0 {
		l.add(recompilations, "", cost/float64(len(o.Run.Steps)), fmt.Sprintf("compiling delayed %s after the first ones",
			human.Plural(n, "step")))
	}
	return l.found
}

// faults gathers the findings of a run.
type faults struct {
	Outcome
	Explanation
	loader Loader // of the training, if known
	known  bool
	found  []finding.Finding
}

// add appends a finding, which can be changed until the next one is added. part is the part of a step that it is about.
func (l *faults) add(r finding.Rule, part string, cost float64, message string) *finding.Finding {
	f := r.Finding()
	f.Confidence, f.Message, f.Evidence = 0.9, message, costOf(l.Run.Functions, part)
	f.Estimate = &finding.Estimate{SecondsPerStep: cost, Basis: "measured in this run"}
	if look := r.WhereToLook(); look != "" {
		f.Advice += " " + look
	}
	l.found = append(l.found, f)
	return &l.found[len(l.found)-1]
}

// loading says why the model waits for data: no workers, or workers that are too slow.
func (l *faults) loading() {
	data := l.Part("data")
	switch {
	case !l.known || data < worthNaming*l.StepTime:
	case l.loader.Workers == 0:
		message := loaderInMainProcess.Title + " while the model waits"
		if made := l.Facts.InProcess; made != nil && made.Samples > 0 {
			message += fmt.Sprintf(": %s per sample, %s", human.Seconds(made.PerSample()), made.Divided())
		}
		f := l.add(loaderInMainProcess, "data", data, message)
		if data < handedOver {
			f.Advice = fmt.Sprintf("A batch takes %s, and a worker process takes as long or longer to hand one over. Index "+
				"tensors that hold all samples, or put the samples on the device before training.", human.Seconds(data))
		} else {
			f.Advice = advisedWorkers(neededWorkers(data, l.StepTime, 0), l.Run.Environment.Machine) + " " + f.Advice
		}
	default:
		workers := fmt.Sprintf("%d worker %s", l.loader.Workers, human.Choose(l.loader.Workers, "process", "processes"))
		message := fmt.Sprintf("%s %s not keep up", workers, human.Choose(l.loader.Workers, "does", "do"))
		if l.Workers.Samples > 0 {
			message += fmt.Sprintf(": a sample takes %s, %s", human.Seconds(l.Workers.PerSample()), l.Workers.Divided())
		}
		f := l.add(workersTooSlow, "data", data, message)
		f.Advice = advisedWorkers(neededWorkers(data, l.StepTime, l.loader.Workers), l.Run.Environment.Machine) + " " +
			f.Advice
		// How long the workers take to make the samples of a step, in parallel; 0 where that is not known.
		if making := l.Workers.PerSample() * l.samples / float64(l.loader.Workers); making > 0 && making < l.StepTime-data {
			f.Message = fmt.Sprintf("batches from %s arrive late: preparing the batches of a step takes %s, and a step "+
				"without the wait takes %s", workers, human.Seconds(making), human.Seconds(l.StepTime-data))
			f.Why = "The workers prepare batches faster than the model uses them. But each batch is also copied and handed " +
				"over by processes and threads that need a core, and some batches may take much longer than others."
			f.Advice = "Hand over less with each batch, or keep more batches ready with a larger prefetch_factor. Where " +
				"samples are cheap, index tensors that hold all samples; that needs no workers."
		}
	}
}

// coldEpochs says what the first step of each epoch waits for.
func (l *faults) coldEpochs() {
	if cold, wait := l.coldStart(); l.known && wait >= worthNaming*l.Training {
		f := l.add(epochsStartCold, "data", wait,
			fmt.Sprintf("the first step of an epoch takes %s, %s of it waiting for data; other steps take %s",
				human.Seconds(cold.Seconds/float64(cold.Steps)), human.Seconds(wait*float64(l.all)/float64(cold.Steps)), human.Seconds(l.StepTime)))
		if l.loader.Workers > 0 && !l.loader.PersistentWorkers {
			f.Why = fmt.Sprintf("%s started again for each epoch, and no batch is ready when it begins.",
				human.Choose(l.loader.Workers, "The worker process is", fmt.Sprintf("%d worker processes are", l.loader.Workers)))
			f.Advice = "persistent_workers=True keeps the workers. " + f.Advice
		}
	}
}

// training is the loader that feeds training: the one with the most batches, the first where several have as many.
func (f Facts) training() (Loader, bool) {
	if len(f.Loaders) == 0 {
		return Loader{}, false
	}
	return slices.MaxFunc(f.Loaders, func(a, b Loader) int { return a.Batches - b.Batches }), true
}

// Restarted counts the worker processes that replaced others because a loader does not keep its workers
// from one epoch to the next; 0 where all loaders keep them.
func (f Facts) Restarted() (n int) {
	for _, l := range f.Loaders {
		if !l.PersistentWorkers {
			n += l.Workers * max(0, l.Epochs-1)
		}
	}
	return n * max(1, f.World)
}

// handedOver is roughly how long a worker process takes to hand over a small batch: 0.5 to 0.8 ms more than making it
// in the training process, with torch 2.15 on two idle cores, and 1.3 to 1.7 ms on busy ones.
const handedOver = 0.001

// neededWorkers is how many workers would prepare a batch in the time that the rest of a step takes.
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
