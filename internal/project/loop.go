package project

import (
	"slices"
	"sort"
	"strings"

	"saturate/internal/pysrc"
)

// Loop is a training loop: one iteration is one training step.
type Loop struct {
	Module *Module
	Func   *Function
	Stmt   pysrc.Stmt // the For or While
	// Steps are the calls in or under the loop that make it one: backward, or a
	// gradient of JAX.
	Steps []*Site
	// Epoch is the loop around it that counts epochs, or nil.
	Epoch pysrc.Stmt

	block BlockID
}

// Bounds returns the span of the loop.
func (l *Loop) Bounds() pysrc.Span { return l.Stmt.Bounds() }

// Body returns the statements of one step.
func (l *Loop) Body() []pysrc.Stmt { return bodyOf(l.Module.Block(l.block)) }

// Iter returns what a for loop iterates, nil for a while.
func (l *Loop) Iter() pysrc.Expr {
	if f, ok := l.Stmt.(*pysrc.For); ok {
		return f.Iter
	}
	return nil
}

// header is the end of the loop's first line: for … in …
func (l *Loop) header() int32 {
	switch s := l.Stmt.(type) {
	case *pysrc.For:
		return s.Iter.Bounds().End
	case *pysrc.While:
		return s.Test.Bounds().End
	}
	return l.Stmt.Bounds().End
}

// TrainingLoops returns the training loops of a module in order of their place.
func (p *Project) TrainingLoops(m *Module) []*Loop { return p.loops[m] }

// IsTrainingLoop reports a for or while of the module that is one of them.
func (p *Project) IsTrainingLoop(m *Module, loop pysrc.Node) bool {
	for _, l := range p.loops[m] {
		if pysrc.Node(l.Stmt) == loop {
			return true
		}
	}
	return false
}

// LoopsStepping returns the training loops of the project whose step is in a module.
func (p *Project) LoopsStepping(m *Module) []*Loop { return p.stepping[m] }

// Trains reports whether any module has a training loop or a training hook.
func (p *Project) Trains() bool { return len(p.loops) > 0 || p.hooks > 0 }

// Hot reports whether a node of the module runs in every training step.
func (p *Project) Hot(m *Module, n interface{ Bounds() pysrc.Span }) (Path, bool) {
	at := n.Bounds().Start
	block := m.BlockAt(at)
	fn := m.blocks[block].Func
	if p.hot[fn] == nil && len(p.loops[m]) == 0 || p.Unused(m, at) {
		return Path{}, false
	}
	for _, l := range p.loops[m] {
		if l.Func == fn && m.holds(l.block, block) {
			if m.guardWithin(at, m.Block(l.block)).Cold() {
				return Path{}, false
			}
			return m.byTurns(Path{Root: fn, Kind: TrainingLoop, Sure: Certain, loop: l, last: fn}, at), true
		}
	}
	v := p.hot[fn]
	if v == nil || m.guardWithin(at, &Block{}).Cold() || v.within > 0 && !m.holds(v.within, block) {
		return Path{}, false
	}
	return m.byTurns(v.path(), at), true
}

// HotThrough is the way from a training step to a function by one of its calls.
func (p *Project) HotThrough(call *Site, fn *Function) (Path, bool) {
	way, hot := p.Hot(call.Module(), call.Node)
	if !hot {
		return Path{}, false
	}
	return way.Through(call, fn), true
}

// Through is the way that goes on by a call of a function.
func (p Path) Through(call *Site, fn *Function) Path {
	p.Calls = append(slices.Clone(p.Calls), call)
	p.last = fn
	return p
}

// findLoops finds the training loops and what they reach.
func (p *Project) findLoops() {
	f := &loopFinder{p: p, found: map[BlockID]map[*Module]*Loop{}, seen: map[*Function]bool{}, hooks: map[*Function]bool{}}
	var roots []*visit
	for _, m := range p.Modules {
		for _, c := range m.Classes {
			roots = append(roots, p.hookRoots(c)...)
		}
	}
	roots = append(roots, p.engineSteps()...)
	for _, v := range roots {
		f.hooks[v.fn] = true
	}
	for _, m := range p.Modules {
		for _, s := range m.Sites {
			if isStep(s) && m.Role != Test && !m.isUnreached(s.Node.Start) {
				clear(f.seen)
				f.steps = false
				f.climb(s, s, 0)
				if !f.steps && p.isLoneStep(s.Func) && !f.hooks[s.Func] {
					f.hooks[s.Func] = true
					p.lone = append(p.lone, s.Func)
					roots = append(roots, &visit{root: s.Func, fn: s.Func, kind: TrainingHook, sure: Likely})
				}
			}
		}
	}
	p.loops, p.stepping = map[*Module][]*Loop{}, map[*Module][]*Loop{}
	for _, byModule := range f.found {
		for m, l := range byModule {
			p.loops[m] = append(p.loops[m], l)
		}
	}
	roots = p.dropUnstarted(roots)
	p.hooks, p.hooked = len(roots), map[*Module]bool{}
	for _, v := range roots {
		p.hooked[v.fn.Module] = true
	}
	for _, list := range p.loops {
		sort.Slice(list, func(i, j int) bool { return list[i].block < list[j].block })
	}
	for _, m := range slices.Concat(ofTests(p.Modules, false), ofTests(p.Modules, true)) { // a path from a program says more
		for _, l := range p.loops[m] {
			l.Epoch = epochAround(m, l.block)
			for _, s := range l.Steps {
				if list := p.stepping[s.Module()]; len(list) == 0 || list[len(list)-1] != l {
					p.stepping[s.Module()] = append(list, l)
				}
			}
			roots = append(roots, &visit{root: l.Func, fn: l.Func, kind: TrainingLoop, sure: Certain, loop: l})
		}
	}
	for _, fn := range f.ofParts {
		roots = append(roots, &visit{root: fn, fn: fn, kind: TrainingHook, sure: Likely})
	}
	p.hot = make(map[*Function]*visit, len(roots))
	p.givers = map[*Function][]*Site{}
	p.starters = map[*Function]map[*Function]bool{}
	p.spread(p.hot, roots, true)
	p.spread(p.hot, p.generatorRoots(), true)
	if len(roots) > 0 || p.startsTrainers() { // after the others, whose paths say more
		p.spread(p.hot, p.forwardRoots(), true)
	}
}

// markReached notes with each function what reaches it.
func (p *Project) markReached() {
	for fn := range p.hot {
		fn.stepped, fn.Module.stepped = true, true
	}
	for m, loops := range p.loops {
		for _, l := range loops {
			l.Func.stepped, l.Func.Module.stepped = true, true
			m.stepped = true
		}
	}
}

// ofTests lists the modules that are tests, or the others.
func ofTests(list []*Module, tests bool) []*Module {
	return slices.DeleteFunc(slices.Clone(list), func(m *Module) bool { return (m.Role == Test) != tests })
}

// isStep reports a call that only training makes: x.backward(), a gradient of JAX.
func isStep(s *Site) bool {
	switch s.Method() {
	case "backward", "manual_backward":
		return !strings.HasPrefix(s.Calls.Name, "torch.autograd.Function")
	case "training_step": // of a trainer whose loop the project has written anew
		return s.onSelf() && s.Func != nil && s.Func.Class != nil && s.Func.Class.Derives("transformers.Trainer")
	case "":
	default: // self.model_backward_and_update(loss) of a base that is not of the project
		if s.onSelf() && HasWord(s.Method(), "backward") && len(s.Node.Args) > 0 && !s.Calls.runsOwn() {
			return s.Func.Class != nil && s.Func.Class.LibraryBase() != "" && !s.Func.Class.Derives("torch.nn.Module")
		}
	}
	switch s.Calls.Name {
	case "timm.utils.NativeScaler", "timm.utils.ApexScaler": // called with the loss and the optimizer
		return s.Calls.Kind == Instance
	case "trl.PPOTrainer.step": // with a batch that the project has sampled
		return true
	}
	return s.TakesGradient()
}

// TakesGradient reports a call of JAX that makes the gradient of a function, or of a function that such a decorator has
// made one: @eqx.filter_value_and_grad, @partial(jax.value_and_grad, has_aux=True).
func (s *Site) TakesGradient() bool {
	if jaxGradients[s.Calls.Name] || s.callsGradient() {
		return true
	}
	fn := s.Calls.Func
	return fn != nil && s.Calls.Kind == Callable && fn.Module.importsJAX() && slices.ContainsFunc(fn.Decorators(), func(d pysrc.Expr) bool {
		if c, ok := d.(*pysrc.Call); ok {
			d = c.Func
			if lastName(d) == "partial" && len(c.Args) > 0 {
				d = c.Args[0]
			}
		}
		switch lastName(d) {
		case "grad", "value_and_grad", "filter_grad", "filter_value_and_grad":
			return true
		}
		return false
	})
}

// callsGradient reports a call of what such a call made before: gradient = jax.grad(loss); gradient(params, x).
func (s *Site) callsGradient() bool {
	if s.Calls.Kind != Instance || s.Calls.Made == nil || !jaxGradients[s.Calls.Made.Calls.Name] {
		return false
	}
	made := s.Calls.Made
	kept, ok := made.Module().StatementAt(made.Node.Start).(*pysrc.Assign)
	return ok && len(kept.Targets) == 1 && lastName(kept.Targets[0]) != "" && lastName(kept.Targets[0]) == lastName(s.Node.Func)
}

func (m *Module) importsJAX() bool {
	return m.imports["jax"] || m.imports["equinox"] || m.imports["flax"]
}

var jaxGradients = map[string]bool{
	"jax.grad": true, "jax.value_and_grad": true, "flax.nnx.grad": true, "flax.nnx.value_and_grad": true,
	"equinox.filter_grad": true, "equinox.filter_value_and_grad": true,
}

type loopFinder struct {
	p     *Project
	found map[BlockID]map[*Module]*Loop
	seen  map[*Function]bool
	hooks map[*Function]bool
	// ofParts are the functions that take one step for all turns of their loop.
	ofParts []*Function
	steps   bool // a loop was found around the step that is being looked at
}

// climb looks for the loop around a call, in its function or in those that call it.
func (f *loopFinder) climb(at, step *Site, depth int) {
	m := at.Module()
	// A loop in a hook is part of a step: the trainer's loop is around its callers.
	if id, ok := stepLoop(m, at); ok && !f.hooks[at.Func] && !(countsOnly(m.blocks[id].Owner) && f.p.isFed(at.Func)) && !f.unrolls(at.Func) {
		f.keep(m, id, step)
		if f.p.isStepOfParts(m, id, at.Func) && !slices.Contains(f.ofParts, at.Func) {
			f.ofParts = append(f.ofParts, at.Func)
		}
		return
	}
	if depth > 5 || f.seen[at.Func] {
		return
	}
	f.seen[at.Func] = true
	users := at.Func.callers()
	if len(users) > 20 {
		return
	}
	for _, user := range users {
		if user.Func != at.Func && !f.p.evaluates(user.Func) && !calledInLoopToo(user, users) {
			f.climb(user, step, depth+1)
		}
	}
	if outer := at.Func.Outer; len(users) == 0 && outer != nil && at.Func.Class == nil && outer.Def != nil {
		// A closure that is handed on: optimizer.step(closure).
		for _, s := range outer.Sites {
			if mentions(s.Node, at.Func.BaseName()) {
				f.climb(s, step, depth+1)
			}
		}
	}
}

// calledInLoopToo reports a call beside a loop of its function that makes the same call: run("test") behind for epoch in …:
// run("train"). What calls that function runs a whole training.
func calledInLoopToo(call *Site, calls []*Site) bool {
	if _, loops := stepLoop(call.Module(), call); loops {
		return false
	}
	return slices.ContainsFunc(calls, func(other *Site) bool {
		if other.Func != call.Func {
			return false
		}
		_, loops := stepLoop(other.Module(), other)
		return loops
	})
}

func mentions(c *pysrc.Call, name string) bool {
	is := func(x pysrc.Expr) bool {
		n, ok := x.(*pysrc.Name)
		return ok && n.ID == name
	}
	return slices.ContainsFunc(c.Args, is) || slices.ContainsFunc(c.Keywords, func(k *pysrc.Keyword) bool { return is(k.Value) })
}

func (f *loopFinder) keep(m *Module, id BlockID, step *Site) {
	f.steps = true
	if f.found[id] == nil {
		f.found[id] = map[*Module]*Loop{}
	}
	l := f.found[id][m]
	if l == nil {
		b := m.Block(id)
		l = &Loop{Module: m, Func: b.Func, Stmt: b.Owner.(pysrc.Stmt), block: id}
		f.found[id][m] = l
	}
	l.Steps = append(l.Steps, step)
}

// unrolls reports a function that JAX compiles whole, its loops too, and that the project calls: for Python it is one step.
func (f *loopFinder) unrolls(fn *Function) bool {
	return fn.Module.importsJAX() && len(fn.callers()) > 0 && compiledByJAX(fn)
}

// stepLoop picks, among the loops around a call in its function, the one whose iteration is a training step: the
// outermost over batches, else the innermost in which the optimizer steps, else the innermost. A loop that only counts
// does not go over batches if the optimizer steps in a loop inside it, unless it also plays in an environment.
func stepLoop(m *Module, s *Site) (BlockID, bool) {
	chosen, any, steps := BlockID(-1), false, false
	fn := s.Func
	for id := s.Block; id >= 0 && m.blocks[id].Func == fn; id = m.blocks[id].Parent {
		b := &m.blocks[id]
		if !b.isLoop() || isEpochLoop(b.Owner) && any {
			continue
		}
		here := stepsOptimizer(bodyOf(b))
		counts := steps && countsOnly(b.Owner) && !stepsWorld(bodyOf(b)) // whatever its name, it makes no step of its own
		if !any || overBatches(b.Owner) && !counts || here && !steps {
			chosen, any, steps = id, true, here
		}
	}
	return chosen, any
}

// stepsWorld reports whether statements go on in an environment and take what it gives: state, reward = world.step(action).
func stepsWorld(body []pysrc.Stmt) (found bool) {
	for _, s := range body {
		pysrc.Inspect(s, func(n pysrc.Node) bool {
			if set, ok := n.(*pysrc.Assign); ok {
				c, called := set.Value.(*pysrc.Call)
				found = found || called && len(c.Args) > 0 && lastName(c.Func) == "step"
			}
			return !found
		})
	}
	return found
}

// overBatches reports a loop whose variable or iterable is named as batches are.
func overBatches(owner pysrc.Node) bool {
	f, ok := owner.(*pysrc.For)
	if !ok {
		return false
	}
	found := false
	look := func(n pysrc.Node) bool {
		name := ""
		switch n := n.(type) {
		case *pysrc.Name:
			name = n.ID
		case *pysrc.Attribute:
			name = n.Attr
		}
		if HasWord(name, countWords...) {
			return true // a count, not one of what is counted
		}
		if HasWord(name, loopWords...) {
			found = true
		}
		return !found
	}
	pysrc.Inspect(f.Target, look)
	pysrc.Inspect(f.Iter, look)
	return found
}

// isEpochLoop reports a loop whose variable counts epochs.
func isEpochLoop(owner pysrc.Node) bool {
	switch l := owner.(type) {
	case *pysrc.For:
		for _, e := range append(elements(l.Target), l.Target) {
			if n, ok := e.(*pysrc.Name); ok && HasWord(n.ID, epochWords...) {
				return true
			}
		}
		if c, ok := l.Iter.(*pysrc.Call); ok && len(c.Args) > 0 {
			return HasWord(lastName(c.Args[len(c.Args)-1]), "epoch", "epochs")
		}
	case *pysrc.While:
		found := false
		pysrc.Inspect(l.Test, func(n pysrc.Node) bool {
			if x, ok := n.(pysrc.Expr); ok && HasWord(lastName(x), "epoch", "epochs") {
				found = true
			}
			return !found
		})
		return found
	}
	return false
}

// epochAround is the loop around a block that counts epochs.
func epochAround(m *Module, id BlockID) pysrc.Stmt {
	fn := m.blocks[id].Func
	var loop pysrc.Stmt
	for id = m.blocks[id].Parent; id >= 0 && m.blocks[id].Func == fn; id = m.blocks[id].Parent {
		if b := &m.blocks[id]; b.isLoop() {
			loop = b.Owner.(pysrc.Stmt)
			if isEpochLoop(loop) {
				break
			}
		}
	}
	return loop
}

// EpochLoop returns the loop around a node, in its function, that counts
// epochs: by its variable's name, or because it stands around a training loop.
func (p *Project) EpochLoop(m *Module, n interface{ Bounds() pysrc.Span }) pysrc.Stmt {
	var found pysrc.Stmt
	m.around(n.Bounds().Start, func(b *Block) bool {
		if !b.isLoop() {
			return true
		}
		if isEpochLoop(b.Owner) {
			found = b.Owner.(pysrc.Stmt)
			return false
		}
		for _, l := range p.loops[m] {
			if l.Epoch != nil && pysrc.Node(l.Epoch) == b.Owner {
				found = l.Epoch
			}
		}
		return found == nil
	})
	return found
}

// lightningHooks are the methods of modules and callbacks that Lightning calls in every step.
var lightningHooks = []string{
	"on_train_batch_start", "on_train_batch_end", "on_before_backward", "on_after_backward", "on_before_zero_grad", "on_before_optimizer_step",
}

// hookRoots are the methods of a class that a trainer or a runner of a library calls in every step.
func (p *Project) hookRoots(c *Class) []*visit {
	var names []string
	switch {
	case c.Derives(lightningModule):
		names = append([]string{"training_step", "on_before_batch_transfer", "on_after_batch_transfer"}, lightningHooks...)
	case c.Derives("transformers.Trainer"):
		names = []string{"compute_loss", "training_step"}
	case c.Derives("speechbrain.core.Brain"):
		names = []string{"compute_forward", "compute_objectives", "fit_batch", "on_fit_batch_end"}
	case c.Derives("transformers.TrainerCallback"):
		names = []string{"on_step_begin", "on_step_end", "on_substep_end", "on_pre_optimizer_step", "on_optimizer_step"}
	case c.Derives("torchmetrics.Metric", "lightning.pytorch.metrics.Metric") && p.measuresTraining(c):
		names = []string{"update"}
	case c.Derives("lightning.pytorch.Callback"):
		names = lightningHooks
	default:
		names = append([]string{"training_step"}, stepOfRegistered(c)...)
	}
	var roots []*visit
	for _, name := range names {
		if f := c.Methods[name]; f != nil {
			roots = append(roots, &visit{root: f, fn: f, kind: TrainingHook, sure: Certain})
		}
	}
	return roots
}

// measuresTraining reports a class of which an object is made that is not for evaluation alone.
func (p *Project) measuresTraining(c *Class) bool {
	for _, m := range p.Modules {
		if m.Role != Test && slices.ContainsFunc(m.Sites, func(s *Site) bool {
			return s.Calls.Kind == Type && s.Calls.Class == c && !p.evaluates(s.Func) && !slices.ContainsFunc(m.labels(s.Node.Span), namesEvaluation)
		}) {
			return true
		}
	}
	return false
}

// forwardRoots are the forward methods of the project's models: the training code calls them, though the source may not
// show which.
func (p *Project) forwardRoots() []*visit {
	var roots []*visit
	for _, m := range p.Modules {
		for _, c := range m.Classes {
			f := c.Methods["forward"]
			if c.Derives(jaxModules...) {
				f = c.Methods["__call__"]
			}
			if f == nil || p.unusedClasses[c] || p.forUnstarted(f) || p.loads(c) || f.withoutGradients() {
				continue // what loading runs, such as an augmentation, or a wrapper for inference
			}
			if c.Derives("torch.nn.Module") || c.Derives(jaxModules...) {
				roots = append(roots, &visit{root: f, fn: f, kind: Forward, sure: Likely})
			}
		}
	}
	return roots
}

// jaxModules are the classes that models of JAX derive from: what calls them, through apply, runs __call__.
var jaxModules = []string{"flax.linen.Module", "flax.nnx.Module", "equinox.Module", "haiku.Module"}

// loads reports a class of which loading runs the forward, or another method while nothing runs the forward: a spectrogram
// that a data set computes.
func (p *Project) loads(c *Class) bool {
	if p.samples[c.Methods["forward"]] != nil {
		return true
	}
	for name, f := range c.Methods {
		if name != "__init__" && p.samples[f] != nil {
			return len(c.Methods["forward"].callers()) == 0
		}
	}
	return false
}
