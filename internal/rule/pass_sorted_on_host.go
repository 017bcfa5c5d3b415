package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// sortedOnHost is where an evaluation puts what it has copied to the host in order with NumPy: the best of all scores, where the GPU
// gives them without a copy of the others. It is nil where there is none.
func (p *SourcePass) sortedOnHost(read readBack) *project.Site {
	a, ok := p.Module.StatementAt(read.Node.Start).(*pysrc.Assign)
	if !ok || len(a.Targets) != 1 || !a.Value.Bounds().Contains(int(read.Node.Start)) {
		return nil
	}
	copied, ok := a.Targets[0].(*pysrc.Name)
	if !ok || !p.onlyCopies(a.Value, read.Node) {
		return nil
	}
	at := slices.IndexFunc(read.Func.Sites, func(s *project.Site) bool {
		return s.Node.Start > a.End && sorters[s.Calls.Name] && isNamed(withoutSign(firstArg(s.Node)), copied.ID) && p.LoopAround(s) == p.LoopAround(read)
	})
	if at < 0 {
		return nil
	}
	return read.Func.Sites[at]
}

// sorters are the functions of NumPy that put numbers in order.
var sorters = setOfNames("numpy.argsort", "numpy.argpartition", "numpy.sort", "numpy.partition")

// sortsOnHost reports that place. Nobody looks for a few of few numbers with argpartition.
func (p *SourcePass) sortsOnHost(sort *project.Site, read readBack, because []any) {
	r := p.Report(sort.Node, likely*p.GPU()).Because(because...).Because(p.At(read.Node, "all of it is copied to the host")).
		Saying("%s puts scores in order on the CPU that the GPU has made", p.Short(sort.Node.Func)).
		Advising("Use torch.topk or torch.sort on the GPU, and copy what is left of it.")
	if project.LastOf(sort.Calls.Name) != "argpartition" && project.LastOf(sort.Calls.Name) != "partition" {
		r.Small("a few numbers are soon sorted")
	}
}

// onlyCopies reports an expression in which methods without arguments follow a read: scores.cpu().data.numpy().copy().
func (p *SourcePass) onlyCopies(e pysrc.Expr, read *pysrc.Call) bool {
	for e != pysrc.Expr(read) {
		switch x := e.(type) {
		case *pysrc.Call:
			a, method := x.Func.(*pysrc.Attribute)
			if !method || len(x.Args)+len(x.Keywords) > 0 {
				return false
			}
			e = a.Value
		case *pysrc.Attribute:
			e = x.Value
		default:
			return false
		}
	}
	return true
}

// withoutSign is x of -x.
func withoutSign(e pysrc.Expr) pysrc.Expr {
	if minus, ok := e.(*pysrc.UnaryOp); ok {
		return minus.Operand
	}
	return e
}
