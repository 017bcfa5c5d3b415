package rule

import (
	"maps"
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// A step of a small network mostly launches kernels: its products take hardly any time in any precision.
const (
	smallWeights = 2e4 // weights of a network whose layers are all known
	smallLayers  = 8   // layers with weights that it has at most
	smallBatch   = 128 // below it, an agent that learns from an environment does not fill a GPU
	smallAgent   = 1e6 // weights of the largest network of linear layers of an agent
	openSize     = 256 // taken for the size of an observation or action, which the environment tells
	narrowWidth  = 160 // products of matrices with so short a side are limited by memory
	fairWidth    = 256 // a side from which on half precision may save more than launches cost
)

// Why the precision of products does not matter in a network.
const (
	smallNetwork  = "the network is small: its kernels take less time than their launches"
	narrowNetwork = "its layers are narrow: memory limits their products in any precision"
)

// fromSmall says why the precision of products does not matter here, if so.
func (p *SourcePass) fromSmall() string {
	l := p.trainedLayers()
	switch {
	case p.tooSmall():
		return smallNetwork
	case p.nearCalls(sparseProducts...) || p.addsByIndex() && !p.hasConvolutions() && !p.attends():
		return "sparse products, or sums along the edges of a graph, take the time"
	case l != nil && l.looksUp() && !p.softens():
		return "the model mostly looks embeddings up, and its products are few"
	case !p.convolvesImages() && !p.takesLanguageModel() && !p.maybeWide():
		return "no layer is known to be wide, and the kernels of narrow ones take less time than their launches"
	}
	return ""
}

// maybeWide reports a layer near this module with a side that is known to be wide, one that a library brings, or one that
// makes longer signals, as networks of sound do. So may be a network none of whose layers is seen.
func (p *SourcePass) maybeWide() bool {
	if p.nearCount(slices.Sorted(maps.Keys(layerWidths))...) == 0 {
		return true
	}
	return p.nearCalls("timm.*", "x_transformers.*", "transformers.*", "diffusers.*", "torch.nn.ConvTranspose1d") || slices.ContainsFunc(p.Near(), func(m *project.Module) bool {
		return slices.ContainsFunc(p.In(m).CallsTo(slices.Sorted(maps.Keys(layerWidths))...), func(c Call) bool {
			return c.Calls.Kind != project.Instance && slices.ContainsFunc(layerWidths[c.Name()], func(side string) bool {
				n, known := c.Arg(side).Float()
				return known && n >= fairWidth
			})
		})
	})
}

// softens reports a softmax near this module that every step computes, as attention does.
func (p *SourcePass) softens() bool {
	return slices.ContainsFunc(p.Near(), func(m *project.Module) bool {
		q := p.In(m)
		return len(q.CallsTo("torch.softmax", "torch.nn.functional.softmax", "torch.nn.Softmax"))+len(q.MethodCalls("softmax")) > 0
	})
}

// addsByIndex reports a network near this module that adds up what belongs to the same node of a graph.
func (p *SourcePass) addsByIndex() bool {
	return slices.ContainsFunc(p.Near(), func(m *project.Module) bool {
		q := p.In(m)
		return m.Role != project.Test && slices.ContainsFunc(q.MethodCalls("scatter_add_", "scatter_add", "index_add_", "index_add"), func(c Call) bool {
			_, hot := q.Hot(c)
			return hot
		})
	})
}

// tooSmall reports whether the precision of products does not matter here: the network is known to be tiny, or an agent
// learns from a small batch between the steps of an environment.
func (p *SourcePass) tooSmall() bool {
	weights, layers, known := p.network()
	if known && layers > 0 && layers <= smallLayers && weights < smallWeights {
		return true
	}
	if l := p.trainedLayers(); l != nil && (l.fewLinear() || l.narrowLinear()) && !p.hasConvolutions() && !p.attends() {
		return true // and no other network computes what it is given
	}
	if !p.learnsByActing() {
		return false
	}
	batch, told := p.largestBatch()
	return !told || batch < smallBatch || !p.hasConvolutions() || p.actsByLinearLayers()
}

// actsByLinearLayers reports networks of a few linear layers near this module: the largest has fewer weights than a GPU
// needs to be busy. The sizes that an environment tells are not known, but small.
func (p *SourcePass) actsByLinearLayers() bool {
	weights := map[*project.Class]float64{}
	for _, m := range p.Near() {
		q := p.In(m)
		if q.takesModel() {
			return false
		}
		for _, c := range q.CallsTo("torch.nn.*") {
			sizes, isLayer := layerSizes[c.Name()]
			if !isLayer || c.Calls.Kind == project.Instance { // self.layer(x)
				continue
			}
			if c.Name() != "torch.nn.Linear" || q.InLoop(c) {
				return false
			}
			product := 1.0
			for _, name := range sizes {
				n, known := c.Arg(name).Float()
				if !known {
					n = openSize
				}
				product *= n
			}
			weights[q.Class(c)] += product
		}
	}
	for _, n := range weights {
		if n >= smallAgent {
			return false
		}
	}
	return len(weights) > 0
}

// takesModel reports a module that gets a model from a library.
func (p *SourcePass) takesModel() bool {
	return len(p.Pretrained()) > 0 || len(p.CallsTo("torchvision.models.*", "timm.*", "torch.hub.load")) > 0
}

// network counts the layers that the modules near this one make, and their weights. It is not known where a size is
// not, where a loop makes layers, or where a library brings a model.
func (p *SourcePass) network() (weights float64, layers int, known bool) {
	for _, m := range p.Near() {
		q := p.In(m)
		if q.takesModel() || len(q.CallsTo("torch.nn.Parameter")) > 0 {
			return 0, 0, false
		}
		for _, c := range q.CallsTo("torch.nn.*") {
			sizes, isLayer := layerSizes[c.Name()]
			if !isLayer || c.Calls.Kind == project.Instance { // self.layer(x)
				continue
			}
			if sizes == nil || q.InLoop(c) {
				return 0, 0, false
			}
			product := 1.0
			for _, name := range sizes {
				n, told := c.Arg(name).Float()
				if !told {
					return 0, 0, false
				}
				product *= n
			}
			weights += product
			layers++
		}
	}
	return weights, layers, true
}

// narrow reports a network in each of whose layers the shorter side is known to be short.
func (p *SourcePass) narrow() bool {
	layers := 0
	for _, m := range p.Near() {
		q := p.In(m)
		if q.takesModel() || len(q.CallsTo("transformers.*", "diffusers.*")) > 0 {
			return false
		}
		for _, c := range q.CallsTo(slices.Sorted(maps.Keys(layerWidths))...) {
			if c.Calls.Kind != project.Instance && !q.short(c) {
				return false
			}
			layers++
		}
	}
	return layers > 0
}

// short reports a layer with a side that is known to be short.
func (p *SourcePass) short(c Call) bool {
	if _, hidden := c.Node.Unpacks(); hidden {
		return false
	}
	return slices.ContainsFunc(layerWidths[c.Name()], func(side string) bool {
		n, known := c.Arg(side).Float()
		return known && n <= narrowWidth
	})
}

// layerWidths are the arguments that are the sides of what a layer multiplies by.
var layerWidths = map[string][]string{
	"torch.nn.Linear": {"in_features", "out_features"}, "torch.nn.LazyLinear": {"out_features"}, "torch.nn.Bilinear": nil,
	"torch.nn.LSTM": {"hidden_size"}, "torch.nn.GRU": {"hidden_size"}, "torch.nn.RNN": {"hidden_size"},
	"torch.nn.LSTMCell": {"hidden_size"}, "torch.nn.GRUCell": {"hidden_size"},
	"torch.nn.MultiheadAttention": {"embed_dim"}, "torch.nn.Transformer": {"d_model"},
	"torch.nn.TransformerEncoderLayer": {"d_model"}, "torch.nn.TransformerDecoderLayer": {"d_model"},
	"torch.nn.Conv1d": {"in_channels", "out_channels"}, "torch.nn.ConvTranspose1d": {"in_channels", "out_channels"},
}

// layerSizes are the arguments whose product is about the number of a layer's weights; nil for layers that nobody uses
// in a tiny network.
var layerSizes = map[string][]string{
	"torch.nn.Linear": {"in_features", "out_features"},
	"torch.nn.Conv1d": {"in_channels", "out_channels", "kernel_size"},
	"torch.nn.Conv2d": {"in_channels", "out_channels", "kernel_size", "kernel_size"},
	"torch.nn.Conv3d": nil, "torch.nn.ConvTranspose1d": nil, "torch.nn.ConvTranspose2d": nil, "torch.nn.ConvTranspose3d": nil,
	"torch.nn.LSTM": nil, "torch.nn.GRU": nil, "torch.nn.RNN": nil, "torch.nn.LSTMCell": nil, "torch.nn.GRUCell": nil,
	"torch.nn.Embedding": nil, "torch.nn.EmbeddingBag": nil, "torch.nn.MultiheadAttention": nil, "torch.nn.Bilinear": nil,
	"torch.nn.Transformer": nil, "torch.nn.TransformerEncoderLayer": nil, "torch.nn.TransformerDecoderLayer": nil,
	"torch.nn.LazyLinear": nil, "torch.nn.LazyConv2d": nil,
}

// learnsByActing reports a program that acts in an environment, as gym's are: observation, reward, done, info = env.step(action).
func (p *SourcePass) learnsByActing() bool {
	if p.shared.acts == nil {
		acts := slices.ContainsFunc(p.Near(), func(m *project.Module) bool { return p.shared.index.of(m).stepsEnvironment() })
		p.shared.acts = &acts
	}
	return *p.shared.acts
}

// stepsEnvironment reports a call of step whose result is taken apart into what an environment gives.
func stepsEnvironment(m *project.Module, s *project.Site) bool {
	if s.Method() != "step" || len(s.Node.Args) != 1 {
		return false
	}
	assign, ok := m.StatementAt(s.Node.Start).(*pysrc.Assign)
	if !ok || assign.Value != pysrc.Expr(s.Node) || len(assign.Targets) != 1 {
		return false
	}
	parts, ok := assign.Targets[0].(*pysrc.Tuple)
	return ok && len(parts.Elts) >= 3
}

// largestBatch is the largest number that a variable or option named batch_size is known to hold where it is passed on.
func (p *SourcePass) largestBatch() (largest int64, known bool) {
	for _, m := range p.Near() {
		for _, s := range m.Sites {
			for _, a := range s.Node.Args {
				if lastName(a) == "batch_size" {
					if n, told := p.In(m).Eval(a).Int(); told {
						largest, known = max(largest, n), true
					}
				}
			}
		}
	}
	return largest, known
}
