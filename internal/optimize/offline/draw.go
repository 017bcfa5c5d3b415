package offline

import (
	"fmt"
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// draw is a random choice among a few, which all can be kept.
type draw struct {
	fn      *project.Function
	expr    pysrc.Expr // the whole choice: random.choices(voices)[0]
	options string     // the Python sequence it chooses from
	hoisted bool       // stands in the kept expression itself, and must be made before it
}

func (d draw) contains(s *project.Site) bool {
	b := d.expr.Bounds()
	return s.Module() == d.fn.Module && b.Start <= s.Node.Start && s.Node.End <= b.End
}

// drawsNumber reports a call that gives something else each time it is made: of a generator of random numbers that
// is not seeded in the same function, or of a library that augments.
func drawsNumber(s *project.Site) bool {
	name := s.Calls.Name
	switch {
	case strings.HasSuffix(name, "seed"), strings.HasSuffix(name, ".default_rng"), strings.HasSuffix(name, ".RandomState"),
		strings.HasSuffix(name, "random.Random"), strings.HasSuffix(name, "torch.Generator"),
		strings.HasSuffix(name, "getstate"):
		return false
	case strings.HasPrefix(name, "random."), strings.Contains(name, ".random."), strings.HasPrefix(name, "secrets."), strings.HasPrefix(name, "torch.rand"),
		name == "torch.bernoulli", name == "torch.normal", name == "torch.multinomial":
		made := s.Calls.Made
		return made == nil || made.Func != s.Func || len(made.Node.Args) == 0
	}
	for _, library := range [...]string{"audiomentations.", "torch_audiomentations.", "albumentations.", "nlpaug."} {
		if strings.HasPrefix(name, library) {
			return true
		}
	}
	if s.Calls.Func != nil {
		return false // its own source tells
	}
	return slices.ContainsFunc([]string{"augment", "random", "randint", "specaug", "perturb", "jitter", "shuffle"}, func(word string) bool {
		last := lastName(s.Node.Func)
		return last == word || strings.HasPrefix(last, word+"_") || strings.HasSuffix(last, "_"+word)
	})
}

func lastName(e pysrc.Expr) string {
	switch e := e.(type) {
	case *pysrc.Name:
		return e.ID
	case *pysrc.Attribute:
		return e.Attr
	}
	return ""
}

// drawsInto finds the random choices that decide the inputs of a cut at a level, over the callers too. A choice
// with an unbounded number of outcomes is a reason to cache nothing.
func (w *work) drawsInto(c *cut, i int) ([]draw, string) {
	var list []draw
	take := func(fn *project.Function, sites []*project.Site, hoisted bool) string {
		for _, s := range sites {
			for _, at := range w.drawSites(s) {
				d, ok := choice(at)
				if !ok {
					return fmt.Sprintf("%s draws from an unbounded range, so its result cannot be cached", short(at.Module(), at.Node))
				}
				d.hoisted = hoisted && at.Func == fn && at == s
				if d.hoisted && c.region != nil {
					return fmt.Sprintf("%s is drawn inside the statements to cache", short(at.Module(), at.Node))
				}
				if !slices.ContainsFunc(list, func(o draw) bool { return o.expr == d.expr }) {
					list = append(list, d)
				}
			}
		}
		return ""
	}
	if reason := take(c.fn, sitesIn(c.module(), c.span()), true); reason != "" {
		return nil, reason
	}
	names := c.reads
	before := c.span().Start
	for ; i >= 0; i-- {
		fn := c.way.levels[i].fn
		spans, read := madeOf(fn, names, before)
		for _, span := range spans {
			if reason := take(fn, sitesIn(fn.Module, span), false); reason != "" {
				return nil, reason
			}
			if reason := later(fn, span); reason != "" {
				return nil, reason
			}
		}
		if i == 0 {
			break
		}
		caller, site := c.way.levels[i-1].fn, c.way.levels[i-1].site
		passed := passedFor(site, fn, read)
		names, before = nil, site.Node.Start
		for _, e := range passed {
			if reason := take(caller, sitesIn(caller.Module, e.Bounds()), false); reason != "" {
				return nil, reason
			}
			pysrc.Inspect(e, func(n pysrc.Node) bool {
				if x, ok := n.(*pysrc.Name); ok {
					names = append(names, x.ID)
				}
				return true
			})
		}
	}
	return list, ""
}

// later is why an expression that decides an input gives something else when the program trains, or in a later epoch.
func later(fn *project.Function, span pysrc.Span) string {
	if what := knowsProcess(sitesIn(fn.Module, span)); what != "" {
		return fmt.Sprintf("%s depends on the process it runs in (%s)", fn.Title(), what)
	}
	reason, self := "", selfOf(fn)
	if fn.Def == nil || fn.Class == nil {
		return ""
	}
	pysrc.Inspect(fn.Def, func(n pysrc.Node) bool {
		if a, ok := n.(*pysrc.Attribute); ok && span.Start <= a.Start && a.End <= span.End && isNamed(a.Value, self) {
			if setter := setLater(fn.Class, a.Attr); setter != nil {
				reason = fmt.Sprintf("%s.%s changes when %s is called", self, a.Attr, setter.Title())
			}
		}
		return reason == ""
	})
	return reason
}

// drawSites are the calls that draw when a call is made: itself, or in the project's functions that it runs.
func (w *work) drawSites(s *project.Site) []*project.Site {
	if drawsNumber(s) {
		return []*project.Site{s}
	}
	var list []*project.Site
	for _, f := range w.reached([]*project.Site{s}) {
		for _, inner := range f.Sites {
			if drawsNumber(inner) {
				list = append(list, inner)
			}
		}
	}
	return list
}

// madeOf are the expressions in a function, before an offset, that decide the names: what is assigned to them, and
// the tests that lead there; and all the names that they read.
func madeOf(fn *project.Function, names []string, before int32) (spans []pysrc.Span, read []string) {
	read = slices.Clone(names)
	if fn.Def == nil {
		return nil, read
	}
	add := func(n pysrc.Node) {
		if slices.Contains(spans, n.Bounds()) {
			return
		}
		spans = append(spans, n.Bounds())
		pysrc.Inspect(n, func(x pysrc.Node) bool {
			if v, ok := x.(*pysrc.Name); ok && v.Ctx == pysrc.Load && !slices.Contains(read, v.ID) {
				read = append(read, v.ID)
			}
			return true
		})
	}
	for known := -1; known != len(spans); {
		known = len(spans)
		pysrc.InspectPath(fn.Def, func(n pysrc.Node, path []pysrc.Node) bool {
			target, value := binding(n)
			switch n := n.(type) {
			case *pysrc.For:
				target, value = n.Target, n.Iter
			case *pysrc.ExprStmt: // random.shuffle(words)
				if call, ok := n.Value.(*pysrc.Call); ok && len(call.Args) > 0 && lastName(call.Func) == "shuffle" {
					target, value = call.Args[0], call
				}
			}
			if target == nil || value == nil || n.Bounds().Start >= before {
				return true
			}
			set := stored(target)
			if base, _ := baseOf(asExpr(target)); base != nil {
				set[base.ID] = true // row["text"] = …
			}
			if !slices.ContainsFunc(read, func(name string) bool { return set[name] }) {
				return true
			}
			add(value)
			for _, around := range path {
				if test, ok := around.(*pysrc.If); ok {
					add(test.Test)
				}
			}
			return true
		})
	}
	return spans, read
}

func asExpr(n pysrc.Node) pysrc.Expr {
	e, _ := n.(pysrc.Expr)
	return e
}

// passedFor are the arguments that a call passes for parameters of the function.
func passedFor(site *project.Site, callee *project.Function, params []string) []pysrc.Expr {
	var list []pysrc.Expr
	var all []*pysrc.Arg
	if callee.Params() != nil {
		all = callee.Params().All()
	}
	if callee.Method() && len(all) > 0 {
		all = all[1:]
	}
	for i, a := range site.Node.Args {
		if i >= len(all) || slices.Contains(params, all[i].Name) {
			list = append(list, a)
		}
	}
	for _, k := range site.Node.Keywords {
		if k.Name == "" || slices.Contains(params, k.Name) {
			list = append(list, k.Value)
		}
	}
	return list
}

// intDrawn is what randint of torch, numpy or random draws, and the integers it draws from; ok is false if the call has
// more arguments than that. options is "" for any other randint.
func intDrawn(s *project.Site, parents []pysrc.Node) (expr pysrc.Expr, options string, ok bool) {
	call, args := s.Node, argTexts(s.Module(), s.Node)
	plain := len(call.Keywords) == 0
	switch {
	case strings.HasPrefix(s.Calls.Name, "torch."):
		item, ok := itemOf(parents, call)
		return item, "range(" + strings.Join(args[:max(len(call.Args)-1, 0)], ", ") + ")", ok && len(call.Args) >= 2
	case strings.HasPrefix(s.Calls.Name, "numpy."):
		return call, "range(" + strings.Join(args, ", ") + ")", plain && len(call.Args) > 0 && len(call.Args) < 3
	case len(call.Args) == 2:
		return call, fmt.Sprintf("range(%s, %s + 1)", args[0], args[1]), plain
	}
	return nil, "", false
}

// choice tells what a draw chooses from, where that is a finite sequence that can be written down.
func choice(s *project.Site) (draw, bool) {
	m, call := s.Module(), s.Node
	d := draw{fn: s.Func, expr: call}
	parents := parentsOf(s.Func, call)
	arg := func(i int) string {
		if i < len(call.Args) {
			return text(m, call.Args[i])
		}
		return ""
	}
	plain := len(call.Keywords) == 0
	method := s.Method()
	if method == "" {
		method = lastPart(s.Calls.Name)
	}
	numpy := strings.HasPrefix(s.Calls.Name, "numpy.")
	switch method {
	case "choice":
		d.options = arg(0)
		if numpy && len(call.Args) > 0 {
			if _, isInt := pysrc.IntValue(call.Args[0]); isInt || lastNameIsLen(call.Args[0]) {
				d.options = "range(" + arg(0) + ")"
			}
		}
		return d, d.options != "" && (plain || call.Keyword("size") == nil) && (len(call.Args) == 1 || !numpy)
	case "choices", "sample":
		if sub, ok := last(parents).(*pysrc.Subscript); ok && pysrc.Node(sub.Value) == pysrc.Node(call) {
			d.expr, d.options = sub, arg(0)
			return d, d.options != ""
		}
	case "randrange", "integers":
		d.options = "range(" + strings.Join(argTexts(m, call), ", ") + ")"
		return d, plain && len(call.Args) > 0
	case "randint":
		if expr, options, ok := intDrawn(s, parents); options != "" {
			d.expr, d.options = expr, options
			return d, ok
		}
	}
	if cmp, ok := last(parents).(*pysrc.Compare); ok && len(cmp.Ops) == 1 {
		d.expr, d.options = cmp, "(False, True)"
		return d, true
	}
	return d, false
}

// itemOf is torch.randint(…).item().
func itemOf(parents []pysrc.Node, call *pysrc.Call) (pysrc.Expr, bool) {
	if len(parents) < 2 {
		return call, false
	}
	a, ok := last(parents).(*pysrc.Attribute)
	outer, called := parents[len(parents)-2].(*pysrc.Call)
	if !ok || !called || a.Attr != "item" {
		return call, false
	}
	return outer, true
}

func argTexts(m *project.Module, call *pysrc.Call) []string {
	var list []string
	for _, a := range call.Args {
		list = append(list, text(m, a))
	}
	return list
}

func last(list []pysrc.Node) pysrc.Node {
	if len(list) == 0 {
		return nil
	}
	return list[len(list)-1]
}

func lastPart(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

func lastNameIsLen(e pysrc.Expr) bool {
	c, ok := e.(*pysrc.Call)
	return ok && lastName(c.Func) == "len"
}
