package project

import (
	"slices"
	"sort"

	"saturate/internal/pysrc"
)

// visit is one way in which a function is reached from a root.
type visit struct {
	root  *Function
	kind  RootKind
	fn    *Function
	from  *visit // nil for the root itself
	via   *Site  // the call in from.fn
	by    *Site  // the call that hands a root to a dataset: set_transform(fn)
	sure  float64
	depth int
	cache *Guard
	loop  *Loop
	// within is the block of a generator that runs for each element, 0 for all of the function.
	within BlockID
}

// mostCalls is how many calls deep a region goes.
const mostCalls = 12

// spread follows calls from the roots, breadth first, so that each function is
// reached by a shortest path, and adds what it finds to reached.
func (p *Project) spread(reached map[*Function]*visit, roots []*visit, hot bool) {
	e := p.NewEval()
	defer e.Release()
	var queue []*visit
	for _, v := range roots {
		if v.loop == nil {
			if reached[v.fn] != nil {
				continue
			}
			reached[v.fn] = v
		}
		queue = append(queue, v)
	}
	for len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		if v.depth >= mostCalls {
			continue
		}
		p.follow(e, v, hot, func(next *visit) {
			if old := reached[next.fn]; old == nil {
				reached[next.fn] = next
				queue = append(queue, next)
			} else if old.cache != nil && next.cache == nil {
				// A way that is not cached counts more than one that is.
				*old = *next
				queue = append(queue, old)
			} else if !hot && p.addWay(old, next) {
				queue = append(queue, next)
			}
		})
	}
}

// follow tells of each function that a visited function calls.
func (p *Project) follow(e *Eval, v *visit, hot bool, reach func(*visit)) {
	m := v.fn.Module
	limit := &Block{}
	if v.loop != nil {
		limit = m.Block(v.loop.block)
	}
	thorough := v.kind != Forward
	for _, s := range v.fn.Sites {
		if v.loop != nil && !m.holds(v.loop.block, s.Block) || v.within > 0 && !m.holds(v.within, s.Block) || m.isUnreached(s.Node.Start) {
			continue
		}
		if s.Calls == nothing && thorough {
			e.steps = mostSteps
			s.Calls = e.callee(s) // known now, for rules too
		}
		if v.fn.getsMethods {
			if get, _ := s.methodGetter(); get != nil {
				continue // the call of this function says which
			}
		}
		targets := p.targets(e, s, thorough)
		if len(targets) == 0 {
			continue
		}
		guard := m.guardWithin(s.Node.Start, limit)
		if guard.Cold() || s.keeps() {
			continue
		}
		cache := v.cache
		if cache == nil && guard != nil {
			cache = guard
		}
		if hot {
			cache = nil
		}
		if hot {
			for _, t := range targets {
				for _, w := range p.wrappers(e, t.fn) {
					targets = append(targets, target{fn: w, sure: t.sure, handed: t.handed})
				}
			}
		}
		for _, t := range targets {
			if !hot && t.fn.BaseName() == "__init__" && t.fn.Class != nil && t.fn.Class == v.root.Class {
				continue // a data set that makes another of its kind, for a slice of itself
			}
			next := &visit{
				root: v.root, kind: v.kind, fn: t.fn, from: v, via: s, loop: v.loop,
				sure: v.sure * t.sure, depth: v.depth + 1, cache: cache, within: t.within,
			}
			if v.loop != nil {
				next.loop, next.from = nil, &visit{root: v.root, kind: v.kind, fn: v.fn, loop: v.loop, sure: v.sure}
			}
			if !hot && next.cache == nil && t.fn.decorated("lru_cache", "cache", "memoize", "cached") {
				next.cache = &Guard{Kind: Memo, Source: t.fn.Module.Source, Span: t.fn.Bounds()}
			}
			if next.sure > 0.2 && !(hot && (p.evaluates(t.fn) && (t.handed || !v.alwaysCalls(e, s, limit)) || p.starts(t.fn, v.root, v.kind))) {
				if hot {
					p.addGiver(t.fn, s)
				}
				reach(next)
			}
		}
		for _, d := range p.dispatched(e, s) {
			through := &visit{root: v.root, kind: v.kind, fn: d.by.Func, from: v, via: s, sure: v.sure, depth: v.depth + 1, cache: cache}
			if v.loop != nil {
				through.from = &visit{root: v.root, kind: v.kind, fn: v.fn, loop: v.loop, sure: v.sure}
			}
			for _, fn := range d.fns {
				if hot {
					p.addGiver(fn, d.by)
				}
				reach(&visit{root: v.root, kind: v.kind, fn: fn, from: through, via: d.by, sure: v.sure, depth: v.depth + 2, cache: cache})
			}
		}
	}
	if thorough {
		p.followIterated(e, v, limit, hot, reach)
		p.followPropertiesOfOthers(e, v, limit, reach)
	}
	p.followProperties(v, reach)
}

// mostGivers is how many calls of a function are remembered that training steps make.
const mostGivers = 32

func (p *Project) addGiver(fn *Function, s *Site) {
	if list := p.givers[fn]; len(list) < mostGivers && !slices.Contains(list, s) {
		p.givers[fn] = append(list, s)
	}
}

// Givers returns calls of a function that training steps make.
func (p *Project) Givers(fn *Function) []*Site { return p.givers[fn] }

// Given returns what a call passes for a parameter of the function that it calls, or nil.
func (s *Site) Given(fn *Function, name string) pysrc.Expr {
	at := fn.position(name)
	if at < 0 && !fn.HasParameter(name) {
		return nil
	}
	return s.ArgumentNode(name, at) // after *, by its name only
}

// starts reports whether a function runs the training loop. A step of that loop does not call it again, even if it is
// named there, as in save_arguments(main).
func (p *Project) starts(fn, root *Function, kind RootKind) bool {
	if kind != TrainingLoop {
		return false
	}
	known, ok := p.starters[root]
	if !ok {
		known = map[*Function]bool{root: true}
		for queue := []*Function{root}; len(queue) > 0; queue = queue[1:] {
			for _, s := range queue[0].callers() {
				if !known[s.Func] {
					known[s.Func] = true
					queue = append(queue, s.Func)
				}
			}
		}
		p.starters[root] = known
	}
	return known[fn]
}

// alwaysCalls reports a call that every step makes, because no condition around it can change between steps. What it calls
// is part of the step: metrics of each batch, a search that makes a sample to learn from.
func (v *visit) alwaysCalls(e *Eval, s *Site, limit *Block) bool {
	if v.loop != nil && isEpochLoop(v.loop.Stmt) {
		return false
	}
	m, always := s.Module(), true
	m.around(s.Node.Start, func(b *Block) bool {
		switch o := b.Owner.(type) {
		case *pysrc.If:
			kind, negated, known := m.classify(o.Test)
			always = known && kind == InEval && (b.Arm == Body) == negated || // if self.training
				!known && (e.Steady(m, o.Test) == Always || e.p.isSetOnce(o.Test)) // the same in every step
		case *pysrc.Try, *pysrc.For, *pysrc.While:
			always = b.Arm == Body
		case *pysrc.MatchCase:
			always = false
		}
		return always && b != limit
	})
	return always
}

// followProperties tells of the properties that a method reads: self.audio may be a call.
func (p *Project) followProperties(v *visit, reach func(*visit)) {
	c := v.fn.Class
	if c == nil || v.fn.Def == nil || v.loop != nil || !c.hasProperty() {
		return
	}
	self := v.fn.Self()
	for _, s := range v.fn.Def.Body {
		pysrc.Inspect(s, func(n pysrc.Node) bool {
			a, ok := n.(*pysrc.Attribute)
			if !ok {
				return true
			}
			if name, ok := a.Value.(*pysrc.Name); !ok || name.ID != self || a.Ctx != pysrc.Load {
				return true
			}
			if f := c.Method(a.Attr); f != nil && f.decorated("property") && f != v.fn {
				via := &Site{Node: &pysrc.Call{Span: a.Span, Func: a}, Func: v.fn, Block: v.fn.Module.BlockAt(a.Start), Calls: nothing}
				reach(&visit{root: v.root, kind: v.kind, fn: f, from: v, via: via, sure: v.sure, depth: v.depth + 1, cache: v.cache})
			}
			return true
		})
	}
}

// Runs are the functions of the project that a call may run: what it calls, and what overrides that in derived classes.
func (p *Project) Runs(s *Site) (list []*Function) {
	var room fewFunctions
	for _, f := range s.Calls.appendFunctions(room[:0]) {
		list = append(list, f)
		if f.Class != nil && f.Def != nil && !s.isSuper() {
			list = append(list, f.Class.overrides(f.Def.Name)...)
		}
	}
	return list
}

// target is a function that a call may run.
type target struct {
	fn     *Function
	sure   float64
	handed bool // it is an argument, which the call may run
	within BlockID
}

// targets are the project's functions that a call runs: what it calls, what
// overrides that in derived classes, and the functions that it passes on. Thorough looks at the callers for types that
// are not yet known, which is slow.
func (p *Project) targets(e *Eval, s *Site, thorough bool) []target {
	callee := s.Calls
	e.steps = mostSteps
	if callee == nothing && thorough {
		callee = e.callee(s)
	}
	var list []target
	if thorough {
		list = p.composed(e, callee, list)
	}
	var room fewFunctions
	for _, f := range callee.appendFunctions(room[:0]) {
		list = append(list, target{fn: f, sure: Certain})
		if f.Class != nil && f.Def != nil && !s.isSuper() { // super() is the base, whoever else derives from it
			for _, o := range f.Class.overrides(f.Def.Name) {
				list = append(list, target{fn: o, sure: Likely})
			}
		}
	}
	if len(list) == 0 && thorough {
		for _, f := range e.calledOfHeirs(s) {
			list = append(list, target{fn: f, sure: Certain})
		}
	}
	if len(list) == 0 && callee == nothing && thorough {
		if f := p.OnlyMethod(s.Method()); f != nil {
			list = append(list, target{fn: f, sure: Plausible})
		}
	}
	if thorough && callee.Name == "torch.utils.checkpoint.checkpoint" && len(s.Node.Args) > 0 {
		block := e.expr(s.Node.Args[0], s.scope())
		for _, v := range append([]Value{block}, block.Either...) {
			if v.Kind == Instance { // a layer; a function is passed on below
				for _, f := range v.functions() {
					list = append(list, target{fn: f, sure: Certain})
				}
			}
		}
	}
	if name, ok := s.Node.Func.(*pysrc.Name); ok && name.ID == "next" && len(s.Node.Args) > 0 && thorough {
		v := e.expr(s.Node.Args[0], s.scope())
		if f := v.TakenBy(); f != nil {
			list = append(list, target{fn: f, sure: Likely, within: f.yieldLoop()})
		}
	}
	for _, a := range s.Node.Args {
		list = p.passedOn(e, a, s, thorough, list)
	}
	for _, k := range s.Node.Keywords {
		list = p.passedOn(e, k.Value, s, thorough, list)
	}
	return list
}

// composed adds what calling a composition runs: the parts of Compose([load, crop]) and Sequential(a, b).
func (p *Project) composed(e *Eval, callee *Value, list []target) []target {
	add := func(v *Value) {
		if v.Kind != Instance || !compositions[v.Name] {
			return
		}
		for _, part := range e.partsOf(*v) {
			for _, f := range part.functions() {
				list = append(list, target{fn: f, sure: Likely})
			}
		}
	}
	add(callee)
	for i := range callee.Either {
		add(&callee.Either[i])
	}
	return list
}

// Parts are the values that a composition holds, nothing for anything else: of Compose([load, crop]) load and crop.
func (e *Eval) Parts(v Value) []Value {
	e.steps = mostSteps
	return e.partsOf(v)
}

// partsOf are the values that a composition holds, nothing for anything else.
func (e *Eval) partsOf(v Value) []Value {
	if v.Kind != Instance || v.Class != nil || v.Made == nil || !compositions[v.Name] {
		return nil
	}
	var parts []Value
	take := func(part Value, depth int) {
		parts = append(parts, part)
		parts = append(parts, part.Either...)
		if depth < 2 {
			parts = append(parts, e.partsOf(part)...)
		}
	}
	var add func(x pysrc.Expr, sc *Scope, depth int)
	add = func(x pysrc.Expr, sc *Scope, depth int) {
		if star, ok := x.(*pysrc.Starred); ok {
			x = star.Value
		}
		part := e.expr(x, sc)
		if part.Kind == Display {
			for _, elt := range elements(part.Expr) {
				if depth < 2 {
					add(elt, part.scope, depth+1)
				}
			}
			for _, later := range e.appendedTo(part.scope.Module, part.Expr.Bounds().Start) {
				take(later, depth+1)
			}
			return
		}
		take(part, depth)
	}
	for _, a := range v.Made.Node.Args {
		add(a, v.Made.scope(), 0)
	}
	for _, k := range v.Made.Node.Keywords {
		if k.Name == "transforms" {
			add(k.Value, v.Made.scope(), 0)
		}
	}
	return append(parts, e.addedTo(v.Made.Module(), v.Made.Node.Start, ".transforms")...)
}

// compositions are classes of libraries that call what they were made of, one after the other.
var compositions = setOf("torchvision.transforms.Compose", "torchvision.transforms.v2.Compose", "torch.nn.Sequential",
	"torchvision.transforms.RandomApply", "torchvision.transforms.v2.RandomApply", "torchvision.transforms.RandomChoice", "torchvision.transforms.RandomOrder",
	"albumentations.Compose", "albumentations.OneOf", "albumentations.SomeOf", "albumentations.Sequential", "audiomentations.Compose",
	"audiomentations.OneOf", "monai.transforms.Compose", "torchaudio.transforms.Compose")

// passedOn adds an argument that is a function: its receiver will call it.
func (p *Project) passedOn(e *Eval, x pysrc.Expr, s *Site, thorough bool, list []target) []target {
	switch x := x.(type) {
	case *pysrc.Lambda:
	case *pysrc.Attribute, *pysrc.Call:
		if !thorough {
			return list
		}
	case *pysrc.Name:
		if _, b := s.scope().find(x.ID); b == nil || !thorough && b.Kind != Defined {
			return list
		}
	default:
		return list
	}
	v := e.expr(x, s.scope())
	if _, called := x.(*pysrc.Call); v.Kind != Callable || v.Func == nil || called && !v.partial {
		return list
	}
	return append(list, target{fn: v.Func, sure: Likely, handed: true})
}

// gatherMethods finds the methods that just one class of the project has.
func (p *Project) gatherMethods() {
	p.methods = map[string]*Function{}
	p.properties = map[string]bool{}
	for _, m := range p.Modules {
		for _, c := range m.Classes {
			for name, f := range c.Methods {
				if f.decorated("property") {
					p.properties[name] = true
				}
				if _, taken := p.methods[name]; taken {
					f = nil
				}
				p.methods[name] = f
			}
		}
	}
}

// OnlyMethod is the method of that name when just one class of the project has
// it and the name is not one that libraries use.
func (p *Project) OnlyMethod(name string) *Function {
	if name == "" || name[0] == '_' || commonMethods[name] || tensorMethods[name] || p.outlined { // others may have it that were not read
		return nil
	}
	return p.methods[name]
}

// commonMethods are method names that are too common to identify a class.
var commonMethods = setOf("forward", "get", "set", "run", "update", "step", "load", "save", "train", "eval", "fit",
	"call", "init",
	"start", "stop", "close", "open", "read", "write", "append", "extend", "items", "keys", "values", "pop", "copy",
	"to", "cpu", "cuda",
	"log", "info", "debug", "warning", "error", "reset", "size", "shape", "sum", "mean", "max", "min", "backward",
	"parameters",
	"state_dict", "load_state_dict", "zero_grad", "encode", "decode", "tokenize", "process", "transform", "apply",
	"map", "filter",
	"join", "split", "strip", "format", "replace", "index", "count", "sort", "insert", "remove", "clear", "item", "add",
	"view", "next",
	"build", "create", "setup", "prepare", "predict", "generate", "sample", "compute", "push", "put", "send", "test",
	"main", "name")

// Reaches looks for a call that found accepts, in a function or in what it calls,
// at most so many calls deep, and returns the shortest path to it. The last of the
// Path's Calls is the call itself.
func (p *Project) Reaches(e *Eval, from *Function, found func(*Site) bool, most int) (Path, bool) {
	return p.AnyReaches(e, []*Function{from}, found, most)
}

// AnyReaches is Reaches from several functions at once: the path starts in one that is nearest.
func (p *Project) AnyReaches(e *Eval, from []*Function, found func(*Site) bool, most int) (Path, bool) {
	seen := map[*Function]bool{}
	var queue []*visit
	for _, fn := range from {
		if !seen[fn] {
			seen[fn] = true
			queue = append(queue, &visit{root: fn, fn: fn, sure: Certain})
		}
	}
	for len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		for _, s := range v.fn.Sites {
			if p.Unused(s.Module(), s.Node.Start) {
				continue
			}
			if found(s) {
				path := v.path()
				path.Calls = append(path.Calls, s)
				return path, true
			}
		}
		if v.depth >= most {
			continue
		}
		for _, s := range v.fn.Sites {
			for _, t := range p.targets(e, s, true) {
				if !seen[t.fn] {
					seen[t.fn] = true
					queue = append(queue, &visit{root: v.root, fn: t.fn, from: v, via: s, sure: v.sure * t.sure, depth: v.depth + 1})
				}
			}
		}
	}
	return Path{}, false
}

// path is the way from a visit's root to the place in its function.
func (v *visit) path() Path {
	p := Path{Root: v.root, Kind: v.kind, Sure: v.sure, Cache: v.cache, last: v.fn}
	for at := v; at != nil; at = at.from {
		if at.by != nil {
			p.by = at.by
		}
		if at.loop != nil {
			p.loop = at.loop
		}
		if at.via != nil {
			p.Calls = append(p.Calls, at.via)
			p = at.via.Module().byTurns(p, at.via.Node.Start)
		}
	}
	for i, j := 0, len(p.Calls)-1; i < j; i, j = i+1, j-1 {
		p.Calls[i], p.Calls[j] = p.Calls[j], p.Calls[i]
	}
	return p
}

// sortVisits puts roots into the order of the source, so that results do not
// vary, and of two that start in the same function the surer one first.
func sortVisits(list []*visit) {
	sort.SliceStable(list, func(i, j int) bool {
		a, b := list[i].fn, list[j].fn
		if a.Module != b.Module {
			return a.Module.Path < b.Module.Path
		}
		if a != b {
			return a.Bounds().Start < b.Bounds().Start
		}
		return list[i].sure > list[j].sure
	})
}
