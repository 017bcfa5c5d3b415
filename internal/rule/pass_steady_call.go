package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// steadyCalls reports functions of the project that a training loop calls in every step with what it never changes, and that go
// through data to compute tensors: the mean and spread of a dataset, the weights of its classes.
func (p *SourcePass) steadyCalls() {
	if p.jaxOnly() {
		return
	}
	for _, loop := range p.TrainingLoops() {
		for _, stmt := range loop.Body() {
			a, ok := stmt.(*pysrc.Assign)
			if !ok {
				continue
			}
			c, ok := movedFrom(a.Value).(*pysrc.Call)
			if !ok || len(c.Args) == 0 || len(c.Keywords) > 0 || slices.ContainsFunc(c.Args, func(e pysrc.Expr) bool { return !p.staysInLoop(loop, c, e) }) {
				continue
			}
			fn := p.Eval(c.Func).Func
			if fn == nil || fn.Def == nil || fn.Class != nil || !p.In(fn.Module).sumsUpData(fn) {
				continue
			}
			if way, ok := p.EachStep(c); ok {
				p.Report(c, likely*way.Sure).Because(way, fn).Saying("%s computes the same in every step", p.Short(c.Func)).
					Advising("Call it once, before the training loop.")
			}
		}
	}
}

// movedFrom is x of x.to(device), x.cuda() and x.float(), or the expression itself.
func movedFrom(e pysrc.Expr) pysrc.Expr {
	for {
		c, ok := e.(*pysrc.Call)
		if !ok {
			return e
		}
		f, ok := c.Func.(*pysrc.Attribute)
		if !ok || f.Attr != "to" && f.Attr != "cuda" && f.Attr != "float" {
			return e
		}
		e = f.Value
	}
}

// staysInLoop reports an argument of a call that a loop does not change: a number, a device, or a variable from before the loop that
// nothing else in the loop names.
func (p *SourcePass) staysInLoop(loop *project.Loop, c *pysrc.Call, e pysrc.Expr) bool {
	if v := p.Eval(e); v.Kind == project.Literal || p.deviceArgument(e) {
		return true
	} else if v.IsInstance("torch.nn.Module", "torch.optim.Optimizer", "torch.utils.data.DataLoader") || v.Unknown() {
		return false
	}
	name, ok := e.(*pysrc.Name)
	if !ok {
		return false
	}
	elsewhere := false
	pysrc.Inspect(loop.Stmt, func(n pysrc.Node) bool {
		x, ok := n.(*pysrc.Name)
		elsewhere = elsewhere || ok && x.ID == name.ID && !c.Span.Contains(int(x.Start))
		return !elsewhere
	})
	return !elsewhere
}

// sumsUpData reports a function that goes through data to return tensors or arrays, and does nothing else.
func (p *SourcePass) sumsUpData(fn *project.Function) bool {
	if fn.IsGenerator() || changesSomething(fn) || drawsAny(fn) || len(fn.Returns()) == 0 || slices.ContainsFunc(fn.Sites, func(s *project.Site) bool {
		library, _, _ := strings.Cut(s.Calls.Name, ".")
		return library == "time" || library == "os" || library == "next" || library == "open"
	}) {
		return false
	}
	computed := func(e pysrc.Expr) bool {
		c, ok := p.onceSaid(e).(*pysrc.Call)
		return ok && (strings.HasPrefix(p.NameOf(c.Func), "torch.") || strings.HasPrefix(p.NameOf(c.Func), "numpy."))
	}
	for _, r := range fn.Returns() {
		if parts := elementsOf(r); len(parts) > 0 && slices.ContainsFunc(parts, func(e pysrc.Expr) bool { return !computed(e) }) || len(parts) == 0 && !computed(r) {
			return false
		}
	}
	through := false
	p.Inspect(fn.Def, func(n pysrc.Node) bool {
		switch x := n.(type) {
		case *pysrc.ListComp:
			through = through || fn.HasParameter(rootName(x.Generators[0].Iter))
		case *pysrc.GeneratorExp:
			through = through || fn.HasParameter(rootName(x.Generators[0].Iter))
		case *pysrc.For:
			through = through || fn.HasParameter(rootName(x.Iter))
		}
		return !through
	})
	return through
}
