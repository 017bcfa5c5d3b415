package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// normsListed reports norms of gradients that a comprehension computes one by one and that stay on the GPU:
// torch.norm(torch.stack([torch.norm(p.grad, 2) for p in parameters]), 2).
func (p *SourcePass) normsListed() {
	if !p.Module.InStep() {
		return
	}
	for _, c := range p.CallsTo("torch.stack", "torch.cat", "torch.tensor", "sum") {
		list, ok := turnsOf(firstArg(c.Node))
		if !ok || list.loop != nil || !p.gradientNorm(list) || p.pointedAt(c.Node.Span) || p.insideReport(c.Node) {
			continue
		}
		stmt := p.Module.StatementAt(c.Node.Start)
		way, each := p.eachUpdate(stmt)
		if !each {
			continue
		}
		r := p.Report(c, likely*way.Sure).Because(way).AnyVersion()
		if p.nothingReads(stmt, 0) {
			r.Saying("the norm of the gradients is computed one tensor at a time in every step, and nothing reads it").
				Advising("Leave it out, or compute it by torch.nn.utils.get_total_norm in the steps that log it.")
			continue
		}
		r.Saying("the norm of the gradients is computed one tensor at a time in every step").
			Advising("Use what torch.nn.utils.clip_grad_norm_ returns: the norm of all gradients, from a few kernels. max_norm=float(\"inf\") only measures.")
	}
}

// gradientNorm reports a norm of the gradient of each weight, or of each gradient of a list, that no turn reads back.
func (p *SourcePass) gradientNorm(list turns) bool {
	each := list.body[0].(pysrc.Expr)
	if readsEach(each) {
		return false
	}
	last := len(list.iter) - 1
	if isNormOf(each, namesStored(list.target[last]), "grad") {
		return true
	}
	name, ok := list.iter[last].(*pysrc.Name)
	if !ok {
		return false
	}
	said := p.Module.SaidLast(name)
	if said == nil {
		return false
	}
	picked, ok := turnsOf(said)
	if !ok || picked.loop != nil {
		return false
	}
	gradient, ok := picked.body[0].(*pysrc.Attribute)
	return ok && gradient.Attr == "grad" && mentionsAny(each, namesStored(list.target[last])) && isNormOf(each, nil, "")
}

// readsEach reports an expression that brings a number to the host.
func readsEach(e pysrc.Expr) bool {
	return slices.ContainsFunc([]string{"item", "float", "tolist", "cpu", "numpy"}, func(name string) bool { return callsNamed(e, name) })
}

// insideReport reports an expression within what the rules of this file have named, or around it.
func (p *SourcePass) insideReport(n pysrc.Node) bool {
	return slices.ContainsFunc(p.said(&gradientNormSync).reports, func(r *Report) bool {
		return r.span.Contains(int(n.Bounds().Start)) || n.Bounds().Contains(int(r.span.Start))
	})
}

// nothingReads reports an assignment, or a return, whose value no caller reads either.
func (p *SourcePass) nothingReads(stmt pysrc.Stmt, depth int) bool {
	switch s := stmt.(type) {
	case *pysrc.ExprStmt:
		return true
	case *pysrc.Return:
		return p.resultUnread(p.Function(s), depth)
	case *pysrc.Assign:
		name, ok := s.Targets[0].(*pysrc.Name)
		fn := p.Function(s)
		if !ok || len(s.Targets) != 1 || fn.Def == nil {
			return false
		}
		returned, other := false, false
		p.Inspect(fn.Def, func(n pysrc.Node) bool {
			if r, ok := n.(*pysrc.Return); ok && r.Value != nil && isNamed(r.Value, name.ID) {
				returned = true
				return false
			}
			x, ok := n.(*pysrc.Name)
			other = other || ok && x.ID == name.ID && x.Ctx == pysrc.Load
			return true
		})
		return !other && (!returned || p.resultUnread(fn, depth))
	}
	return false
}

// resultUnread reports a function whose result no caller reads.
func (p *SourcePass) resultUnread(fn *project.Function, depth int) bool {
	callers := p.Project.Callers(fn)
	return depth < mostReturns && len(callers) > 0 && !slices.ContainsFunc(callers, func(s *project.Site) bool {
		in := p.In(s.Module())
		stmt := in.Module.StatementAt(s.Node.Start)
		var value pysrc.Expr
		switch x := stmt.(type) {
		case *pysrc.ExprStmt:
			value = x.Value
		case *pysrc.Assign:
			value = x.Value
		case *pysrc.Return:
			value = x.Value
		}
		return value != pysrc.Expr(s.Node) || !in.nothingReads(stmt, depth+1)
	})
}
