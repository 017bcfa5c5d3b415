package offline

import (
	"slices"

	"saturate/internal/finding"
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// folder is the cut of a dataset of torchvision that decodes images itself, or nil: the runtime takes its loader and
// the first transforms of its Compose.
func (w *work) folder(f finding.Finding) *cut {
	if kindOf(f.Code) != images {
		return nil
	}
	site := w.siteOf(f)
	if site == nil || site.Module().Notebook || site.Module().Encoded {
		return nil
	}
	at := slices.IndexFunc(site.Possible(), func(v project.Value) bool {
		return v.Name == "torchvision.datasets.ImageFolder" || v.Name == "torchvision.datasets.ImageNet" ||
			v.Class != nil && v.Class.Derives("torchvision.datasets.ImageFolder")
	})
	if at < 0 {
		return nil
	}
	l := []level{{site.Func, site}}
	return &cut{
		kind: images, way: &way{finding: f, kind: images, levels: l, root: project.DataSet},
		findings: []finding.Finding{f}, fn: site.Func, expr: site.Node, folder: true,
	}
}

// transform finds the one call that an image is given to before anything else is done with it: self.transform(image).
// If that is a Compose at run time, its first parts are kept with the image as long as they draw nothing.
func (w *work) transform(c *cut) {
	if c.region != nil || c.fn.Def == nil {
		return
	}
	parents := parentsOf(c.fn, c.expr)
	var use *pysrc.Call
	switch p := parentAt(parents, len(parents)-1).(type) {
	case *pysrc.Call:
		use = p
	case *pysrc.Assign:
		if name, ok := p.Targets[0].(*pysrc.Name); ok && len(p.Targets) == 1 {
			use = w.onlyUse(c, name.ID)
		}
	}
	if use == nil || len(use.Args) != 1 || len(use.Keywords) > 0 || !w.mayCompose(c, use) {
		return
	}
	c.applies = use
}

// onlyUse is the call that reads a name first after a cut, where every other use of it comes later.
func (w *work) onlyUse(c *cut, name string) *pysrc.Call {
	var first *pysrc.Name
	pysrc.Inspect(c.fn.Def, func(n pysrc.Node) bool {
		if x, ok := n.(*pysrc.Name); ok && x.ID == name && x.Ctx == pysrc.Load && x.Start >= c.span().End && (first == nil || x.Start < first.Start) {
			first = x
		}
		return true
	})
	if first == nil {
		return nil
	}
	parents := parentsOf(c.fn, first)
	call, ok := parentAt(parents, len(parents)-1).(*pysrc.Call)
	if !ok || len(call.Args) != 1 || call.Args[0] != pysrc.Expr(first) {
		return nil
	}
	// The result takes the image's place, or leaves the function: otherwise both the image and the result are used.
	switch s := parentAt(parents, len(parents)-2).(type) {
	case *pysrc.Assign:
		if target, ok := s.Targets[0].(*pysrc.Name); ok && len(s.Targets) == 1 && (target.ID == name || !loadedAfter(c.fn, name, s.End)) {
			return call
		}
	default:
		if !loadedAfter(c.fn, name, call.End) {
			return call
		}
	}
	return nil
}

// mayCompose reports an attribute of self that the function does not set, and that is not a function of the project.
func (w *work) mayCompose(c *cut, use *pysrc.Call) bool {
	attribute, ok := use.Func.(*pysrc.Attribute)
	if !ok || !isNamed(attribute.Value, selfOf(c.fn)) || selfOf(c.fn) == "" || c.fn.Class == nil || c.fn.Class.Method(attribute.Attr) != nil {
		return false
	}
	set := false
	pysrc.Inspect(c.fn.Def, func(n pysrc.Node) bool {
		a, ok := n.(*pysrc.Attribute)
		set = set || ok && a.Attr == attribute.Attr && a.Ctx != pysrc.Load
		return !set
	})
	return !set
}
