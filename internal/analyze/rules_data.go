package analyze

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"saturate/internal/finding"
	"saturate/internal/human"
	"saturate/internal/trace"
)

// Waiting for data, by who prepares it.
var (
	loaderInMainProcess = Rule{
		Rule: finding.Rule{Code: "TRC101"}.Like(finding.LoaderInMainProcess),
		check: func(p *pass) {
			p.waitsForData("the training process prepares the batch", func(place string) bool {
				return strings.Contains(place, singleProcess)
			})
		},
	}
	workersTooSlow = Rule{
		Rule: finding.Rule{Code: "TRC102"}.Like(finding.WorkersTooSlow),
		check: func(p *pass) {
			p.waitsForData("the DataLoader workers have not finished the next batch", func(place string) bool {
				return strings.Contains(place, "_MultiProcessingDataLoaderIter")
			})
		},
	}
	batchesMadeByHost = Rule{
		Rule: finding.Rule{
			Code: "TRC103", Name: "batches-made-between-steps", Severity: finding.Error, Subject: finding.Loading,
			Areas:  []finding.Area{finding.DataArea},
			Title:  "the host prepares the next batch while the GPU waits",
			Why:    "The next batch could be prepared while this step runs. Here it is prepared between steps.",
			Advice: "Prepare batches in other threads or processes, at least one ahead (double buffering).",
			WhatIf: []string{"loader=free"},
			Cures:  []string{"num-workers-zero"},
		},
		check: func(p *pass) {
			p.waitsForData("the host prepares the next batch between steps", func(place string) bool {
				return !strings.Contains(place, "DataLoaderIter")
			})
		},
	}
)

// waitsForData reports idle time of one sort of loading.
func (p *pass) waitsForData(what string, meant func(place string) bool) {
	ns, when, places := p.idleIn(func(at place) bool { return at.cause == DataLoading && meant(p.text(at)) })
	if p.part(ns) < 0.02 {
		return
	}
	evidence := append(places, p.insideLoader()...)
	p.report(ns, "GPU idle time measured in this trace", when, evidence,
		"The GPU waits %s while %s", p.cost(ns), what)
}

// insideLoader names the operators that take most host time while a batch is prepared.
func (p *pass) insideLoader() []string {
	loader := p.loaderTimes()
	if len(loader) == 0 {
		return nil
	}
	tr := p.t.Track(p.main)
	self := make([]int64, p.t.Names())
	var known int64
	at := 0
	for id := tr.First; id < tr.Last; id++ {
		start := p.t.Start(id)
		for at < len(loader) && loader[at].End <= start {
			at++
		}
		if at == len(loader) {
			break
		}
		if p.t.Kind(id) != trace.CPUOp || !loader[at].Contains(start) || p.means(id, isLoader) {
			continue
		}
		ns := p.t.Duration(id)
		self[p.t.NameID(id)] += ns
		if up, ok := p.t.Enclosing(p.t.Parent(id), trace.CPUOp); ok && !p.means(up, isLoader) {
			self[p.t.NameID(up)] -= ns
		} else {
			known += ns
		}
	}
	if known == 0 {
		return nil
	}
	var names []trace.NameID
	for name, ns := range self {
		if ns > 0 {
			names = append(names, trace.NameID(name))
		}
	}
	slices.SortFunc(names, func(a, b trace.NameID) int { return cmp.Compare(self[b], self[a]) })
	var most []string
	for _, name := range names[:min(4, len(names))] {
		most = append(most, p.t.String(name)+" "+p.perStep(self[name]))
	}
	return []string{fmt.Sprintf("%s of the loader's time is in torch operators on the CPU (%s), the rest in unrecorded code",
		human.Percent(share(known, loader.length())), strings.Join(most, ", "))}
}

// singleProcess is in the name of torch's loader that prepares batches in the training process.
const singleProcess = "_SingleProcessDataLoaderIter"
