package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// mostFollowed is how many expressions are followed from a loss back to its models.
const mostFollowed = 2000

// weightUpdate is a step of one optimizer in a function, with the backward passes before it and the models that these go through.
type weightUpdate struct {
	fn        *project.Function
	optimizer string
	passes    []*project.Site
	runs      []modelRun
	holds     map[string]bool // the models that the optimizer is seen to be given, by the last part of their names
	inputs    bool            // a pass says for which weights it computes gradients
}

// modelRun is a call of a model that a loss depends on.
type modelRun struct {
	key   string          // what is called, as the function that updates it says
	at    *pysrc.Call     // the call in that function by which it runs
	inner []*project.Site // the call itself, where another function makes it, and the calls that lead to it
}

// updates reports a model that the optimizer holds; where that is not seen, one that the losses of this update depend on.
func (u *weightUpdate) updates(key string) bool {
	if len(u.holds) > 0 {
		return u.holds[lastPart(key)]
	}
	return slices.ContainsFunc(u.runs, func(r modelRun) bool { return r.key == key })
}

// updatesBeside are the updates of a function, and of the methods beside it; none where there is only one.
func (p *SourcePass) updatesBeside(fn *project.Function) (list []*weightUpdate) {
	beside := []*project.Function{fn}
	if fn.Class != nil {
		beside = beside[:0]
		for _, m := range fn.Class.Methods {
			beside = append(beside, m)
		}
		slices.SortFunc(beside, func(a, b *project.Function) int { return int(a.Bounds().Start - b.Bounds().Start) })
	}
	for _, f := range beside {
		list = append(list, p.updatesOf(f)...)
	}
	if len(list) < 2 {
		return nil
	}
	for _, u := range list {
		f := p.flowOf(u.fn)
		for _, s := range u.passes {
			u.inputs = u.inputs || s.Node.Keyword("inputs") != nil
			f.walk(s.Node.Func.(*pysrc.Attribute).Value)
			for _, a := range s.Node.Args {
				f.walk(a)
			}
		}
		u.runs = f.runs
		u.holds = p.heldIn(u)
		if !slices.ContainsFunc(u.runs, func(r modelRun) bool { return u.holds[lastPart(r.key)] }) {
			u.holds = nil // other names for the same
		}
	}
	return list
}

// heldIn are the models whose weights the optimizer of an update is given, also by the names that its function has for them.
func (p *SourcePass) heldIn(u *weightUpdate) map[string]bool {
	holds := p.heldBy(u.optimizer)
	if given := p.calledWith(u.fn, u.optimizer); len(holds) == 0 && given != "" {
		holds = p.heldBy(given)
	}
	if u.fn.Def == nil || len(holds) == 0 {
		return holds
	}
	for _, parameter := range u.fn.Params().All() {
		if given := p.calledWith(u.fn, parameter.Name); given != "" && holds[lastPart(given)] {
			holds[parameter.Name] = true
		}
	}
	return holds
}

// calledWith is what all callers of a function give for a parameter, as they name it; empty where they differ.
func (p *SourcePass) calledWith(fn *project.Function, parameter string) (name string) {
	if fn.Def == nil || !fn.HasParameter(parameter) {
		return ""
	}
	for i, s := range p.Project.Callers(fn) {
		given := s.Given(fn, parameter)
		if given == nil {
			return ""
		}
		if of := p.In(s.Module()).keyOf(given); i == 0 {
			name = of
		} else if of != name {
			return ""
		}
	}
	return name
}

// heldBy are the models whose weights an optimizer is given where it is made, or nil where not all of them are seen.
func (p *SourcePass) heldBy(optimizer string) map[string]bool {
	holds := map[string]bool{}
	if !p.eachHeld(optimizer, func(model string) { holds[lastPart(model)] = true }) {
		return nil
	}
	return holds
}

// eachHeld visits the models whose weights an optimizer of some name is given where it is made. It reports whether all of them
// were seen.
func (p *SourcePass) eachHeld(optimizer string, visit func(model string)) bool {
	all := true
	for _, m := range p.Near() {
		in := p.In(m)
		for _, c := range in.Constructions("torch.optim.Optimizer") {
			a, ok := m.StatementAt(c.Node.Start).(*pysrc.Assign)
			if ok && slices.ContainsFunc(a.Targets, func(t pysrc.Expr) bool { return lastPart(in.keyOf(t)) == lastPart(optimizer) }) {
				all = in.weightsIn(firstArg(c.Node), 0, func(e pysrc.Expr) { visit(in.keyOf(e)) }) && all
			}
		}
	}
	return all
}

// updatesOf are the steps of the optimizers in a function that follow a backward pass, in the order of the source.
func (p *SourcePass) updatesOf(fn *project.Function) (list []*weightUpdate) {
	var passes []*project.Site
	sites := slices.Clone(fn.Sites)
	slices.SortFunc(sites, func(a, b *project.Site) int { return int(a.Node.Start - b.Node.Start) })
	for _, s := range sites {
		switch s.Method() {
		case "backward", "manual_backward":
			passes = append(passes, s)
		case "step":
			if len(passes) > 0 {
				list = append(list, &weightUpdate{fn: fn, optimizer: p.steppedBy(s), passes: passes})
				passes = nil
			}
		}
	}
	return list
}

// steppedBy is the optimizer of optimizer.step() and scaler.step(optimizer).
func (p *SourcePass) steppedBy(s *project.Site) string {
	if given := firstArg(s.Node); given != nil {
		if key := p.keyOf(given); key != "" {
			return key
		}
	}
	return p.keyOf(s.Node.Func.(*pysrc.Attribute).Value)
}

// keyOf is what an expression names: netD, self.netD, model["discriminator"]; empty for others.
func (p *SourcePass) keyOf(e pysrc.Expr) string {
	switch x := e.(type) {
	case *pysrc.Name:
		return x.ID
	case *pysrc.Attribute:
		if of := p.keyOf(x.Value); of != "" {
			return of + "." + x.Attr
		}
	case *pysrc.Subscript:
		if key, ok := pysrc.StringValue(x.Slice); ok {
			if of := p.keyOf(x.Value); of != "" {
				return of + "." + key
			}
		}
	}
	return ""
}

// lossFlow follows a loss back to the models that run for it with gradients on.
type lossFlow struct {
	p     *SourcePass
	fn    *project.Function
	from  *lossFlow     // the flow of the function that calls this one
	call  *project.Site // by this call
	at    *pysrc.Call   // the call in the outermost function
	seen  map[pysrc.Expr]bool
	left  int // how many expressions may still be followed
	depth int
	runs  []modelRun
}

// flowOf follows what a function computes.
func (p *SourcePass) flowOf(fn *project.Function) *lossFlow {
	return &lossFlow{p: p, fn: fn, seen: map[pysrc.Expr]bool{}, left: mostFollowed}
}

func (f *lossFlow) walk(e pysrc.Expr) {
	pysrc.Inspect(e, func(n pysrc.Node) bool {
		switch x := n.(type) {
		case *pysrc.Lambda:
			return false
		case *pysrc.Call:
			if endsGraph(x) || f.p.withoutGradients(x) {
				return false
			}
			return f.called(x)
		case *pysrc.Attribute:
			if x.Ctx == pysrc.Load && (endsGraph(x) || asksSize(x)) {
				return false
			}
			if key := f.p.keyOf(x); key != "" {
				f.read(x, key)
			}
		case *pysrc.Subscript:
			if key := f.p.keyOf(x); key != "" {
				f.read(x, key)
			}
		case *pysrc.Name:
			if x.Ctx == pysrc.Load {
				f.read(x, x.ID)
			}
		}
		return true
	})
}

// called remembers a call of a model, and follows one of a function of the project. It reports whether the parts of the call
// are still to be followed.
func (f *lossFlow) called(c *pysrc.Call) bool {
	site := f.p.Module.SiteAt(c)
	if site == nil {
		return true
	}
	at := f.at
	if at == nil {
		at = c
	}
	if key := f.modelOf(site); key != "" {
		run := modelRun{key: f.outside(key), at: at}
		for in, s := f, site; in.from != nil; in, s = in.from, in.call {
			run.inner = append(run.inner, s)
		}
		f.runs = append(f.runs, run)
		return true
	}
	fn := site.Calls.Func
	if fn == nil {
		fn = f.p.Project.OnlyMethod(site.Method())
	}
	if fn == nil || fn.Def == nil || f.depth > 2 || fn.IsGenerator() || fn.BaseName() == "__init__" {
		return true
	}
	in := &lossFlow{
		p: f.p.In(fn.Module), fn: fn, from: f, call: site, at: at,
		seen: map[pysrc.Expr]bool{}, left: f.left / 2, depth: f.depth + 1,
	}
	if decoratedWithoutGradients(fn) {
		return false
	}
	for _, r := range fn.Returns() {
		in.walk(r)
	}
	f.runs = append(f.runs, in.runs...)
	return false
}

// outside is a model's name as the outermost function knows it: that of what a parameter was given.
func (f *lossFlow) outside(key string) string {
	if f.from == nil {
		return key
	}
	root, rest, _ := strings.Cut(key, ".")
	given := ""
	if root == "self" {
		if a, ok := f.call.Node.Func.(*pysrc.Attribute); ok {
			given = f.from.p.keyOf(a.Value)
		}
	} else if e := f.call.Given(f.fn, root); e != nil {
		given = f.from.p.keyOf(e)
	}
	if given == "" {
		return key
	}
	return f.from.outside(strings.TrimSuffix(given+"."+rest, "."))
}

// read follows a variable to what it was set to before.
func (f *lossFlow) read(x pysrc.Expr, key string) {
	if f.left <= 0 || f.seen[x] {
		return
	}
	f.seen[x] = true
	f.left--
	start := x.Bounds().Start
	set := f.p.settingsIn(f.fn)
	arms := map[pysrc.Node]project.BlockID{} // of tests that set it
	for _, s := range slices.Backward(set) {
		if s.end > start || s.key != key && !strings.HasPrefix(s.key, key+".") {
			continue
		}
		f.walk(s.value)
		if s.key != key || s.adds {
			continue
		}
		if f.p.runsBefore(s.block, start) {
			return
		}
		arm := f.p.Module.Block(s.block)
		if test, ok := arm.Owner.(*pysrc.If); ok && f.p.runsBefore(arm.Parent, start) {
			if other, set := arms[test]; set && other != s.block {
				return // in both arms
			}
			arms[test] = s.block
		}
	}
	if f.from == nil || !f.fn.HasParameter(key) {
		return
	}
	if given := f.call.Given(f.fn, key); given != nil {
		f.from.walk(given)
	}
}

// runsBefore reports a block that has run, with what it sets, wherever a place is reached.
func (p *SourcePass) runsBefore(id project.BlockID, place int32) bool {
	for b := p.Module.Block(id); b.Parent >= 0; b = p.Module.Block(id) {
		if _, ok := b.Owner.(*pysrc.With); !ok {
			break
		}
		id = b.Parent
	}
	for at := p.Module.BlockAt(place); at >= 0; at = p.Module.Block(at).Parent {
		if at == id {
			return true
		}
	}
	return false
}

// modelOf names the model that a call runs: netD of netD(x), actor of actor.get_action(x); empty for other calls.
func (f *lossFlow) modelOf(s *project.Site) string {
	p, outermost := f.p, f
	for outermost.from != nil {
		outermost = outermost.from
	}
	if s.Calls.Kind == project.Instance && s.Calls.Class != nil && !s.Calls.Class.Derives("torch.nn.Module") {
		return ""
	}
	weighted := func(key string) bool {
		return outermost.p.weighted(lastPart(key)) || f == outermost && outermost.p.weightedGiven(f.fn, key)
	}
	if key := p.keyOf(s.Node.Func); key != "" && s.Calls.Func == nil && weighted(key) {
		return key
	}
	if a, ok := s.Node.Func.(*pysrc.Attribute); ok && !notModels[a.Attr] {
		if key := p.keyOf(a.Value); key != "" && key != "self" && weighted(key) {
			return key
		}
	}
	return ""
}

// weightedGiven reports a parameter for which all callers give something whose parameters() the project takes.
func (p *SourcePass) weightedGiven(fn *project.Function, parameter string) bool {
	given := p.calledWith(fn, parameter)
	return given != "" && p.weighted(lastPart(given))
}

// notModels are methods of a module that run nothing.
var notModels = setOfNames("parameters", "named_parameters", "to", "cuda", "train", "eval", "state_dict", "zero_grad",
	"size", "half", "float")

// weighted reports the name of something whose parameters() the project takes.
func (p *SourcePass) weighted(name string) bool {
	return slices.ContainsFunc(p.Near(), func(m *project.Module) bool {
		in := p.In(m)
		return slices.ContainsFunc(in.MethodCalls("parameters"), func(c Call) bool { return lastPart(in.keyOf(c.Receiver())) == name })
	})
}
