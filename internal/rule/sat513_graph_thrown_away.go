package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// graphThrownAway finds forward passes whose graph nothing ever goes back through.
var graphThrownAway = Rule{
	Code: "SAT513", Name: "graph-thrown-away", Severity: Advice, Subject: AboutMemory,
	Areas: []Area{ComputeArea, HostArea},
	Title: "a forward pass builds a graph that is thrown away",
	What: "A training step, or an agent that acts, calls a model with gradients on and uses the result only through " +
		"detach(), .data or argmax(): a target, a teacher, a generated batch for the discriminator, the next action. Also a model " +
		"that gets what the loader gives and whose weights no optimizer gets, a model in a function that returns detached " +
		"values only, such as a rollout, and a model that runs between training steps where every use of its result ends the graph.",
	Why: "Every activation is kept until the result is detached, and autograd records each operation. Under torch.no_grad() " +
		"neither happens.",
	Fine:   "A model whose weights and inputs need no gradients: it builds no graph.",
	Advice: "Put the forward pass under torch.no_grad(); detach() is not needed then.",
	Bad:    "target = (reward + discount * critic_target(next_state)).detach()",
	Good:   "with torch.no_grad():\n    target = reward + discount * critic_target(next_state)",
	Source: func(p *SourcePass) {
		if !p.runsOnGPU() || p.jaxOnly() || p.Module.Role == project.Test {
			return
		}
		said := thrownAway{}
		for _, end := range p.graphEnds() {
			if !p.mayStep(end.at) || p.withoutGradients(end.at) || decoratedWithoutGradients(p.Function(end.at)) || p.Function(end.at).Def == nil {
				continue
			}
			call := p.onlyFor(end)
			if call == nil || said[call] != nil {
				continue
			}
			way, ok := p.EachStep(end.at)
			if !ok || p.mayFreeze(call) {
				continue
			}
			said[call] = p.Report(call.Func, probable*way.Sure).Because(way, p.At(end.at, "the graph ends here"))
			said[call].Saying("%s builds a graph that is thrown away", p.Short(call.Func))
		}
		p.detachedInStep(said)
		p.untrainedWithGraph(said)
		p.detachedAtEnd(said)
		p.unreadGraphs(said)
	},
}

// thrownAway are the calls of models that were reported.
type thrownAway map[*pysrc.Call]*Report

// graphEnd is an expression behind which nothing has a gradient any more, and what it is taken of.
type graphEnd struct {
	at pysrc.Node
	of pysrc.Expr
}

// graphEnds finds x.detach(), x.argmax(), model(x).data, and calls of functions of the project that begin with one of them.
func (p *SourcePass) graphEnds() (list []graphEnd) {
	for _, c := range p.MethodCalls("detach", "argmax") {
		if of := c.Receiver(); p.NameOf(of) != "torch" && p.NameOf(of) != "numpy" {
			list = append(list, graphEnd{c.Node, of})
		}
	}
	for _, s := range p.Module.Sites {
		if data, ok := s.Node.Func.(*pysrc.Attribute); ok { // model(x).data.numpy()
			if of, ok := data.Value.(*pysrc.Attribute); ok && of.Attr == "data" {
				list = append(list, graphEnd{s.Node, of.Value})
			}
		}
		if detachesGiven(s) {
			list = append(list, graphEnd{s.Node, s.Node.Args[0]})
		}
	}
	return list
}

// detachesGiven reports a call of a function of the project that detaches what it is given: to_numpy(x).
func detachesGiven(s *project.Site) bool {
	fn := s.Calls.Func
	if fn == nil || fn.Def == nil || s.Calls.Kind != project.Callable || fn.Class != nil || len(s.Node.Args) != 1 || len(fn.Def.Args.Args) != 1 {
		return false
	}
	given := fn.Def.Args.Args[0].Name
	return slices.ContainsFunc(fn.Sites, func(inner *project.Site) bool {
		return inner.Method() == "detach" && rootName(inner.Node.Func) == given
	})
}

// onlyFor is the first call of a model that serves the end of a graph and nothing else; nil where there is none. It
// follows the variables back through the statements of the same block.
func (p *SourcePass) onlyFor(end graphEnd) *pysrc.Call {
	fn, block := p.Function(end.at), p.Module.BlockAt(end.at.Bounds().Start)
	last := p.Module.StatementAt(end.at.Bounds().Start)
	needed := namesRead(end.of)
	first := p.modelCall(end.of)
	var way []pysrc.Stmt
	made := map[string]bool{} // variables that hold something with this graph
	before := p.assignsBefore(fn, block, last)
	for _, a := range slices.Backward(before) {
		if !slices.ContainsFunc(a.Targets, func(t pysrc.Expr) bool { return storesAny(t, needed) }) {
			continue
		}
		call := p.modelCall(a.Value)
		if call != nil {
			first = call
		}
		for name := range namesRead(a.Value) {
			needed[name] = true
		}
		way = append(way, a)
	}
	if first == nil {
		return nil
	}
	for _, stmt := range slices.Backward(way) {
		a, ok := stmt.(*pysrc.Assign)
		if !ok || p.modelCall(a.Value) == nil && !mentionsAny(a.Value, made) {
			continue
		}
		for _, t := range a.Targets {
			for name := range namesStored(t) {
				made[name] = true
			}
		}
	}
	if p.readElsewhere(fn, made, way, end) {
		return nil
	}
	return first
}

// assignsBefore are the assignments of a block that stand before a statement of it.
func (p *SourcePass) assignsBefore(fn *project.Function, block project.BlockID, last pysrc.Stmt) (list []*pysrc.Assign) {
	p.Inspect(fn.Def, func(n pysrc.Node) bool {
		if a, ok := n.(*pysrc.Assign); ok && a.End <= last.Bounds().Start && p.Module.BlockAt(a.Start) == block {
			list = append(list, a)
		}
		return true
	})
	return list
}

// readElsewhere reports variables that a function reads outside the statements that lead to the end of a graph.
func (p *SourcePass) readElsewhere(fn *project.Function, names map[string]bool, way []pysrc.Stmt, end graphEnd) bool {
	found, last := false, p.Module.StatementAt(end.at.Bounds().Start)
	p.Inspect(fn.Def, func(n pysrc.Node) bool {
		if a, ok := n.(*pysrc.Attribute); ok && (a.Attr == "shape" || a.Attr == "ndim" || a.Attr == "device" || a.Attr == "dtype") {
			return false // which need no graph
		}
		name, ok := n.(*pysrc.Name)
		if !ok || name.Ctx != pysrc.Load || !names[name.ID] {
			return !found
		}
		within := end.of.Bounds().Contains(int(name.Start)) || slices.ContainsFunc(way, func(s pysrc.Stmt) bool { return s.Bounds().Contains(int(name.Start)) })
		again, ok := last.(*pysrc.Assign)
		renamed := ok && name.Start > last.Bounds().End && slices.ContainsFunc(again.Targets, func(t pysrc.Expr) bool { return storesName(t, name.ID) })
		found = found || !within && !renamed
		return !found
	})
	return found
}

// modelCall is the first call of a model within an expression that a library's layer is not, or nil.
func (p *SourcePass) modelCall(e pysrc.Expr) (found *pysrc.Call) {
	pysrc.Inspect(e, func(n pysrc.Node) bool {
		switch c := n.(type) {
		case *pysrc.Lambda:
			return false
		case *pysrc.Call:
			if found == nil && p.isModelCall(c) {
				found = c
			}
		}
		return found == nil
	})
	return found
}

// isModelCall reports a call that runs a model itself, whatever its arguments are.
func (p *SourcePass) isModelCall(c *pysrc.Call) bool {
	s := p.Module.SiteAt(c)
	if s == nil {
		return false
	}
	may := s.Calls.Unknown() || s.Calls.Made != nil // most calls are not of what a model may be
	s.EachPossible(func(v *Value) {
		may = may || v.Class != nil && v.Kind == project.Instance || v.Func != nil && v.Func.Class != nil && v.Kind == project.Callable
	})
	if !may || isCriterion(lastName(c.Func)) {
		return false
	}
	runs := false
	s.EachPossible(func(v *Value) {
		runs = runs || v.Class != nil && v.Kind == project.Instance && v.IsInstance("torch.nn.Module") || runsModel(v, c)
	})
	return runs || p.pretrainedRun(s) != nil || s.Calls.Unknown() && p.sites().byMethod.last["parameters"] > 0 && p.hasParameters(pysrc.DottedName(c.Func))
}

// runsModel reports a method of a model of the project that runs its layers, called from outside: agent.act(observation).
func runsModel(v *Value, c *pysrc.Call) bool {
	if v.Kind != project.Callable || v.Func == nil || v.Func.Class == nil || len(c.Args) == 0 || !v.Func.Class.Derives("torch.nn.Module") ||
		decoratedWithoutGradients(v.Func) {
		return false
	}
	_, ok := c.Func.(*pysrc.Attribute)
	return ok && slices.ContainsFunc(v.Func.Sites, func(s *project.Site) bool {
		return s.Calls.Kind == project.Instance && s.Calls.IsInstance("torch.nn.Module") && rootName(s.Node.Func) == "self"
	})
}

// hasParameters reports what this module asks for its parameters, or gives to a function that does: a model, though nothing tells which.
func (p *SourcePass) hasParameters(name string) bool {
	if p.shared.weightsAsked == nil {
		p.shared.weightsAsked = map[string]bool{}
		for _, c := range p.MethodCalls("parameters") {
			p.shared.weightsAsked[pysrc.DottedName(c.Receiver())] = true
		}
		for _, s := range p.Module.Sites {
			if fn := s.Calls.Func; fn != nil && fn.Def != nil && fn.Class == nil { // soft_update(critic, target, tau)
				p.addWeightsAsked(s, fn)
			}
		}
	}
	return name != "" && p.shared.weightsAsked[name]
}

func (p *SourcePass) addWeightsAsked(s *project.Site, fn *project.Function) {
	for _, inner := range fn.Sites {
		if inner.Method() != "parameters" {
			continue
		}
		if of, ok := inner.Node.Func.(*pysrc.Attribute); ok {
			if name, ok := of.Value.(*pysrc.Name); ok && fn.HasParameter(name.ID) {
				p.shared.weightsAsked[pysrc.DottedName(s.Given(fn, name.ID))] = true
			}
		}
	}
}

func namesRead(e pysrc.Expr) map[string]bool {
	names := map[string]bool{}
	pysrc.Inspect(e, func(n pysrc.Node) bool {
		if name, ok := n.(*pysrc.Name); ok && name.Ctx == pysrc.Load && name.ID != "self" {
			names[name.ID] = true
		}
		return true
	})
	return names
}

func namesStored(e pysrc.Expr) map[string]bool {
	names := map[string]bool{}
	pysrc.Inspect(e, func(n pysrc.Node) bool {
		if name, ok := n.(*pysrc.Name); ok && name.Ctx == pysrc.Store {
			names[name.ID] = true
		}
		return true
	})
	return names
}

func storesAny(e pysrc.Expr, names map[string]bool) bool {
	for name := range namesStored(e) {
		if names[name] {
			return true
		}
	}
	return false
}
