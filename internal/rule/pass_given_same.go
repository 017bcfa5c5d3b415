package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// ConstantArguments reports whether every argument of a call is the same each time the path comes to it: Constant in its
// function, or a parameter for which every call of the path passes a constant. Where one reads an attribute of the
// object, the path must come to the same object each time.
func (p *SourcePass) ConstantArguments(path project.Path, c Call) bool {
	for _, a := range argumentsOf(c.Node) {
		if !p.constantOnPath(path, len(path.Calls), c, a) {
			return false
		}
	}
	return true
}

// constantOnPath reports an expression in the function of a call that the first calls of a path lead to.
func (p *SourcePass) constantOnPath(path project.Path, calls int, c Call, e pysrc.Expr) bool {
	if !p.Constant(e) {
		same := p.sameGiven(path, calls, c.Func)
		if len(same) == 0 || !p.constant(e, same, 0) {
			return false
		}
	}
	return !mentions(e, c.Func.Self()) || p.sameObject(project.Path{Calls: path.Calls[:calls]}, c)
}

// sameGiven are the parameters of a function for which the path passes the same each time, or that it leaves out.
func (p *SourcePass) sameGiven(path project.Path, calls int, fn *project.Function) map[string]bool {
	if calls == 0 || fn.Def == nil {
		return nil
	}
	site := path.Calls[calls-1]
	if site.Calls.Func != fn || project.HidesArguments(site.Node) {
		return nil
	}
	from := p.In(site.Module())
	same := map[string]bool{}
	for _, a := range fn.Def.Args.All() {
		given := site.Given(fn, a.Name)
		if given == nil {
			given = site.Node.KeywordValue(a.Name)
		}
		if given == nil && fn.HasDefault(a.Name) || given != nil && from.constantOnPath(path, calls-1, Call{site, from}, given) {
			same[a.Name] = true
		}
	}
	return same
}
