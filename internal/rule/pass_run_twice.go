package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// ownRun is a call of a model in a function, with what it runs.
type ownRun struct {
	site  *project.Site
	model string   // what is called, as the function names it: self.generator, or the model of model.encode(x)
	runs  []passed // what it runs on the caller's arguments: itself, and what it hands all of them on to
}

// passed is a part of a model that a call runs on arguments of the function that is looked at.
type passed struct {
	part string        // self.generator.forward
	on   string        // the arguments, by their places
	via  *project.Site // the call itself, or where the called method hands its arguments on
	fn   *project.Function
}

// commonWith is what two calls both run on the same arguments, as the later call reaches it; nil where there is none.
func (r *ownRun) commonWith(first *ownRun) *passed {
	for i, own := range r.runs {
		if slices.ContainsFunc(first.runs, func(o passed) bool { return o.part == own.part && o.on == own.on }) {
			return &r.runs[i]
		}
	}
	return nil
}

// modelRuns are the calls of models in the functions of this module that steps reach, in the order of the source, of functions that
// call one model more than once.
func (p *SourcePass) modelRuns() map[*project.Function][]*ownRun {
	byModel := map[*project.Function]map[string]int{}
	runs := map[*project.Function][]*ownRun{}
	for _, s := range p.Module.Sites {
		if s.Func.Def == nil || len(s.Node.Args)+len(s.Node.Keywords) == 0 || !p.mayStep(s) {
			continue
		}
		run := p.ownRunOf(s)
		if run == nil {
			continue
		}
		if byModel[s.Func] == nil {
			byModel[s.Func] = map[string]int{}
		}
		byModel[s.Func][run.model]++
		runs[s.Func] = append(runs[s.Func], run)
	}
	for fn, list := range runs {
		list = slices.DeleteFunc(list, func(r *ownRun) bool { return byModel[fn][r.model] < 2 })
		slices.SortFunc(list, func(a, b *ownRun) int { return int(a.site.Node.Start - b.site.Node.Start) })
		for _, r := range list {
			r.follow(p)
		}
		if runs[fn] = list; len(list) < 2 {
			delete(runs, fn)
		}
	}
	return runs
}

// ownRunOf is the call of a model of the project, or of its method, with arguments that have names; nil for others.
func (p *SourcePass) ownRunOf(s *project.Site) *ownRun {
	for _, a := range argumentsOf(s.Node) {
		if p.keyOf(a) == "" {
			if _, number := a.(*pysrc.Constant); !number {
				return nil
			}
		}
	}
	v := s.Calls
	if v.Kind == project.Instance && v.Class != nil && v.Class.Derives("torch.nn.Module") {
		if key := p.keyOf(s.Node.Func); key != "" && v.Class.Method("forward") != nil && !isCriterion(lastName(s.Node.Func)) {
			return &ownRun{site: s, model: key}
		}
		return nil
	}
	a, ok := s.Node.Func.(*pysrc.Attribute)
	if ok && v.Kind == project.Callable && v.Func != nil && v.Func.Class != nil && v.Func.Def != nil && v.Func.Class.Derives("torch.nn.Module") {
		if key := p.keyOf(a.Value); key != "" {
			return &ownRun{site: s, model: key}
		}
	}
	return nil
}

// follow finds what a call runs.
func (r *ownRun) follow(p *SourcePass) {
	fn := r.site.Calls.Func
	if fn == nil {
		fn = r.site.Calls.Class.Method("forward")
	}
	given := map[string]string{}
	for i, param := range fn.Params().All() {
		if i == 0 {
			continue // self
		}
		if e := r.site.Given(fn, param.Name); e != nil {
			given[param.Name] = p.Text(e)
		}
	}
	if args, kwargs := r.site.Node.Unpacks(); args || kwargs {
		return
	}
	r.add(passed{part: r.model + "." + fn.BaseName(), on: argumentText(fn, func(name string) string { return given[name] }), via: r.site, fn: fn}, p, given, 2)
}

// argumentText names what a function is given for each of its parameters.
func argumentText(fn *project.Function, given func(name string) string) string {
	var text strings.Builder
	for i, param := range fn.Params().All() {
		if i > 0 {
			text.WriteString(param.Name + "=" + given(param.Name) + ";")
		}
	}
	return text.String()
}

// add adds what is run, and what that runs in every case on what it was given itself: self.forward(x) of gradient(x).
func (r *ownRun) add(run passed, p *SourcePass, given map[string]string, calls int) {
	r.runs = append(r.runs, run)
	fn := run.fn
	if calls == 0 || fn.Def == nil {
		return
	}
	in := p.In(fn.Module)
	for _, s := range fn.Sites {
		inner := s.Calls.Func
		if s.Calls.Kind == project.Instance && s.Calls.Class != nil {
			inner = s.Calls.Class.Method("forward")
		}
		if inner == nil || inner == fn || inner.Class == nil || inner.Class != fn.Class || inner.Params() == nil || !in.runsBefore(s.Block, fn.Def.End-1) {
			continue
		}
		key := in.keyOf(s.Node.Func)
		if key != "self" && strings.Count(key, ".") != 1 || rootName(s.Node.Func) != "self" {
			continue
		}
		handed, whole := map[string]string{}, len(s.Node.Args)+len(s.Node.Keywords) > 0
		for i, param := range inner.Params().All() {
			e := s.Given(inner, param.Name)
			if i == 0 || e == nil {
				continue
			}
			name, ok := e.(*pysrc.Name)
			whole = whole && ok && given[name.ID] != "" && !storesName(fn.Def, name.ID)
			if whole {
				handed[param.Name] = given[name.ID]
			}
		}
		if args, kwargs := s.Node.Unpacks(); whole && !args && !kwargs {
			via := run.via
			if via == r.site {
				via = s
			}
			on := argumentText(inner, func(name string) string { return handed[name] })
			r.add(passed{part: r.model + "." + inner.BaseName(), on: on, via: via, fn: inner}, p, handed, calls-1)
		}
	}
}

// outsideNoGrad is a call, or the with statement around it that switches gradients off: what stands there runs as often.
func (p *SourcePass) outsideNoGrad(s *project.Site) Node {
	var at Node = s
	p.Module.Around(s.Node.Start, func(owner pysrc.Node) bool {
		switch o := owner.(type) {
		case *pysrc.With:
			if p.withoutGradients(at) {
				at = o.Items[0].Context
			}
		case *pysrc.FunctionDef:
			return false
		}
		return true
	})
	return at
}

// sameRun is an earlier call that has run the same on the same values with the same weights, or nil.
func (p *SourcePass) sameRun(before []*ownRun, again *ownRun) *ownRun {
	for _, first := range slices.Backward(before) {
		if first.model != again.model || !p.runsBefore(first.site.Block, again.site.Node.Start) || p.LoopAround(first.site) != p.LoopAround(again.site) ||
			p.choosesAway(first.site, again.site) {
			continue
		}
		common := again.commonWith(first)
		if common == nil || !p.hasLayers(common.fn) {
			continue
		}
		if p.changedBetween(first.site, again.site) {
			return nil
		}
		updated, other := p.updatedBetween(first.site, again.site, again.model)
		if other || p.drawsInRun(common.fn, !updated) {
			return nil
		}
		return first
	}
	return nil
}

// choosesAway reports a call in a part of an expression that need not run where a later call does: f(x) if chosen else g(f(x)).
func (p *SourcePass) choosesAway(first, again *project.Site) (away bool) {
	from, to := int(first.Node.Start), int(again.Node.Start)
	pysrc.Inspect(p.Module.StatementAt(first.Node.Start), func(n pysrc.Node) bool {
		var parts []pysrc.Expr
		switch n := n.(type) {
		case *pysrc.IfExp:
			parts = []pysrc.Expr{n.Body, n.Orelse}
		case *pysrc.BoolOp:
			parts = n.Values[1:]
		case *pysrc.Lambda:
			parts = []pysrc.Expr{n.Body}
		}
		for _, part := range parts {
			away = away || part.Bounds().Contains(from) && !part.Bounds().Contains(to)
		}
		return !away
	})
	return away
}
