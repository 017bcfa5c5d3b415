package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// modelLayers are the layers of the models that a module trains, as far as their classes tell.
type modelLayers struct {
	made    map[string]int // by the names of torch.nn; those of a loop count twice at least
	weights float64        // of all of them, where sized
	sized   bool           // all sizes are known, and how often loops turn
	looped  bool           // a loop that turns an unknown number of times makes some of them
	open    bool           // something that is not known may hold more layers
	library bool           // a library brings a part
	models  int
}

// trainedLayers follows the classes of the models that this module trains to the layers that they make. It is nil where
// not all of them are known.
func (p *SourcePass) trainedLayers() *modelLayers {
	if l := p.seenLayers(); !l.open {
		return l
	}
	return nil
}

// seenLayers are the layers of the models that this module trains, as far as they are seen.
func (p *SourcePass) seenLayers() *modelLayers {
	if p.shared.layers == nil {
		l := &modelLayers{made: map[string]int{}, sized: true}
		p.shared.layers = l
		models := p.trainedModels()
		for i, model := range models {
			same := func(other Value) bool {
				return other.Class == model.Class && (model.Class != nil || other.Made == model.Made)
			}
			if !slices.ContainsFunc(models[:i], same) {
				w := layerWalk{p, l, map[*project.Function]bool{}, map[*project.Class]bool{}}
				w.model(model)
			}
		}
		l.models = len(models)
		l.open = l.open || l.layers() == 0
	}
	return p.shared.layers
}

// trainedModels are the models that this module trains: those whose weights an optimizer gets, or else those that give
// its losses. There are none where one of them is not known.
func (p *SourcePass) trainedModels() (list []Value) {
	for _, c := range p.CallsTo("torch.optim.*") {
		of := p.optimized(c)
		if of == nil {
			continue
		}
		models := p.modelsOf(p.Eval(of), 0)
		if len(models) == 0 {
			return nil
		}
		list = append(list, models...)
	}
	if len(list) > 0 {
		return list
	}
	for _, f := range p.ForwardPasses() {
		call, ok := f.model.(*pysrc.Call)
		if !ok || f.sure != project.Certain {
			return nil
		}
		models := p.modelsOf(p.Eval(call.Func), 0)
		if len(models) == 0 {
			return nil
		}
		list = append(list, models...)
	}
	return list
}

// optimized is the model whose parameters an optimizer gets, or nil.
func (p *SourcePass) optimized(c Call) pysrc.Expr {
	call, ok := c.ArgumentNode("params", 0).(*pysrc.Call)
	if !ok {
		return nil
	}
	if of, ok := call.Func.(*pysrc.Attribute); ok && of.Attr == "parameters" {
		return of.Value
	}
	return nil
}

// modelsOf are the models that a value may be, of a class of the project or layers of torch, behind what spreads them over GPUs.
func (p *SourcePass) modelsOf(v Value, depth int) (list []Value) {
	switch {
	case depth > 3:
		return nil
	case len(v.Either) > 0:
		for _, one := range v.Either {
			if one.IsNone() {
				continue
			}
			models := p.modelsOf(one, depth+1)
			if len(models) == 0 {
				return nil
			}
			list = append(list, models...)
		}
		return list
	case v.Class != nil && v.Class.Derives("torch.nn.Module"):
		return []Value{v}
	case v.Made == nil || v.Kind != project.Instance:
		return nil
	case v.Name == "torch.nn.DataParallel" || v.Name == "torch.nn.parallel.DistributedDataParallel":
		return p.modelsOf(p.eval.ArgumentAt(v.Made, 0), depth+1)
	case v.Name == "torch.nn.Sequential" || layerSizes[v.Name] != nil:
		return []Value{v}
	}
	return nil
}

// A layerWalk counts the layers that functions make.
type layerWalk struct {
	pass *SourcePass
	to   *modelLayers
	open map[*project.Function]bool // being walked
	seen map[*project.Class]bool    // given to others
}

// mostWalked is how many functions inside each other are followed.
const mostWalked = 8

func (w *layerWalk) model(v Value) {
	if v.Class != nil {
		w.class(v.Class, 1)
		return
	}
	q := w.pass.In(v.Made.Module())
	for _, a := range v.Made.Node.Args {
		if _, layer := a.(*pysrc.Call); !layer && v.Name == "torch.nn.Sequential" {
			w.to.open = true // layers that stand elsewhere
		}
	}
	for _, s := range v.Made.Func.Sites {
		if v.Made.Node.Contains(int(s.Node.Start)) {
			w.site(q, s, 1)
		}
	}
}

func (w *layerWalk) class(c *project.Class, times int) {
	init := c.Method("__init__")
	if init != nil && init.Def != nil {
		w.function(init, times)
	}
	for _, fn := range c.Methods {
		for _, s := range fn.Sites {
			if field, ok := s.Node.Func.(*pysrc.Attribute); ok && project.IsSelf(field.Value) && s.Calls.Func == nil {
				w.given(c, s, times)
			}
		}
	}
	w.to.open = w.to.open || init != nil && init.Def != nil && w.keepsGiven(c, init)
}

// keepsGiven reports a class that goes over a list which it is given: self.layers = layers, for layer in self.layers.
func (w *layerWalk) keepsGiven(c *project.Class, init *project.Function) bool {
	given, found := map[string]bool{}, false
	for _, s := range init.Def.Body {
		assign, ok := s.(*pysrc.Assign)
		if !ok || len(assign.Targets) != 1 {
			continue
		}
		field, isField := assign.Targets[0].(*pysrc.Attribute)
		if isField && project.IsSelf(field.Value) && isParameter(init, assign.Value) {
			given[field.Attr] = true
		}
	}
	if len(given) == 0 {
		return false
	}
	pysrc.Inspect(c.Def, func(n pysrc.Node) bool {
		if loop, ok := n.(*pysrc.For); ok {
			pysrc.Inspect(loop.Iter, func(n pysrc.Node) bool {
				field, ok := n.(*pysrc.Attribute)
				found = found || ok && project.IsSelf(field.Value) && given[field.Attr]
				return !found && !ok // of self.model.layers, self.model holds the list
			})
		}
		return !found
	})
	return found
}

// given follows a part of a model that its class is given, self.encoder = encoder, by a call of it.
func (w *layerWalk) given(c *project.Class, s *project.Site, times int) {
	made := s.Calls.Made
	switch part := s.Calls.Class; {
	case len(s.Calls.Either) > 0:
		w.to.open = w.to.open || slices.ContainsFunc(s.Calls.Either, func(v Value) bool { return v.Kind == project.Unknown || v.Class != nil })
	case s.Calls.Kind == project.Unknown:
		w.to.open = true
	case part == nil || !part.Derives("torch.nn.Module") || made != nil && made.Func.Class == c || w.seen[part]:
	default:
		w.seen[part] = true
		w.class(part, times)
	}
}

func (w *layerWalk) function(fn *project.Function, times int) {
	if w.open[fn] || w.to.open {
		return
	}
	if len(w.open) >= mostWalked || fn.Def == nil {
		w.to.open = true
		return
	}
	w.open[fn] = true
	q := w.pass.In(fn.Module)
	for _, s := range fn.Sites {
		w.site(q, s, times)
	}
	delete(w.open, fn)
}

func (w *layerWalk) site(q *SourcePass, s *project.Site, times int) {
	c := Call{s, q}
	sizes, isLayer := layerSizes[c.Name()]
	class := s.Calls.Class != nil && s.Calls.Kind == project.Type && s.Calls.Class.Derives("torch.nn.Module")
	helper := s.Calls.Func != nil && s.Calls.Class == nil
	unknown := q.holdsGiven(c) || s.Calls.Kind == project.Unknown && s.Method() == "" ||
		slices.ContainsFunc(s.Calls.Either, func(v Value) bool { return v.Class != nil })
	if s.Calls.Kind == project.Instance || !isLayer && !class && !helper && !unknown && !isNorm(c.Name()) && !takesModelCall(c) {
		return
	}
	if g := q.Rare(s); g != nil && g.Kind == project.Off {
		return
	}
	turns, told := q.turnsAround(s)
	if !told {
		w.to.sized, w.to.looped = false, true
	}
	switch {
	case takesModelCall(c) || unknown:
		w.to.open, w.to.library = true, w.to.library || takesModelCall(c)
	case class:
		w.class(s.Calls.Class, times*turns)
	case helper:
		w.function(s.Calls.Func, times*turns)
	default:
		w.to.made[c.Name()] += times * turns
		if isLayer {
			w.to.weigh(c, sizes, times*turns)
		}
	}
}

// holdsGiven reports a container of layers that its function is given: nn.ModuleList(layers).
func (p *SourcePass) holdsGiven(c Call) bool {
	switch c.Name() {
	case "torch.nn.ModuleList", "torch.nn.Sequential", "torch.nn.ModuleDict":
	default:
		return false
	}
	return slices.ContainsFunc(c.Node.Args, func(a pysrc.Expr) bool {
		if star, ok := a.(*pysrc.Starred); ok {
			a = star.Value
		}
		return isParameter(c.Func, a)
	})
}

func (l *modelLayers) weigh(c Call, sizes []string, times int) {
	product := float64(times)
	for _, name := range sizes {
		n, known := c.Arg(name).Float()
		if !known {
			l.sized = false
			return
		}
		product *= n
	}
	if sizes == nil {
		l.sized = false
	}
	l.weights += product
}

// turnsAround is how often a loop or a comprehension of its function runs a call, and whether that is known: 2 if not.
func (p *SourcePass) turnsAround(s *project.Site) (turns int, known bool) {
	if !p.InLoop(s) {
		return 1, true
	}
	var over pysrc.Expr
	if loop, ok := p.Module.LoopAround(s).(*pysrc.For); ok {
		over = loop.Iter
	}
	p.Module.Around(s.Node.Start, func(owner pysrc.Node) bool {
		if first := firstIterable(owner); first != nil {
			over = first
		}
		return over == nil
	})
	if n := p.lengthOfRange(over); n > 0 && n < 1000 {
		return int(n), true
	}
	return 2, false
}

// isNorm reports a layer that normalizes: it has few weights, and passes over memory.
func isNorm(name string) bool {
	layer, ok := strings.CutPrefix(name, "torch.nn.")
	return ok && strings.Contains(layer, "Norm")
}

// takesModelCall reports a call that gets a model from a library.
func takesModelCall(c Call) bool {
	library, rest, _ := strings.Cut(c.Name(), ".")
	switch library {
	case "torchvision":
		return strings.HasPrefix(rest, "models.")
	case "timm", "transformers", "diffusers", "segmentation_models_pytorch", "efficientnet_pytorch", "fairseq":
		return true
	}
	return c.Name() == "torch.hub.load"
}

// count adds up how often layers of these names are made.
func (l *modelLayers) count(names ...string) (n int) {
	for _, name := range names {
		n += l.made["torch.nn."+name]
	}
	return n
}

func (l *modelLayers) convolutions() int {
	return l.count("Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d", "LazyConv2d")
}

func (l *modelLayers) attentions() int {
	return l.count("MultiheadAttention", "TransformerEncoderLayer", "TransformerDecoderLayer", "Transformer")
}

func (l *modelLayers) recurrent() int {
	return l.count("LSTM", "GRU", "RNN", "LSTMCell", "GRUCell")
}

// fewLinear reports a model of at most two linear layers that are not known to be large: a classifier of vectors.
func (l *modelLayers) fewLinear() bool {
	return l.count("Linear") == l.layers() && l.layers() > 0 && l.layers() <= 2 && !l.looped && !(l.sized && l.weights >= smallAgent)
}

// layers counts all layers with weights, without norms.
func (l *modelLayers) layers() (n int) {
	for name, k := range l.made {
		if !isNorm(name) {
			n += k
		}
	}
	return n
}

// narrowLinear reports a model of linear layers alone that is known to have few weights.
func (l *modelLayers) narrowLinear() bool {
	return l.sized && l.count("Linear") == l.layers() && l.layers() > 0 && l.weights < smallAgent
}

// looksUp reports a model of embeddings and linear layers, without norms between them: one that recommends or ranks.
func (l *modelLayers) looksUp() bool {
	embeddings := l.count("Embedding", "EmbeddingBag")
	return embeddings > 0 && embeddings+l.count("Linear") == l.layers() && l.count("LayerNorm", "RMSNorm") == 0
}
