package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// setOnHost reports an attribute of some object, graph.features, that all assignments of the project fill on the host: a sample
// that is held as an object with tensors in it.
func (p *SourcePass) setOnHost(e pysrc.Expr) bool {
	a, ok := e.(*pysrc.Attribute)
	if !ok || p.Project.Unused(p.Module, e.Bounds().Start) || p.Eval(e).Kind == project.Callable {
		return false
	}
	if _, plain := a.Value.(*pysrc.Name); !plain || p.Function(e).Self() == rootName(a) {
		return false
	}
	found := false
	for _, set := range p.Project.AssignmentsTo(a.Attr) {
		if set.Module.Role == project.Test {
			continue
		}
		there := p.In(set.Module)
		switch {
		case there.isFiller(set.Value) && !set.Augmented:
		case !set.Augmented && there.filledOnHost(set.Value, 0):
			found = true
		default:
			return false
		}
	}
	return found
}

// isFiller reports what an attribute holds before it gets its value: None, a number, an empty list.
func (p *SourcePass) isFiller(e pysrc.Expr) bool {
	switch x := e.(type) {
	case *pysrc.Constant:
		return true
	case *pysrc.List:
		return len(x.Elts) == 0
	}
	return false
}

// sparseOnHost is a sparse matrix whose numbers the host has made: torch.sparse.FloatTensor(index, torch.ones(n), size). It is nil
// for anything else.
func (p *SourcePass) sparseOnHost(made *pysrc.Call, name string) pysrc.Expr {
	switch name {
	case "sparse.FloatTensor", "sparse.LongTensor", "sparse.DoubleTensor", "sparse_coo_tensor", "sparse_csr_tensor":
	default:
		return nil
	}
	if len(made.Args) < 2 || made.Keyword("device") != nil {
		return nil
	}
	numbers := made.Args[len(made.Args)-1]
	for _, a := range made.Args {
		if p.OnDevice(a) > 0 {
			return nil
		}
		if p.filledOnHost(a, 0) {
			numbers = a
		}
	}
	if !p.filledOnHost(numbers, 0) {
		return nil
	}
	return made
}
