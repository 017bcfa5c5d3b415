package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// TrainingLoaders returns the calls that make a DataLoader for training: in a
// project that trains, not for evaluation, and in a file that trains or where a
// name beside the loader says so.
func (p *SourcePass) TrainingLoaders() []Call {
	if !p.trains() {
		return nil
	}
	var list []Call
	for _, c := range p.Constructions("torch.utils.data.DataLoader") {
		if p.trainsWith(c) {
			list = append(list, c)
		}
	}
	return list
}

// trainsWith reports whether training iterates over a loader: by the loops over it or, if none is found, by the names
// around it.
func (p *SourcePass) trainsWith(c Call) bool {
	switch use := p.Project.LoaderUse(c.Site); {
	case use&project.Trains != 0:
		return !p.EvaluationOnly(c) || p.Module.Role == project.Training && !p.returned(c)
	case use&project.LooksAt != 0:
		return false
	}
	return !p.EvaluationOnly(c) && !p.onlyLooksAt(c) && p.forTraining(c) && !p.onlyGlancedAt(c)
}

// hides reports whether a loader is of a project class whose constructor does not take the argument; it may set its
// own.
func hides(c Call, name string) bool {
	class := c.Calls.Class
	if class == nil {
		return false
	}
	init := class.Method("__init__")
	if init == nil || init.Def == nil || init.Def.Args.Kwarg != nil {
		return false
	}
	return !init.HasParameter(name)
}

// trains reports whether the project trains: with a loop or hooks of its own, or by
// starting a framework's trainer.
func (p *SourcePass) trains() bool {
	if p.Project.Trains() {
		return true
	}
	for _, m := range p.Project.Modules {
		if m.Role == project.Training {
			return true
		}
	}
	return false
}

// forTraining reports whether the file trains, or the loader's variable, its data
// set, or the function or class around it is named after training or loaders.
func (p *SourcePass) forTraining(c Call) bool {
	if p.Module.Role == project.Training {
		return true
	}
	names := []string{p.variableOf(c)}
	if data := c.ArgumentNode("dataset", 0); data != nil {
		names = append(names, lastName(data))
	}
	for fn := p.Function(c); fn != nil; fn = fn.Outer {
		names = append(names, fn.BaseName())
		if fn.Class != nil {
			names = append(names, fn.Class.Name)
		}
	}
	for _, name := range names {
		if project.HasWord(name, trainingWords...) {
			return true
		}
	}
	fn := p.Function(c)
	return project.HasWord(fn.BaseName(), "loader", "dataloader", "dl", "iter", "iterator") ||
		fn.Class != nil && fn.Class.Derives("lightning.pytorch.LightningDataModule")
}

// byAPI reports a value that is only the default of a parameter, in a file that
// does not train itself: its callers decide.
func (p *SourcePass) byAPI(v Value) bool {
	return v.Origin.How == project.ByDefault && p.Module.Role != project.Training
}

// onlyLooksAt reports a loader in code that prepares, measures or shows data:
// by the names around it.
func (p *SourcePass) onlyLooksAt(c Call) bool {
	if project.HasWord(p.variableOf(c), "cv", "cache", "caching", "sample") {
		return true // cross-validation; latents that are computed before; prompts to generate from
	}
	if p.Function(c).Outer == nil && p.Module.Role != project.Training && !startsTraining(p.Module) && slices.Contains(p.Module.Sites, c.Site) {
		return true // a library's module that tries itself out when it is run
	}
	for fn := p.Function(c); fn != nil; fn = fn.Outer {
		if project.HasWord(fn.BaseName(), "extract", "embed", "embedding", "embeddings", "encode", "stats", "statistics",
			"mean", "std", "preprocess", "visualize", "plot",
			"calibrate", "calibration", "estimate", "score", "generate", "collect", "benchmark", "profile", "dump", "compute",
			"precompute", "sample") {
			return true
		}
	}
	return false
}

// startsTraining reports a script that nobody imports and that calls into a module which trains.
func startsTraining(m *project.Module) bool {
	if len(m.ImportedBy) > 0 {
		return false
	}
	for _, used := range m.Uses {
		if used.Role == project.Training {
			return true
		}
	}
	return false
}

// inMemory reports whether the dataset of a loader holds tensors or a list that
// need no loading.
func (p *SourcePass) inMemory(loader Call) bool {
	v := loader.Arg("dataset")
	if v.Kind == project.Display || v.IsInstance("torch.utils.data.TensorDataset") {
		return true
	}
	for _, w := range v.Either {
		if w.IsInstance("torch.utils.data.TensorDataset") {
			return true
		}
	}
	if v.Class == nil {
		return false
	}
	return v.Class.Derives("torch.utils.data.TensorDataset") || p.indexesMemory(v.Class.Method("__getitem__"), 0) && !p.collatesByLoop(loader)
}

// indexesMemory reports a method that gives samples as they lie in memory: return self.data[i].
func (p *SourcePass) indexesMemory(get *project.Function, depth int) bool {
	return get != nil && !slices.ContainsFunc(get.Sites, func(s *project.Site) bool { return !isCheap(s) }) &&
		!slices.ContainsFunc(p.gettersBelow(get), func(of *project.Function) bool { return depth > mostWrapped || !p.indexesMemory(of, depth+1) })
}

// mostWrapped is through how many datasets a sample is followed that each change those of another one.
const mostWrapped = 3

// gettersBelow are the methods that give the samples which a method of a dataset takes from others: self.data[i], of which the class is
// known.
func (p *SourcePass) gettersBelow(get *project.Function) (list []*project.Function) {
	in := p.In(get.Module)
	for _, x := range get.Module.Subscripts {
		if project.FieldOfSelf(x.Value) == "" || get.Module.FunctionAt(x.Start) != get {
			continue
		}
		v := in.Eval(x.Value)
		for _, of := range append([]Value{v}, v.Either...) {
			if of.Kind == project.Instance && of.Class != nil && of.Class.Method("__getitem__") != nil {
				list = append(list, of.Class.Method("__getitem__"))
			}
		}
	}
	return list
}

// isCheap reports a call that a sample in memory takes no time for: a random place of it, its length, another type.
func isCheap(s *project.Site) bool {
	if c := s.Calls.Class; c != nil && s.Calls.Kind == project.Type && c.Method("__init__") == nil && c.Method("__post_init__") == nil {
		return true // a dataclass or a tuple with names
	}
	switch s.Calls.Name {
	case "torch.randint", "random.randint", "random.randrange", "numpy.random.randint":
		return true
	}
	switch lastName(s.Node.Func) {
	case "len", "int", "long", "size", "item":
		return true
	}
	return false
}

// collatesByLoop reports a loader whose collate function computes with one sample after the other: crops and pads
// it. Making a tensor of each list of tokens costs next to nothing.
func (p *SourcePass) collatesByLoop(loader Call) bool {
	fn := collateOf(loader)
	if fn == nil {
		return false
	}
	_, slow := p.Reaches(fn, func(s *project.Site) bool {
		q := p.In(s.Module())
		if !q.InLoop(s) {
			return false
		}
		if loop, ok := q.LoopAround(s).(*pysrc.While); ok && s.Func == fn && q.drawsOne(s) && rejects(loop) {
			return true
		}
		if outer := q.LoopAround(s); s.Func == fn && tensorMakers[s.Calls.Name] && outer != nil && q.LoopAround(outer) != nil {
			return true // thousands of small tensors for a batch
		}
		return s.Func == fn && strings.HasPrefix(s.Calls.Name, "numpy.") || s.Calls.Func != nil && loopsInPython(s.Calls.Func)
	}, 2)
	return slow
}

// tensorMakers make a tensor of a list.
var tensorMakers = setOfNames("torch.tensor", "torch.as_tensor", "torch.from_numpy", "torch.LongTensor", "torch.FloatTensor", "torch.IntTensor", "torch.Tensor")

// collateOf is the function that makes batches for a loader: a function, or the __call__ of an object; nil for the usual one.
func collateOf(loader Call) *project.Function {
	collate := loader.Arg("collate_fn")
	if collate.Class != nil && collate.Kind == project.Instance {
		return collate.Class.Method("__call__")
	}
	return collate.Func
}

// loopsInPython reports a function with a loop that calls something in each iteration: one that tokenizes, perhaps.
func loopsInPython(fn *project.Function) bool {
	return fn.Def != nil && slices.ContainsFunc(fn.Sites, func(s *project.Site) bool {
		loop := fn.Module.LoopAround(s)
		return loop != nil && fn.Def.Span.Contains(int(loop.Bounds().Start))
	})
}

// isStream reports whether the dataset of a loader is an IterableDataset.
func (p *SourcePass) isStream(loader Call) bool {
	v := loader.Arg("dataset")
	for _, w := range append([]Value{v}, v.Either...) {
		if w.IsInstance("torch.utils.data.IterableDataset") {
			return true
		}
	}
	return false
}

// usesGPUWhileLoading reports whether the dataset of a loader, its collate function, or what this module does to its
// samples, uses a GPU itself, which worker processes cannot do; its batches then need no pinned memory.
func (p *SourcePass) usesGPUWhileLoading(loader Call) bool {
	for _, s := range p.Module.Sites {
		if path, sample := p.PerSample(s); sample && path.EveryEpoch() && p.makesOnGPU(s) {
			return true
		}
	}
	if fn := collateOf(loader); fn != nil && slices.ContainsFunc(fn.Sites, p.In(fn.Module).makesOnGPU) {
		return true
	}
	dataset := loader.Arg("dataset")
	for _, v := range append([]Value{dataset}, dataset.Either...) {
		if v.Made != nil && slices.ContainsFunc(v.Made.Node.Args, p.In(v.Made.Module()).movedToGPU) {
			return true
		}
	}
	class := dataset.Class
	if class == nil {
		return false
	}
	for _, name := range [...]string{"__getitem__", "__iter__"} {
		if f := class.Method(name); f != nil && slices.ContainsFunc(f.Sites, p.In(f.Module).makesOnGPU) {
			return true
		}
	}
	return false
}

// movedToGPU reports a tensor that was moved to the GPU where it was last set: x = x.to(device).
func (p *SourcePass) movedToGPU(e pysrc.Expr) bool {
	if name, ok := e.(*pysrc.Name); ok {
		e = p.Module.SaidLast(name)
	}
	call, ok := e.(*pysrc.Call)
	return ok && movesToGPU(call)
}

// makesOnGPU reports x.cuda(), x.to(device) and torch.zeros(3, device=device).
func (p *SourcePass) makesOnGPU(s *project.Site) bool {
	if movesToGPU(s.Node) {
		return true
	}
	given := s.Node.Keyword("device")
	if given == nil || !strings.HasPrefix(s.Calls.Name, "torch.") {
		return false
	}
	switch device := given.Value.(type) {
	case *pysrc.Name: // not x.device, which is where the samples are
		value := p.Eval(device)
		text, known := value.Str()
		return known && strings.HasPrefix(text, "cuda") || !known && p.deviceArgument(device)
	case *pysrc.Constant:
		return p.deviceArgument(device)
	}
	return false
}

// movesToGPU reports x.cuda() and x.to(device).
func movesToGPU(call *pysrc.Call) bool {
	method, ok := call.Func.(*pysrc.Attribute)
	return ok && (method.Attr == "cuda" || method.Attr == "to" && len(call.Args) > 0 &&
		project.HasWord(lastName(call.Args[0]), "device", "cuda", "gpu"))
}

// variableOf is the dotted name that a call's result is assigned to, or nothing.
func (p *SourcePass) variableOf(c Call) string {
	switch s := p.Module.StatementAt(c.Node.Start).(type) {
	case *pysrc.Assign:
		if len(s.Targets) == 1 && (withoutMoves(s.Value) == pysrc.Expr(c.Node) || handsClassOn(s.Value, c)) {
			return pysrc.DottedName(s.Targets[0])
		}
	case *pysrc.AnnAssign:
		if withoutMoves(s.Value) == pysrc.Expr(c.Node) {
			return pysrc.DottedName(s.Target)
		}
	}
	return ""
}

// withoutMoves is the object of methods of torch's modules that return the module itself: Model().to(device).train() is
// Model().
func withoutMoves(e pysrc.Expr) pysrc.Expr {
	for {
		call, ok := e.(*pysrc.Call)
		if !ok {
			return e
		}
		method, ok := call.Func.(*pysrc.Attribute)
		if !ok {
			return e
		}
		switch method.Attr {
		case "to", "cuda", "half", "float", "bfloat16", "train", "eval", "requires_grad_":
			if _, made := method.Value.(*pysrc.Call); !made {
				return e
			}
			e = method.Value
		default:
			return e
		}
	}
}

// everyEpochUses reports whether the result of a call is used again in every epoch: its variable is read in a loop over
// epochs, or a framework's trainer has it.
func (p *SourcePass) everyEpochUses(c Call) bool {
	if p.givenToLightning(c) {
		return true
	}
	if p.returned(c) {
		return p.someCaller(c, func(q *SourcePass, made Call) bool { return q.variableOf(made) != "" && q.goneThroughAgain(made) })
	}
	name := p.variableOf(c)
	if name == "" || p.EpochLoop(c) != nil {
		return false
	}
	found := false
	p.Inspect(p.Module.File.Module, func(n pysrc.Node) bool {
		if e, ok := n.(pysrc.Expr); ok && !found && pysrc.DottedName(e) == name && e.Bounds().Start > c.Node.End &&
			p.sameVariable(e, c, name) {
			found = p.countsEpochs(p.EpochLoop(e))
		}
		return !found
	})
	return found || p.handedOn(c, name)
}

// givenToLightning reports a loader that Lightning asks for, to train with it.
func (p *SourcePass) givenToLightning(c Call) bool {
	fn := p.Function(c)
	return fn.BaseName() == "train_dataloader" && fn.Class != nil &&
		fn.Class.Derives("lightning.pytorch.LightningModule", "lightning.pytorch.LightningDataModule")
}

// handedOn reports whether a loader is passed to a project function, or a framework, that iterates it in every epoch or
// forever.
func (p *SourcePass) handedOn(c Call, name string) bool {
	for _, s := range p.Module.Sites {
		position, keyword := givenAs(s, name)
		if s.Node.Start < c.Node.End || s.Func != c.Func || position < 0 && keyword == "" {
			continue
		}
		if s.Calls.IsClass("lightning.pytorch.LightningModule") ||
			s.Method() == "fit" && strings.HasPrefix(s.Calls.Name, "lightning.") {
			return true
		}
		if fn := s.Calls.Func; fn != nil && fn.Def != nil {
			if position >= 0 && position < len(fn.Def.Args.Args) && !fn.Method() {
				keyword = fn.Def.Args.Args[position].Name
			}
			if keyword != "" && p.In(fn.Module).goesThroughAgain(fn, keyword) {
				return true
			}
		}
	}
	return false
}

// givenAs returns where a call takes a variable: its position, or its keyword.
func givenAs(s *project.Site, name string) (position int, keyword string) {
	for i, a := range s.Node.Args {
		if pysrc.DottedName(a) == name {
			return i, ""
		}
	}
	for _, k := range s.Node.Keywords {
		if pysrc.DottedName(k.Value) == name {
			return -1, k.Name
		}
	}
	return -1, ""
}

// goesThroughAgain reports whether a function goes through its parameter in a loop
// that counts epochs, or hands it to one that never ends.
func (p *SourcePass) goesThroughAgain(fn *project.Function, parameter string) bool {
	found := false
	pysrc.Inspect(fn.Def, func(n pysrc.Node) bool {
		if name, ok := n.(*pysrc.Name); ok && name.ID == parameter && name.Ctx == pysrc.Load {
			found = found || p.countsEpochs(p.EpochLoop(name))
		}
		return !found
	})
	for _, s := range fn.Sites {
		if to := s.Calls.Func; to != nil && len(s.Node.Args) == 1 && pysrc.DottedName(s.Node.Args[0]) == parameter &&
			neverEnds(to) {
			return true
		}
	}
	return found
}

// goneThroughAgain reports whether a loader is iterated more than once: in every epoch, or again whenever it is
// exhausted.
func (p *SourcePass) goneThroughAgain(c Call) bool {
	if p.Project.LoaderUse(c.Site)&project.Repeats != 0 && p.EpochLoop(c) == nil {
		return true
	}
	return p.everyEpochUses(c) || p.goneThroughForever(c)
}

// returned reports a call whose value a function gives back: return DataLoader(…), or return
// loader after loader = DataLoader(…).
func (p *SourcePass) returned(c Call) bool {
	if s, ok := p.Module.StatementAt(c.Node.Start).(*pysrc.Return); ok {
		return s.Value == pysrc.Expr(c.Node)
	}
	fn, name := p.Function(c), p.variableOf(c)
	if fn.Def == nil || name == "" {
		return false
	}
	last, ok := fn.Def.Body[len(fn.Def.Body)-1].(*pysrc.Return)
	return ok && last.Value != nil && pysrc.DottedName(last.Value) == name
}

// someCaller reports whether a predicate holds for one of the calls of the function around a node.
func (p *SourcePass) someCaller(n Node, is func(*SourcePass, Call) bool) bool {
	fn := p.Function(n)
	for _, m := range p.Project.Modules {
		for _, s := range m.Sites {
			if fn.Def == nil || s.Calls.Func != fn || p.Project.EvaluationOnly(m, s) {
				continue
			}
			if q := p.In(m); is(q, Call{s, q}) {
				return true
			}
		}
	}
	return false
}

// goneThroughForever reports whether a loader is passed to a project function that restarts it whenever it is
// exhausted: while True: yield from loader.
func (p *SourcePass) goneThroughForever(c Call) bool {
	name := p.variableOf(c)
	if name == "" {
		return false
	}
	for _, s := range p.Module.Sites {
		if fn := s.Calls.Func; fn != nil && s.Node.Start > c.Node.End && len(s.Node.Args) == 1 &&
			pysrc.DottedName(s.Node.Args[0]) == name && neverEnds(fn) {
			return true
		}
	}
	return false
}

// neverEnds reports a function that goes through its only parameter again and again.
func neverEnds(fn *project.Function) bool {
	if fn.Def == nil || len(fn.Def.Args.All()) != 1 {
		return false
	}
	found := false
	pysrc.Inspect(fn.Def, func(n pysrc.Node) bool {
		if w, ok := n.(*pysrc.While); ok && pysrc.IsConst(w.Test, pysrc.True) && mentions(w, fn.Def.Args.All()[0].Name) {
			found = true
		}
		return !found
	})
	return found
}

// sameVariable reports a name that means the same as where a call assigned it:
// in the same function, or an attribute of the same class's instances.
func (p *SourcePass) sameVariable(e pysrc.Expr, c Call, name string) bool {
	if _, local := e.(*pysrc.Name); local {
		return p.Function(e) == p.Function(c)
	}
	return p.Class(e) == p.Class(c)
}

// countsEpochs reports a loop whose variable or bound is named after epochs, or that ends by itself never: it
// goes through its loader again and again.
func (p *SourcePass) countsEpochs(loop pysrc.Stmt) bool {
	if p.aroundTraining(loop) {
		return true
	}
	found := false
	look := func(n pysrc.Node) bool {
		if e, ok := n.(pysrc.Expr); ok && (strings.Contains(strings.ToLower(lastName(e)), "epoch") ||
			project.HasWord(lastName(e), "ep", "epc")) {
			found = true
		}
		return !found
	}
	switch l := loop.(type) {
	case *pysrc.For:
		pysrc.Inspect(l.Target, look)
		pysrc.Inspect(l.Iter, look)
	case *pysrc.While:
		pysrc.Inspect(l.Test, look)
		found = found || pysrc.IsConst(l.Test, pysrc.True)
	}
	return found
}

// aroundTraining reports a loop that repeats a training loop a number of times: for _ in range(epochs).
func (p *SourcePass) aroundTraining(loop pysrc.Stmt) bool {
	switch l := loop.(type) {
	case *pysrc.While: // while step < steps
	case *pysrc.For:
		if c, ok := l.Iter.(*pysrc.Call); !ok || lastName(c.Func) != "range" && lastName(c.Func) != "trange" {
			return false
		}
	default:
		return false
	}
	return slices.ContainsFunc(p.TrainingLoops(), func(t *project.Loop) bool {
		return t.Stmt != loop && p.LoopAround(t.Stmt) == loop
	})
}
