package rule

import (
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// mapNoNumProc finds heavy work on a data set that one process does alone.
var mapNoNumProc = Rule{
	Code: "SAT121", Name: "map-no-num-proc", Severity: Advice,
	Title:  "one process prepares the whole data set",
	What:   "dataset.map(function) without num_proc, where the function decodes audio or images or computes features.",
	Why:    "The map runs in one process while the other cores are idle, and training cannot start before it ends.",
	Fine:   "Functions that use all cores already: torch operations in eight processes fell from 124 to 30 rows a second in one report; functions that use the GPU; streams, which have no num_proc.",
	Advice: "Try num_proc with the number of cores, with torch.set_num_threads(1) in the function, and measure: it does not always help.",
	Bad:    "dataset.map(prepare)",
	Good:   "dataset.map(prepare, num_proc=8)",
	Source: func(p *SourcePass) {
		for _, m := range p.Maps() {
			workers := m.Arg("num_proc")
			if !workers.Missing() && !workers.IsNone() && !workers.Equals(1) || p.EvaluationOnly(m) || m.function.Module != p.Module || p.streams(m.Receiver()) {
				continue
			}
			if heavy := p.heavyIn(m.function); heavy != nil {
				p.Report(m, 0.8*m.sure*workers.Confidence()).Because(workers, heavy)
			}
		}
	},
}

// heavyIn returns the call of a function that decodes audio or images or
// computes features, nil when it has none.
func (p *SourcePass) heavyIn(fn *project.Function) pysrc.Node {
	heavy := p.CallsTo(featureFunctions...)
	heavy = append(heavy, p.InstanceCalls(featureClasses...)...)
	heavy = append(heavy, p.extractions()...)
	heavy = append(heavy, p.CallsTo("librosa.load", "torchaudio.load", "soundfile.read", "PIL.Image.open", "cv2.imread", "librosa.resample", "torchaudio.functional.resample")...)
	for _, c := range heavy {
		if c.Func == fn {
			return c.Node
		}
	}
	for _, s := range fn.Sites {
		if name := lastName(s.Node.Func); s.Calls.Kind == project.Unknown && (name == "feature_extractor" || name == "processor" && readsAudio(s.Node)) {
			return s.Node
		}
	}
	return nil
}

// readsAudio reports a call that is given the samples of the audio column.
func readsAudio(c *pysrc.Call) bool {
	found := false
	pysrc.Inspect(c, func(n pysrc.Node) bool {
		if s, ok := n.(*pysrc.Subscript); ok {
			key, _ := pysrc.StringValue(s.Slice)
			found = found || key == "array" || key == "audio" || key == "speech"
		}
		return !found
	})
	return found
}

// streams tells whether a data set is one that is streamed.
func (p *SourcePass) streams(e pysrc.Expr) bool {
	v := p.Eval(e)
	if v.Made != nil && !(Call{v.Made, p}).Arg("streaming").Missing() {
		return true
	}
	return strings.Contains(v.Name, "Iterable")
}
