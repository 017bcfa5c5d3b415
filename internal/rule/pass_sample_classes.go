package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// classLoops reports loops of datasets that compare a whole label map once for each class to renumber it.
func (p *SourcePass) classLoops() {
	for _, fn := range p.Module.Functions {
		path, ok := p.CalledForEverySample(fn)
		if !ok || path.Kind != project.DataSet && path.Kind != project.Transform {
			continue
		}
		var said *Report
		for _, loop := range p.outerLoops(fn) {
			compared := p.renumbers(loop)
			if compared == nil || p.Rare(header(loop)) != nil {
				continue
			}
			if said != nil {
				said.Too(p.At(header(loop), "and here"))
				continue
			}
			said = p.Report(header(loop), likely*path.Sure).Because(path).
				Saying("%s is compared whole with each class, for every sample", p.Short(compared)).
				Advising("Store the class numbers, converted once; or look all labels up at once in a table that is made once: table[labels].")
		}
	}
}

// renumbers is the array of which a loop over classes sets the elements of one class at a time: x[x == c] = n; nil for
// any other loop, and for one over fewer than four classes.
func (p *SourcePass) renumbers(loop *pysrc.For) pysrc.Expr {
	if few := elementsOf(without(loop.Iter, "enumerate")); few != nil && len(few) < 4 {
		return nil
	}
	names := targetsOf(loop)
	for _, s := range loop.Body {
		set, ok := s.(*pysrc.Assign)
		if !ok || len(set.Targets) != 1 {
			continue
		}
		part, ok := set.Targets[0].(*pysrc.Subscript)
		if !ok || pysrc.DottedName(part.Value) == "" || mentionsAny(part.Value, names) {
			continue
		}
		if is := p.comparison(part.Slice); is != nil && is.Ops[0] == pysrc.Eq && mentionsAny(is.Comparators[0], names) &&
			!mentionsAny(is.Left, names) {
			return is.Left
		}
	}
	return nil
}

// comparison is the comparison that selects elements: x == c, np.all(x == color, axis=-1), (x == color).all(-1), or a variable for it.
func (p *SourcePass) comparison(e pysrc.Expr) *pysrc.Compare {
	if name, ok := e.(*pysrc.Name); ok {
		if e = p.Module.SaidLast(name); e == nil {
			return nil
		}
	}
	if c, ok := e.(*pysrc.Call); ok {
		if method, ok := c.Func.(*pysrc.Attribute); ok && method.Attr == "all" {
			if is, ok := method.Value.(*pysrc.Compare); ok && len(is.Ops) == 1 {
				return is
			}
		}
	}
	if c, ok := e.(*pysrc.Call); ok && len(c.Args) > 0 {
		if name := p.NameOf(c.Func); name != "numpy.all" && name != "numpy.where" && name != "torch.where" {
			return nil
		}
		e = c.Args[0]
	}
	is, ok := e.(*pysrc.Compare)
	if !ok || len(is.Ops) != 1 {
		return nil
	}
	return is
}
