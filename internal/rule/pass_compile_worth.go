package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// littleFromCompiler says why torch.compile cannot be expected to speed training up, if so. What it can be expected to
// speed up has a network of some size that spends its time between products, shapes that repeat, a torch that has the
// compiler, and nothing that breaks its graph.
func (p *SourcePass) littleFromCompiler() string {
	switch {
	case p.namesOldTorch() || p.AtLeast("torch", "2.0") == project.No:
		return "the project asks for a torch that is older than its compiler"
	case p.Module.Notebook:
		return "a notebook runs for so short that compiling takes a large part of it"
	case p.tooSmall() || p.narrow():
		return "the network is small"
	case p.breaksGraph():
		return "recurrent layers, hooks, replicas or complex numbers break the compiler's graph"
	case p.shapesVary():
		return "batches have many shapes, each of which is compiled"
	case !p.normalizesBetweenProducts():
		return "its time is spent in products or convolutions, which compiling leaves as they are"
	}
	return ""
}

// normalizesBetweenProducts reports a network of matrix products with norms, attention and activations between them,
// which the compiler fuses: a transformer of the project's own, as convolutions have few such passes over memory.
func (p *SourcePass) normalizesBetweenProducts() bool {
	return p.multipliesMatrices() && (p.writesAttention() || p.nearCalls("torch.nn.LayerNorm", "torch.nn.functional.layer_norm",
		"torch.nn.RMSNorm", "torch.nn.MultiheadAttention", "torch.nn.Transformer", "torch.nn.TransformerEncoderLayer",
		"torch.nn.TransformerDecoderLayer", "torch.nn.functional.scaled_dot_product_attention"))
}

// writesAttention reports a network near this module with attention that is written out: a softmax beside products.
func (p *SourcePass) writesAttention() bool {
	return slices.ContainsFunc(p.Near(), func(m *project.Module) bool {
		q := p.In(m)
		calls := append(q.CallsTo("torch.softmax", "torch.nn.functional.softmax"), q.MethodCalls("softmax")...)
		return slices.ContainsFunc(calls, func(c Call) bool {
			return c.Func.Def != nil && q.Class(c) != nil && q.Class(c).Derives("torch.nn.Module") && multiplies(c.Func)
		})
	})
}

// multiplies reports a function with a product of matrices.
func multiplies(fn *project.Function) bool {
	found := slices.ContainsFunc(fn.Sites, func(s *project.Site) bool {
		switch lastName(s.Node.Func) {
		case "matmul", "bmm", "einsum":
			return true
		}
		return false
	})
	pysrc.Inspect(fn.Def, func(n pysrc.Node) bool {
		op, ok := n.(*pysrc.BinOp)
		found = found || ok && op.Op == pysrc.MatMult
		return !found
	})
	return found
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
