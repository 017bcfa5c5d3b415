package project

import (
	"strings"

	"saturate/internal/pysrc"
)

func (e *Eval) tensorCall(x *pysrc.Call, sc *Scope, depth int) float64 {
	a, isMethod := x.Func.(*pysrc.Attribute)
	if isMethod {
		if sure, known := e.tensorMethod(x, a, sc, depth); known {
			return sure
		}
	}
	if isMethod && a.Attr == "values" && len(x.Args) == 0 { // of a dict of tensors
		return e.tensor(a.Value, sc, depth+1)
	}
	v := e.expr(x.Func, sc)
	if isMethod && strings.HasPrefix(v.Name, "torch.nn.Parameter.") {
		return e.tensor(a.Value, sc, depth+1) // scale.exp()
	}
	if (handsOn[v.Name] || KeepsDevice(v.Name)) && len(x.Args) > 0 && v.Class == nil && v.Func == nil {
		return e.tensor(x.Args[0], sc, depth+1)
	}
	if v.Name == "map" && len(x.Args) > 1 {
		return e.tensorMapped(x, sc, depth+1)
	}
	if v.Kind == Callable && v.Func != nil {
		if sure, known := e.tensorHandedBack(v.Func, x, sc, depth); known {
			return sure
		}
	}
	for _, w := range append([]Value{v}, v.Either...) {
		switch {
		case strings.HasPrefix(w.Name, "torch.cuda.") && strings.HasSuffix(w.Name, "Tensor"): // torch.cuda.FloatTensor([0])
			return Certain
		case w.Kind == Instance && w.IsInstance("torch.nn.Module"):
			return Certain
		case w.Kind == Callable && w.Func != nil, w.Kind == Instance && w.Class != nil:
			for _, f := range w.functions() {
				if t := e.tensorFunction(f, depth); t > 0 {
					return t
				}
			}
		case strings.HasPrefix(w.Name, "torch.nn.functional._"): // _Reduction.get_enum gives a number
			return 0
		case strings.HasPrefix(w.Name, "torch.nn.functional."), w.Name == "torch.nn.utils.clip_grad_norm_":
			return NearlyCertain
		case isMethod && w.Name == "torch.nn.Module."+a.Attr && !weightsOf[a.Attr]:
			return 0
		case w.Kind == Callable && computesTensor(w.Name):
			sure := e.tensorOfParts(x, sc, depth)
			if isMethod && sure < Likely { // of a tensor whose class is known: target.view(-1) of target: torch.Tensor
				sure = max(sure, e.tensor(a.Value, sc, depth+1))
			}
			return sure
		}
	}
	if v.Unknown() && namesModel(strings.ToLower(lastName(x.Func))) {
		return Likely
	}
	if _, picked := x.Func.(*pysrc.Subscript); picked && v.Unknown() && len(x.Args) > 0 && e.tensor(x.Args[0], sc, depth+1) >= Likely {
		return Likely // model.heads[i](x), losses[name](x, y): one of several layers
	}
	if name, ok := x.Func.(*pysrc.Name); ok && v.Func == nil && v.Kind != Type && e.tensor(name, sc, depth+1) >= Likely {
		return Likely // what was moved to the device and is called is a model
	}
	if isMethod && (v.Kind == Unknown || strings.Contains(v.Name, ").") || strings.Contains(v.Name, "].") ||
		strings.HasPrefix(v.Name, "torch.Tensor")) {
		return e.tensor(a.Value, sc, depth+1) // loss.mean(), out.view(-1)
	}
	return 0
}

// weightsOf are methods of a model that give its weights.
var weightsOf = setOf("parameters", "named_parameters", "buffers", "named_buffers", "state_dict", "get_parameter", "get_buffer")

// tensorMapped is tensor for the elements of map(f, xs): what f gives.
func (e *Eval) tensorMapped(x *pysrc.Call, sc *Scope, depth int) float64 {
	if f, ok := x.Args[0].(*pysrc.Lambda); ok {
		return e.tensor(f.Body, sc.Module.blocks[sc.Module.BlockAt(f.Body.Bounds().Start)].Scope, depth)
	}
	best := 0.0
	v := e.expr(x.Args[0], sc)
	for _, f := range v.functions() {
		best = max(best, e.tensorFunction(f, depth))
	}
	return best
}

// handsOn are Python functions whose result is on the device of their arguments: sum adds tensors, tuple holds them.
var handsOn = setOf("sum", "tuple", "list", "reversed", "torch.autograd.Variable")

// KeepsDevice reports a function of a library beside torch that computes on the device of its first argument.
func KeepsDevice(name string) bool {
	for _, library := range [...]string{"einops.", "torchvision.ops.", "torch_scatter.", "kornia."} {
		if strings.HasPrefix(name, library) {
			return !strings.Contains(name, "(") && !strings.Contains(name, "layers")
		}
	}
	return false
}

// tensorMethod is tensorCall for methods whose name tells where the result is.
func (e *Eval) tensorMethod(x *pysrc.Call, a *pysrc.Attribute, sc *Scope, depth int) (sure float64, known bool) {
	switch a.Attr {
	case "cuda":
		return Certain, true
	case "to":
		return e.movedTo(x, sc, e.tensor(a.Value, sc, depth+1)), true
	case "gather", "gather_for_metrics", "pad_across_processes": // of an accelerator
		if len(x.Args) == 1 {
			return e.tensor(x.Args[0], sc, depth+1), true
		}
	case "parameters", "named_parameters": // the weights of a model that comes from somewhere
		if len(x.Args) == 0 && e.expr(x.Func, sc).Unknown() {
			return NearlyCertain, true
		}
	case "values", "type": // of a dict of tensors; x.type(torch.float16)
		return 0, false
	case "training_step", "compute_loss": // of the library's trainer, which a class of the project calls
		if v := e.expr(x.Func, sc); v.Func == nil && e.expr(a.Value, sc).IsInstance("transformers.Trainer") {
			return NearlyCertain, true
		}
	}
	return 0, hostMethods[a.Attr]
}

// computesTensor reports whether a torch function returns a tensor on the device of its arguments.
func computesTensor(name string) bool {
	return strings.HasPrefix(name, "torch.") && !strings.Contains(name, ").") && !strings.Contains(name, "].") &&
		!strings.HasPrefix(name, "torch.cuda.") && !strings.HasPrefix(name, "torch.distributed")
}

// tensorOfParts is tensor for what torch makes of its arguments: torch.stack([a, b]).
func (e *Eval) tensorOfParts(x *pysrc.Call, sc *Scope, depth int) float64 {
	best := 0.0
	fills := fillsTensor[lastName(x.Func)] // of sizes and numbers, wherever they come from
	for _, arg := range x.Args {
		if fills {
			break
		}
		best = max(best, e.tensor(arg, sc, depth+1))
		for _, part := range elements(arg) {
			best = max(best, e.tensor(part, sc, depth+1))
		}
	}
	for _, k := range x.Keywords { // torch.autograd.grad(outputs=y, inputs=x)
		if best == 0 && k.Name != "device" && k.Name != "dtype" && !fills {
			best = e.tensor(k.Value, sc, depth+1)
		}
	}
	if k := x.Keyword("device"); k != nil && best == 0 && !strings.Contains(pysrcText(sc.Module, k.Value), "cpu") {
		if strings.HasSuffix(pysrcText(sc.Module, k.Value), ".device") {
			return NearlyCertain // nobody asks a tensor of the host where it is
		}
		return Likely
	}
	return best
}

// fillsTensor are functions of torch that fill a new tensor, on the host unless told otherwise.
var fillsTensor = setOf("zeros", "ones", "full", "empty", "arange", "range", "eye", "linspace", "logspace", "rand", "randn", "randint",
	"randperm", "tril_indices", "triu_indices", "hann_window", "hamming_window")

// namesModel reports the name of a model, or of what computes a loss.
func namesModel(name string) bool {
	return HasWord(name, modelWords...) || strings.HasSuffix(name, "loss") || strings.HasPrefix(name, "loss")
}

// movedTo is the confidence that x.to(…) is on the device: not when it only
// changes the type, nor when it goes to the host.
func (e *Eval) movedTo(x *pysrc.Call, sc *Scope, before float64) float64 {
	if len(x.Args) == 0 {
		switch k := x.Keyword("device"); {
		case k == nil && len(x.Keywords) > 0 && x.Keyword("") == nil: // only the type
			return before
		case k != nil && strings.Contains(pysrcText(sc.Module, k.Value), "cpu"):
			return 0
		}
		return max(before, Likely)
	}
	text := pysrcText(sc.Module, x.Args[0])
	switch {
	case strings.Contains(text, "cpu"):
		return 0
	case strings.HasPrefix(text, "torch.") && !strings.HasPrefix(text, "torch.device") || strings.Contains(text, "dtype"):
		return before
	}
	return Certain
}

func pysrcText(m *Module, x pysrc.Expr) string {
	s := x.Bounds()
	return string(m.Text[s.Start:s.End])
}

type tensorKey struct{ f *Function }

// tensorFunction is the confidence that a project function returns such a tensor.
func (e *Eval) tensorFunction(f *Function, depth int) float64 {
	sure, _ := e.tensorWork(tensorKey{f}, depth, true, func() (float64, bool) { return e.findReturned(f, depth), true })
	return sure
}

func (e *Eval) findReturned(f *Function, depth int) float64 {
	best := 0.0
	if len(f.returns) == 0 && f.Class != nil && f.Def != nil { // left to the classes that derive from it
		for _, o := range f.Class.overrides(f.Def.Name) {
			best = max(best, e.tensorFunction(o, depth+1))
		}
	}
	for _, r := range f.returns {
		sc := f.Module.blocks[f.Module.BlockAt(r.Bounds().Start)].Scope
		for _, part := range append(elements(r), r) {
			best = max(best, e.tensor(part, sc, depth+2)*throughParts)
		}
	}
	return best
}

// tensorReturned is tensorFunction for one part of the tuple that a function returns, where each return writes one out.
func (e *Eval) tensorReturned(f *Function, part trail, depth int) (sure float64, known bool) {
	key, place := tensorKey{f}, part.first()
	if len(f.returns) == 0 {
		return 0, false
	}
	found := false
	for _, r := range f.returns {
		parts := elements(r)
		if len(parts) == 0 && !pysrc.IsConst(r, pysrc.None) {
			return 0, false
		}
		found = found || place < len(parts)
	}
	if !found || !e.begin(key) {
		return 0, false
	}
	defer e.end(key)
	for _, r := range f.returns {
		if parts := elements(r); place < len(parts) { // of tuples of several lengths, those that have it
			sc := f.Module.blocks[f.Module.BlockAt(r.Bounds().Start)].Scope
			sure = max(sure, e.tensorPart(parts[place], part.rest(), sc, depth+2)*throughParts)
		}
	}
	return sure, true
}
