package rule

import (
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// equalLayers reports loops of a step that give one input to each of several layers of the same kind and size: heads, predictors,
// critics. One product with all their weights does the same.
func (p *SourcePass) equalLayers() {
	if !p.runsOnGPU() || p.jaxOnly() || !p.trained() && len(p.TrainingLoops()) == 0 {
		return
	}
	for _, n := range p.roundsIn() {
		t, ok := turnsOf(n)
		if !ok || !p.isHot(t.at) || p.pointedAt(n.Bounds()) || t.loop != nil && p.trainsIn(t.loop) {
			continue
		}
		if loop, ok := n.(*pysrc.For); ok && carries(loop) || t.loop != nil && p.keepsTurns(&t) {
			continue // x = layer(x) + other[i](z)
		}
		call, list := p.calledInTurn(&t)
		if call == nil {
			continue
		}
		made := p.madeEqual(list)
		if made == nil || !p.makesWeights(made) {
			continue
		}
		if way, ok := p.EachStep(t.at); ok {
			r := p.Report(t.at, way.Sure*likely).At(Advice).Because(way, p.At(call, "called once for each of them")).
				Saying("each layer of %s is called on the same input, one after the other, in every step", p.Short(list)).
				Advising("Join them: one wide layer whose output is split, torch.einsum over stacked weights, or torch.func.stack_module_state " +
					"with torch.vmap.")
			if p.Eval(made.Func).Class == nil {
				r.Small("each of them is one layer of torch")
			}
		}
	}
}

// makesWeights reports what makes a layer with weights to join: one of torch, also inside a container, or one of the project where
// making it makes such.
func (p *SourcePass) makesWeights(made *pysrc.Call) bool {
	kind := p.Eval(made.Func)
	if kind.Class == nil {
		return !strings.HasPrefix(kind.Name, "torch.nn.") || firstIn([]pysrc.Node{made}, func(n pysrc.Node) bool {
			c, ok := n.(*pysrc.Call)
			return ok && weighs[p.NameOf(c.Func)]
		}) != nil
	}
	init := kind.Class.Method("__init__")
	if init == nil {
		return kind.Class.LibraryBase() != "torch.nn.Module"
	}
	_, makes := p.Reaches(init, func(s *project.Site) bool {
		return weighs[s.Calls.Name] || s.Calls.Name == "torch.nn.Parameter" || s.Method() == "register_parameter"
	}, 4)
	return makes
}

// calledInTurn is the call of a loop's item, or of list[i], on what does not differ from turn to turn, and the list.
func (p *SourcePass) calledInTurn(t *turns) (found *pysrc.Call, list pysrc.Expr) {
	if len(t.target) != 1 {
		return nil, nil
	}
	target, over := t.target[0], t.iter[0]
	var index pysrc.Expr
	if c, ok := over.(*pysrc.Call); ok && len(c.Args) > 0 {
		switch lastName(c.Func) {
		case "enumerate":
			pair := elementsOf(target)
			if len(pair) != 2 {
				return nil, nil
			}
			target, over = pair[1], c.Args[0]
		case "range":
			target, index = nil, target
		}
	}
	t.vary()
	set := t.assigned() // x = layer(x)
	for _, b := range t.body {
		pysrc.Inspect(b, func(n pysrc.Node) bool {
			c, ok := n.(*pysrc.Call)
			if !ok || found != nil || len(c.Args) == 0 {
				return found == nil
			}
			part, taken := c.Func.(*pysrc.Subscript)
			item, named := target.(*pysrc.Name)
			switch {
			case taken && index != nil && pysrc.DottedName(part.Slice) == pysrc.DottedName(index):
				found, list = c, part.Value
			case named && isNamed(c.Func, item.ID):
				found, list = c, over
			default:
				return true
			}
			for _, arg := range argumentsOf(c) {
				if mentionsAny(arg, t.varying) || mentionsAny(arg, set) {
					found = nil
				}
			}
			return false
		})
	}
	return found, list
}

// assigned are the variables that a loop assigns to, whole or in part.
func (t *turns) assigned() map[string]bool {
	set := map[string]bool{}
	for _, b := range t.body {
		pysrc.Inspect(b, func(n pysrc.Node) bool {
			switch x := n.(type) {
			case *pysrc.Assign:
				for _, target := range x.Targets {
					addStored(target, set)
				}
			case *pysrc.AugAssign:
				addStored(x.Target, set)
			}
			return true
		})
	}
	return set
}

// madeEqual is the expression that makes each of the layers of a field, if it does not differ from one to the next:
// nn.ModuleList([Head(size) for _ in range(n)]), or a loop that appends; nil for other fields.
func (p *SourcePass) madeEqual(list pysrc.Expr) *pysrc.Call {
	field, ok := list.(*pysrc.Attribute)
	class := p.Function(list).Class
	if !ok || class == nil || !project.IsSelf(field.Value) {
		return nil
	}
	all, ok := p.onlyField(class, field.Attr).(*pysrc.Call)
	if !ok || lastName(all.Func) != "ModuleList" {
		return nil
	}
	if len(all.Args) == 0 || isEmptyList(all.Args[0]) {
		return p.appendedEqual(class, field.Attr)
	}
	if t, ok := turnsOf(all.Args[0]); ok && len(t.iter) == 1 {
		return p.equalInTurns(t.body[0], t.target[0], t.iter[0])
	}
	return nil
}

func isEmptyList(e pysrc.Expr) bool {
	list, ok := e.(*pysrc.List)
	return ok && len(list.Elts) == 0
}

// appendedEqual is what a loop of __init__ appends to a list of layers.
func (p *SourcePass) appendedEqual(class *project.Class, field string) (made *pysrc.Call) {
	init := class.Method("__init__")
	if init == nil || init.Module != p.Module {
		return nil
	}
	for _, s := range init.Sites {
		a, ok := s.Node.Func.(*pysrc.Attribute)
		if !ok || a.Attr != "append" || pysrc.DottedName(a.Value) != "self."+field || len(s.Node.Args) != 1 {
			continue
		}
		loop, ok := p.LoopAround(s).(*pysrc.For)
		if !ok {
			return nil
		}
		if made = p.equalInTurns(s.Node.Args[0], loop.Target, loop.Iter); made == nil {
			return nil
		}
	}
	return made
}

// equalInTurns is a layer that each turn of a counted loop makes without a look at the count, or nil.
func (p *SourcePass) equalInTurns(made pysrc.Node, target, iter pysrc.Expr) *pysrc.Call {
	c, ok := made.(*pysrc.Call)
	if !ok || !isRange(iter) || p.knownTo(iter, 2) {
		return nil
	}
	own := map[string]bool{}
	addStored(target, own)
	if mentionsAny(c, own) {
		return nil
	}
	return c
}

// knownTo reports range(n) of at most so many.
func (p *SourcePass) knownTo(iter pysrc.Expr, most int64) bool {
	c, ok := iter.(*pysrc.Call)
	if !ok || len(c.Args) != 1 {
		return false
	}
	n, known := p.Eval(c.Args[0]).Int()
	return known && n <= most
}
