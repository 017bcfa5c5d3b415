package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// frozenRun is the model of the project that a call runs, where the program freezes it, puts it into evaluation, and changes it
// nowhere; nil for any other call.
func (p *SourcePass) frozenRun(s *project.Site) *Value {
	v := s.Calls
	if v.Kind != project.Instance || v.Class == nil || v.Made == nil || len(s.Node.Args) == 0 || !hasLayers(v.Class, 0) {
		return nil
	}
	name := pysrc.DottedName(s.Node.Func)
	forward := v.Class.Method("forward")
	if name == "" || forward == nil || !p.keptFrozen(s, name) {
		return nil
	}
	if _, draws := p.Reaches(forward, isRandom, 3); draws {
		return nil
	}
	return v
}

// evaluatedRun is the model of the project that a step runs without gradients, where its function puts it into evaluation and does
// nothing else with it, and no optimizer gets its weights: the backbone below a classifier; nil for any other call.
func (p *SourcePass) evaluatedRun(s *project.Site) *Value {
	name := pysrc.DottedName(s.Node.Func)
	if name == "" || len(s.Node.Args) == 0 || !p.Under(s, "torch.no_grad", "torch.inference_mode") || !p.callsModel(s) {
		return nil
	}
	evaluated := false
	for _, other := range s.Func.Sites {
		switch on := pysrc.DottedName(other.Node.Func); {
		case on == name+".eval" && len(other.Node.Args) == 0:
			evaluated = true
		case on == name:
		case on != "" && strings.HasPrefix(on, name+"."), slices.ContainsFunc(argumentsOf(other.Node), func(a pysrc.Expr) bool { return pysrc.DottedName(a) == name }):
			return nil
		}
	}
	if !evaluated || !p.untrained(s) {
		return nil
	}
	return s.Calls
}

// hasLayers reports a class of the project that makes layers with weights, itself or by the modules that it holds.
func hasLayers(class *project.Class, depth int) bool {
	init := class.Method("__init__")
	return init != nil && depth < 3 && class.Derives("torch.nn.Module") && slices.ContainsFunc(init.Sites, func(made *project.Site) bool {
		return weighs[made.Calls.Name] || made.Calls.Kind == project.Type && made.Calls.Class != nil && made.Calls.Class != class &&
			hasLayers(made.Calls.Class, depth+1)
	})
}

// frozenState is what a program does with a model besides running it.
type frozenState struct {
	frozen, evaluated bool // its weights take no gradients; it is put into evaluation
	changed           bool // something may change its weights, or lets them take gradients
}

// keptFrozen reports a variable or a field whose weights are told to take no gradients, that is put into evaluation, and that
// nothing changes: no optimizer, no average of weights, no function that cannot be followed.
func (p *SourcePass) keptFrozen(run *project.Site, name string) bool {
	var state frozenState
	class := run.Func.Class
	field, held := strings.CutPrefix(name, "self.")
	switch {
	case class != nil && held:
		for _, fn := range class.Methods {
			p.In(fn.Module).noteFrozen(fn, name, &state, 0)
		}
	case strings.Contains(name, ".") || run.Func.HasParameter(name):
		return false
	default:
		p.noteFrozen(run.Func, name, &state, 0)
	}
	return state.frozen && state.evaluated && !state.changed && (class == nil || !held || !p.changedOutside(class, field))
}

// noteFrozen notes what a function does with a model that it has under a name.
func (p *SourcePass) noteFrozen(fn *project.Function, name string, state *frozenState, depth int) {
	for _, s := range fn.Sites {
		p.noteGiven(s, name, state, depth)
		f, ok := s.Node.Func.(*pysrc.Attribute)
		if !ok || p.holderOf(f.Value) != name {
			continue
		}
		switch f.Attr {
		case "eval":
			state.evaluated = true
		case "freeze":
			state.frozen = true
		case "requires_grad_":
			p.noteSwitch(s, firstArg(s.Node) != nil && p.Eval(firstArg(s.Node)).IsFalse(), state)
		case "parameters", "named_parameters":
			p.noteSwitch(s, p.freezesEach(s), state)
		case "unfreeze", "buffers", "named_buffers":
			state.changed = true
		case "load_state_dict", "apply":
			state.changed = state.changed || p.InLoop(s)
		}
	}
}

func (p *SourcePass) noteSwitch(s *project.Site, off bool, state *frozenState) {
	switch {
	case !off:
		state.changed = true
	case p.Rare(s) == nil:
		state.frozen = true
	}
}

// noteGiven notes what a call does with a model that it is given: what cannot be followed may change it.
func (p *SourcePass) noteGiven(s *project.Site, name string, state *frozenState, depth int) {
	given := slices.ContainsFunc(argumentsOf(s.Node), func(e pysrc.Expr) bool {
		return pysrc.DottedName(e) == name ||
			slices.ContainsFunc(elementsOf(e), func(part pysrc.Expr) bool { return pysrc.DottedName(part) == name })
	})
	if !given || s.Calls.Name == "torch.compile" || s.Calls.Name == "print" {
		return
	}
	fn := s.Calls.Func
	if fn == nil || fn.Def == nil || fn.Class != nil || depth > 1 {
		state.changed = true
		return
	}
	for _, a := range fn.Def.Args.All() {
		if pysrc.DottedName(s.Given(fn, a.Name)) == name {
			p.In(fn.Module).noteFrozen(fn, a.Name, state, depth+1)
			return
		}
	}
	state.changed = true
}

// holderOf is the variable or the field that a model is kept in: tower, for tower.cuda() and for Tower().cuda() in
// tower = Tower().cuda().eval().
func (p *SourcePass) holderOf(model pysrc.Expr) string {
	first := model
	for {
		call, ok := model.(*pysrc.Call)
		if !ok {
			return pysrc.DottedName(model)
		}
		method, ok := call.Func.(*pysrc.Attribute)
		if !ok {
			break
		}
		model = method.Value
	}
	if a, ok := p.Module.StatementAt(first.Bounds().Start).(*pysrc.Assign); ok && len(a.Targets) == 1 {
		return pysrc.DottedName(a.Targets[0])
	}
	return ""
}

// freezesEach reports a loop over the weights of a model that only turns their gradients off.
func (p *SourcePass) freezesEach(s *project.Site) bool {
	loop, ok := p.Module.StatementAt(s.Node.Start).(*pysrc.For)
	if !ok || len(loop.Body) != 1 {
		return false
	}
	switch x := loop.Body[0].(type) {
	case *pysrc.Assign:
		weight, ok := x.Targets[0].(*pysrc.Attribute)
		return ok && weight.Attr == "requires_grad" && p.Eval(x.Value).IsFalse()
	case *pysrc.ExprStmt:
		c, ok := x.Value.(*pysrc.Call)
		return ok && lastName(c.Func) == "requires_grad_" && len(c.Args) == 1 && p.Eval(c.Args[0]).IsFalse()
	}
	return false
}

// changedOutside reports a field that code outside its class gets at, other than to run it: model.target.parameters(),
// follow(model.target, model.online).
func (p *SourcePass) changedOutside(class *project.Class, field string) bool {
	is := func(e pysrc.Expr) bool {
		a, ok := e.(*pysrc.Attribute)
		return ok && a.Attr == field
	}
	return slices.ContainsFunc(p.Near(), func(m *project.Module) bool {
		return slices.ContainsFunc(m.Sites, func(s *project.Site) bool {
			if s.Func.Class == class {
				return false
			}
			f, ok := s.Node.Func.(*pysrc.Attribute)
			return ok && is(f.Value) && changesWeights[f.Attr] || slices.ContainsFunc(argumentsOf(s.Node), is)
		})
	})
}

// changesWeights are the methods of a model that others use to change its weights.
var changesWeights = setOfNames("parameters", "named_parameters", "requires_grad_", "load_state_dict", "unfreeze", "train", "apply",
	"buffers")
