package offline

import (
	"fmt"
	"slices"
	"strings"

	"saturate/internal/finding"
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// cut is one value that is kept: that of an expression, or what a run of statements leaves behind.
type cut struct {
	kind     kind
	way      *way
	findings []finding.Finding
	fn       *project.Function
	expr     pysrc.Expr          // nil when statements are kept
	region   *region             // nil when an expression is kept
	inputs   []string            // Python expressions that decide the value
	reads    []string            // local names among them
	locals   []pysrc.Expr        // what of these is read
	rows     []string            // variables that hold a whole batch, whose rows are kept one by one
	draws    []draw              // random choices that lead to it
	funcs    []*project.Function // the project's functions that make it
	code     []string            // names of library calls in it
	rate     string              // Python expression for samples a second, where one is in sight
	copy     bool                // a file that it gives is removed later
	inner    bool                // stands within another cut that is kept too
	folder   bool                // the expression is a dataset of torchvision that reads images itself
	applies  *pysrc.Call         // what transforms the image; its first parts may be kept with it
}

func (c *cut) module() *project.Module { return c.fn.Module }

func (c *cut) span() pysrc.Span {
	if c.region != nil {
		return c.region.span()
	}
	return c.expr.Bounds()
}

// within reports whether a cut keeps another's value, or is the same.
func (c *cut) within(other *cut) bool {
	a, b := c.span(), other.span()
	return c.module() == other.module() && (a == b || c.kind != features && b.Start <= a.Start && a.End <= b.End)
}

// cut finds the outermost place on the way where the value can be kept: there the most work is saved. It goes further
// in where something random would be kept with it, and where the value would be known by its place in a list only.
func (w *work) cut(way *way) (*cut, string) {
	var second *cut
	var reasons []string
	for i := range way.levels {
		c, byPlace, reason := w.cutAt(way, i)
		switch {
		case reason != "":
			reasons = append(reasons, reason)
		case byPlace && i+1 < len(way.levels):
			if second == nil {
				second = c
			}
		default:
			return c, ""
		}
	}
	if second != nil {
		return second, ""
	}
	return nil, reasons[len(reasons)-1]
}

// deepest is how many calls may lie between what is kept and the call that was found.
const deepest = 4

// trains reports whether a call is made in the training step or the model too.
func (w *work) trains(s *project.Site) bool {
	_, hot := w.project.Hot(s.Module(), s)
	return hot
}

// cutAt tries one level. byPlace tells that the value depends on a whole list and a place in it.
func (w *work) cutAt(way *way, i int) (c *cut, byPlace bool, reason string) {
	fn, site := way.levels[i].fn, way.levels[i].site
	var next *project.Function
	if i+1 < len(way.levels) {
		next = way.levels[i+1].fn
	}
	switch {
	case fn.Def == nil && fn.Lambda == nil:
		return nil, false, "it runs at the top level of " + fn.Module.Path
	case len(way.levels)-1-i > deepest:
		return nil, false, fmt.Sprintf("%s does more than this", fn.Title())
	case w.trains(site):
		return nil, false, fmt.Sprintf("%s runs in the training step too, where gradients go through it", fn.Title())
	case fn.Def != nil && fn.Def.Async:
		return nil, false, fmt.Sprintf("%s is async, so its result cannot be cached there", fn.Title())
	}
	parents := parentsOf(fn, site.Node)
	expr := w.climb(fn, site.Node, parents)
	if next != nil && next.Def != nil && next.Def.Async && expr == pysrc.Expr(site.Node) {
		return nil, false, fmt.Sprintf("%s returns a coroutine there, not a value", next.Name)
	}
	if next != nil && next.Def != nil && next.IsGenerator() && expr == pysrc.Expr(site.Node) {
		return nil, false, fmt.Sprintf("%s is a generator, so its values cannot be cached together", next.Title())
	}
	c = &cut{kind: way.kind, way: way, findings: []finding.Finding{way.finding}, fn: fn, expr: expr}
	if w.noValue(fn, expr, next) {
		if c.region, reason = w.regionOf(fn, site.Node, c.kind); reason != "" {
			return nil, false, reason
		}
		c.expr = nil
	}
	byPlace, reason = w.complete(c, i, next)
	return c, byPlace, reason
}

// varies says why a function does not return the same each time, or "".
func varies(f *project.Function) string {
	for _, s := range f.Sites {
		if drawsNumber(s) {
			return fmt.Sprintf("%s draws random numbers (%s), which training still needs", f.Title(), short(f.Module, s.Node))
		}
	}
	if what := changesState(f); what != "" {
		return fmt.Sprintf("%s changes %s each time it runs", f.Title(), what)
	}
	if what := knowsProcess(f.Sites); what != "" {
		return fmt.Sprintf("%s depends on the process it runs in (%s)", f.Title(), what)
	}
	return ""
}

// complete works out what a cut depends on, and whether it may be kept at all.
func (w *work) complete(c *cut, i int, next *project.Function) (byPlace bool, reason string) {
	m, span := c.module(), c.span()
	if held := forbidden(c); held != "" {
		return false, fmt.Sprintf("%s holds %s", c.title(), held)
	}
	sites := sitesIn(m, span)
	c.funcs = w.reached(sites, append(w.properties(c.fn, c.nodes()), next)...)
	c.code = nil
	for _, s := range sites {
		c.code = append(c.code, s.Calls.Name)
	}
	for _, f := range c.funcs {
		for _, s := range f.Sites {
			c.code = append(c.code, s.Calls.Name)
		}
		if reason := varies(f); reason != "" {
			return false, reason
		}
	}
	if what := changedBy(c.fn, c.nodes()); what != "" {
		return false, fmt.Sprintf("%s changes %s each time it runs", c.fn.Title(), what)
	}
	if what := knowsProcess(sites); what != "" {
		return false, fmt.Sprintf("%s depends on the process it runs in (%s)", c.fn.Title(), what)
	}
	in := w.inputsOf(c)
	if in.reason != "" {
		return false, in.reason
	}
	c.inputs, c.reads, c.locals = in.list, in.names, in.locals
	if c.fn.Def != nil {
		what := changedBy(c.fn, bodyOf(c.fn))
		if i := slices.IndexFunc(c.inputs, func(input string) bool { return what != "" && (input == what || strings.HasPrefix(input, what+"[")) }); i >= 0 {
			return false, fmt.Sprintf("%s differs each time", c.inputs[i])
		}
	}
	draws, reason := w.drawsInto(c, i)
	if reason != "" {
		return false, reason
	}
	c.draws = draws
	for _, s := range sites {
		if drawsNumber(s) && !slices.ContainsFunc(draws, func(d draw) bool { return d.contains(s) }) {
			return false, fmt.Sprintf("%s is drawn again for every sample", short(m, s.Node))
		}
	}
	c.rate = w.rateOf(c)
	for _, l := range c.way.levels[:i+1] {
		c.copy = c.copy || c.region == nil && slices.ContainsFunc(l.fn.Sites, removesFile)
	}
	return in.byPlace, ""
}

// nodes are what is kept: an expression, or statements.
func (c *cut) nodes() []pysrc.Node {
	if c.region == nil {
		return []pysrc.Node{c.expr}
	}
	var list []pysrc.Node
	for _, s := range c.region.statements() {
		list = append(list, s)
	}
	return list
}

// forbidden names what cannot stand in a function of its own.
func forbidden(c *cut) string {
	found := ""
	for _, root := range c.nodes() {
		pysrc.InspectPath(root, func(n pysrc.Node, path []pysrc.Node) bool {
			looped := slices.ContainsFunc(path, func(p pysrc.Node) bool {
				switch p.(type) {
				case *pysrc.For, *pysrc.While:
					return true
				}
				return false
			})
			switch n := n.(type) {
			case *pysrc.FunctionDef, *pysrc.Lambda, *pysrc.ClassDef:
				return false
			case *pysrc.Yield, *pysrc.YieldFrom:
				found = "a yield"
			case *pysrc.Await:
				found = "an await"
			case *pysrc.NamedExpr:
				if c.region == nil {
					found = "a := that other code reads"
				}
			case *pysrc.Return:
				if c.region == nil || !c.region.returns || n.End != c.span().End {
					found = "a return"
				}
			case *pysrc.Break, *pysrc.Continue:
				if !looped {
					found = "a jump"
				}
			case *pysrc.Global, *pysrc.Nonlocal, *pysrc.Delete:
				found = "a global, nonlocal or del statement"
			case *pysrc.BadStmt:
				found = "a syntax error"
			}
			return found == ""
		})
	}
	return found
}
