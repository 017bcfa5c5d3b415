package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// drawFromAll finds draws of a few that go through all there are.
var drawFromAll = Rule{
	Code: "SAT137", Name: "draw-from-all", Severity: Warning, Subject: AboutLoading,
	Areas: []Area{DataArea, WorkersArea, HostArea},
	Title: "a few are drawn, and all there are pass through memory for it",
	What: "np.random.choice(n, k, replace=False), torch.randperm(n)[:k] or np.random.permutation(n)[:k] on the CPU in every " +
		"training step or for every sample, and random.choice(list(d)), random.sample(list(d), k) or np.random.choice(d) of a " +
		"list, a dict or a set that an object keeps. Also len(list(loader)), which loads every batch again to count them.",
	Why: "numpy.random.choice without replacement shuffles all n numbers and keeps k of them; torch.randperm does so, too. A list " +
		"is copied, or turned into an array, for each draw.",
	Fine: "A few thousand to draw from. Draws with weights.",
	Advice: "Draw with a Generator: rng = np.random.default_rng(), made once, and rng.choice(n, k, replace=False), which touches k " +
		"numbers. Make a list of a dict's keys once, and draw indices into it.",
	Gain: Range{1, 1.3, "1024 of 160,000: 2.1 ms by np.random.choice, 1.2 ms by torch.randperm, 0.02 ms by a Generator"},
	Bad:  "for step in range(steps):\n    rays = np.random.choice(height * width, 1024, replace=False)",
	Good: "rng = np.random.default_rng()\nfor step in range(steps):\n    rays = rng.choice(height * width, 1024, replace=False)",
	Source: func(p *SourcePass) {
		p.countedBatches()
		for _, d := range p.drawsFromAll() {
			way, ok := p.EachStep(d.call)
			if !ok {
				way, ok = p.EverySample(d.call)
			}
			if !ok {
				continue
			}
			many := p.howMany(d.from, way, 0)
			if many == few || many == unknownCount && d.copies {
				continue
			}
			r := p.Report(d.call, likely*way.Sure).Because(way)
			switch {
			case d.copies:
				r.Saying("all of %s are copied for each draw", p.Short(d.from))
			default:
				r.Saying("%s puts all there are in a random order, and a few are taken", p.Short(d.call))
			}
			if many == unknownCount {
				r.Small("how long it takes depends on how many there are to draw from")
			}
		}
	},
}

// drawOfFew is a draw that goes through all that it draws from.
type drawOfFew struct {
	call   Call
	from   pysrc.Expr
	copies bool // it makes a list or an array of them first
}

func (p *SourcePass) drawsFromAll() (list []drawOfFew) {
	for _, c := range p.CallsTo("numpy.random.choice", "numpy.random.RandomState.choice") {
		if len(c.Node.Args) == 0 || c.Node.Keyword("p") != nil || len(c.Node.Args) > 3 {
			continue
		}
		from, k, replace := c.Node.Args[0], argument(c.Node, 1, "size"), argument(c.Node, 2, "replace")
		switch {
		case copied(from) != nil:
			list = append(list, drawOfFew{c, copied(from), true})
		case replace != nil && !p.Eval(replace).IsTrue() && k != nil && p.Text(k) != p.Text(from):
			list = append(list, drawOfFew{c, from, false})
		}
	}
	for _, c := range p.CallsTo("random.choice", "random.sample", "random.choices") {
		if len(c.Node.Args) > 0 && copied(c.Node.Args[0]) != nil {
			list = append(list, drawOfFew{c, copied(c.Node.Args[0]), true})
		}
	}
	for _, c := range p.CallsTo("torch.randperm", "numpy.random.permutation") {
		if len(c.Node.Args) > 0 && c.Node.Keyword("device") == nil && p.isCutOff(c.Node) && !p.createsOnGPU(project.Path{}) {
			list = append(list, drawOfFew{c, c.Node.Args[0], false})
		}
	}
	return list
}

// argument returns an argument that is passed by position or by keyword, or nil.
func argument(c *pysrc.Call, at int, name string) pysrc.Expr {
	if at < len(c.Args) {
		return c.Args[at]
	}
	if k := c.Keyword(name); k != nil {
		return k.Value
	}
	return nil
}

// copied returns d of list(d), sorted(d) and list(d.keys()), or nil.
func copied(e pysrc.Expr) pysrc.Expr {
	c, ok := e.(*pysrc.Call)
	if !ok || len(c.Args) != 1 || len(c.Keywords) > 0 {
		return nil
	}
	switch pysrc.DottedName(c.Func) {
	case "list", "sorted", "tuple":
		return keptBy(c.Args[0])
	}
	return nil
}

// keptBy returns d of d.keys() and its like, and anything else as it is.
func keptBy(e pysrc.Expr) pysrc.Expr {
	if c, ok := e.(*pysrc.Call); ok && len(c.Args) == 0 {
		if a, ok := c.Func.(*pysrc.Attribute); ok && (a.Attr == "keys" || a.Attr == "values" || a.Attr == "items") {
			return a.Value
		}
	}
	return e
}

// isCutOff reports a call of whose result only the first few are taken: torch.randperm(n)[:k].
func (p *SourcePass) isCutOff(c *pysrc.Call) (found bool) {
	fn := p.Function(c)
	if fn.Def == nil {
		return false
	}
	p.Inspect(fn.Def, func(n pysrc.Node) bool {
		if s, ok := n.(*pysrc.Subscript); ok && s.Value == pysrc.Expr(c) {
			cut, ok := s.Slice.(*pysrc.Slice)
			found = ok && cut.Lower == nil && cut.Upper != nil && !p.leavesFew(c, cut.Upper)
		}
		return !found
	})
	return found
}

// leavesFew reports the end of a slice that leaves out a few of all: torch.randperm(n)[: n - dropped].
func (p *SourcePass) leavesFew(c *pysrc.Call, end pysrc.Expr) bool {
	less, ok := end.(*pysrc.BinOp)
	return ok && less.Op == pysrc.Sub && len(c.Args) > 0 && p.Text(less.Left) == p.Text(c.Args[0])
}
