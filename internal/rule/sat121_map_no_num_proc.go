package rule

import (
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// mapNoNumProc finds heavy work on a dataset that one process does alone.
var mapNoNumProc = Rule{
	Code: "SAT121", Name: "map-no-num-proc", Severity: Advice, Subject: AboutLoading,
	Areas: []Area{DataArea, WorkersArea},
	Title: "one process prepares the whole dataset",
	What: "dataset.map(function) without num_proc, where the function decodes audio or images or computes " +
		"features. Small: map and filter that go through all rows in Python, without num_proc. Also map and interleave of tf.data " +
		"without num_parallel_calls, in a pipeline for JAX.",
	Why: "The map runs in one process while the other cores are idle, and training starts only when it has finished.",
	Fine: "Functions that already use all cores: torch operations in 8 processes fell from 124 to 30 rows/s in " +
		"one report. Functions that use the GPU. Streams, which do not support num_proc.",
	Advice: "Try num_proc with the number of cores, and torch.set_num_threads(1) in the function. Measure it: it " +
		"does not always help.",
	Bad:    "dataset.map(prepare)",
	Good:   "dataset.map(prepare, num_proc=8)",
	Safety: DisplayOnly,
	Source: func(p *SourcePass) {
		p.tfMaps()
		p.rowsInOneProcess()
		for _, m := range p.Maps() {
			workers := m.Arg("num_proc")
			if inProcesses(workers) || p.EvaluationOnly(m) || p.streams(m) {
				continue
			}
			there := p.In(m.function.Module)
			if heavy := there.heavyIn(m.function); heavy != nil {
				p.Report(m, likely*m.sure*workers.Confidence()).Because(workers, there.At(heavy, "runs for every row")).
					Fix(DisplayOnly, "prepare in several processes", workers.SetTo("4"))
			}
		}
	},
}

// streams reports whether a map is over a dataset that is streamed, by how it
// was loaded, here or in another call of the module, or by a test around the map.
func (p *SourcePass) streams(m datasetMap) bool {
	v := p.Eval(m.Receiver())
	if v.Made != nil && !(Call{v.Made, p}).Arg("streaming").Missing() || strings.Contains(v.Name, "Iterable") {
		return true
	}
	for _, s := range p.Module.Sites {
		if k := s.Node.Keyword("streaming"); k != nil && !pysrc.IsConst(k.Value, pysrc.False) {
			return true
		}
	}
	streams := false
	p.testsAround(m, func(test pysrc.Expr) {
		pysrc.Inspect(test, func(n pysrc.Node) bool {
			if e, ok := n.(pysrc.Expr); ok && project.HasWord(lastName(e), "stream", "streaming", "iterable") {
				streams = true
			}
			return !streams
		})
	})
	return streams
}
