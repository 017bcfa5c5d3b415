package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
)

// worthCompiling reports training that torch.compile can be expected to speed up: with a torch that has it, a network of
// some size, shapes that repeat, and nothing that breaks its graph.
func (p *SourcePass) worthCompiling() bool {
	if p.Project.Tries {
		return true // it is measured
	}
	return !p.namesOldTorch() && !p.tooSmall() && !p.narrow() && !p.breaksGraph() && !p.shapesVary()
}

// namesOldTorch reports a project that asks for a torch which may be much older than the compiler: it was written before it.
func (p *SourcePass) namesOldTorch() bool {
	v := p.versions()
	return v.AtLeast("torch", "1.12") != project.Yes && slices.ContainsFunc(v.Required, func(r project.Requirement) bool {
		return r.Library == "torch" && (r.Exact != "" || r.Low != "" || r.High != "")
	})
}

// breaksGraph reports what the compiler cannot follow through a step: replicas of DataParallel, hooks, recurrent layers
// and transforms to complex numbers.
func (p *SourcePass) breaksGraph() bool {
	if p.nearCalls("torch.nn.DataParallel", "torch.stft", "torch.istft", "torch.fft.*", "torchaudio.transforms.*") || p.nearCalls(recurrentLayers...) {
		return true
	}
	return slices.ContainsFunc(p.Near(), func(m *project.Module) bool {
		return m.Role != project.Test && m.Says("_hook(") && slices.ContainsFunc(m.Sites, func(s *project.Site) bool {
			name := s.Method()
			return strings.HasPrefix(name, "register_") && strings.HasSuffix(name, "_hook")
		})
	})
}

var recurrentLayers = []string{"torch.nn.LSTM", "torch.nn.GRU", "torch.nn.RNN", "torch.nn.LSTMCell", "torch.nn.GRUCell"}

// shapesVary reports batches of many shapes: they are padded to the longest of their samples, or hold one sample each.
func (p *SourcePass) shapesVary() bool {
	if p.nearCalls("torch.nn.utils.rnn.pack_padded_sequence", "transformers.DataCollatorWithPadding",
		"transformers.DataCollatorForSeq2Seq", "transformers.DataCollatorForTokenClassification") {
		return true
	}
	for _, m := range p.Near() {
		if slices.ContainsFunc(p.In(m).CallsTo("torch.nn.utils.rnn.pad_sequence"), func(c Call) bool {
			return !slices.ContainsFunc(c.Func.Sites, func(s *project.Site) bool { return s.Calls.Name == "torch.stack" }) // what else is in the batch has one shape
		}) {
			return true
		}
		if slices.ContainsFunc(p.In(m).TrainingLoaders(), func(c Call) bool { return c.Arg("batch_size").Equals(1) }) {
			return true
		}
	}
	return false
}
