package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// randomCropOf follows what a call on the path of a sample loads, through the functions that it is returned to, handed to
// and batched by, to where a window with a random start is cut out of it. It is nil where there is none, or where
// something needs all of it before.
func (p *SourcePass) randomCropOf(call Call, path project.Path) *project.Step {
	site := call.Site
	for i := len(path.Calls); ; i-- {
		if site.Func.Def == nil {
			return nil
		}
		flow := flowOf(site.Func, targetsAt(site))
		step, whole := p.cropIn(flow, 0)
		if step != nil || whole {
			return step
		}
		if !flow.returned && !isReturned(site) {
			return nil
		}
		if i == 0 {
			return p.cropInCollate(site.Func)
		}
		site = path.Calls[i-1]
	}
}

// dataFlow is a function with the variables of it that hold what was loaded, and whether it returns one of them.
type dataFlow struct {
	fn       *project.Function
	names    map[string]bool
	returned bool
}

// targetsAt are the variables that the statement of a call sets.
func targetsAt(s *project.Site) map[string]bool {
	names := map[string]bool{}
	targets, _ := assigned(s.Module().StatementAt(s.Node.Start))
	for _, t := range targets {
		addStored(t, names)
	}
	return names
}

func addStored(target pysrc.Expr, names map[string]bool) {
	pysrc.Inspect(target, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Subscript:
			if root := rootName(n.Value); root != "" && root != "self" {
				names[root] = true
			}
			return false
		case *pysrc.Attribute:
			return false
		case *pysrc.Name:
			names[n.ID] = true
		}
		return true
	})
}

// isReturned reports a call in a return statement.
func isReturned(s *project.Site) bool {
	_, ok := s.Module().StatementAt(s.Node.Start).(*pysrc.Return)
	return ok
}

// flowOf follows variables through the assignments of a function.
func flowOf(fn *project.Function, names map[string]bool) dataFlow {
	flow := dataFlow{fn: fn, names: names}
	for known := -1; known != len(names); {
		known = len(names)
		pysrc.Inspect(fn.Def, func(n pysrc.Node) bool {
			targets, value := assigned(n)
			if e, ok := value.(pysrc.Expr); ok && mentionsAny(e, names) && !asksSize(e) {
				for _, t := range targets {
					addStored(t, names)
				}
			}
			if r, ok := n.(*pysrc.Return); ok && r.Value != nil && mentionsAny(r.Value, names) {
				flow.returned = true
			}
			return true
		})
	}
	return flow
}

// cropIn finds a window with a random start that is cut out of what flows through a function, and tells whether
// something before it needs the whole.
func (p *SourcePass) cropIn(flow dataFlow, depth int) (crop *project.Step, whole bool) {
	in := p.In(flow.fn.Module)
	var first *pysrc.Subscript
	pysrc.Inspect(flow.fn.Def, func(n pysrc.Node) bool {
		s, ok := n.(*pysrc.Subscript)
		if ok && first == nil && s.Ctx == pysrc.Load && flow.names[rootName(s.Value)] && p.randomWindow(flow.fn, s) {
			first = s
		}
		return first == nil
	})
	for _, s := range flow.fn.Sites {
		if first != nil && s.Node.Start > first.Start || !slices.ContainsFunc(argumentsOf(s.Node), func(a pysrc.Expr) bool { return mentionsAny(a, flow.names) && !asksSize(a) }) {
			continue
		}
		if f := s.Calls.Func; f != nil && s.Calls.Kind == project.Callable && f.Def != nil && f != flow.fn && depth < 2 {
			step, needs := p.cropIn(flowOf(f, receivedBy(s, f, flow.names)), depth+1)
			if step != nil || needs {
				return step, needs
			}
			continue
		}
		if takesLong(s) || needsWhole[lastName(s.Node.Func)] {
			return nil, true
		}
	}
	if first == nil {
		return nil, false
	}
	step := in.At(first, "only this part of it is used")
	return &step, false
}

// needsWhole are functions whose result depends on all of a recording.
var needsWhole = setOfNames("max", "mean", "std", "normalize", "trim", "split", "resample", "lfilter", "stft", "sum", "norm", "peak_normalize")

// receivedBy are the parameters of a function that get one of the variables.
func receivedBy(s *project.Site, callee *project.Function, names map[string]bool) map[string]bool {
	received := map[string]bool{}
	params := callee.Params().All()
	if callee.Method() && len(params) > 0 {
		params = params[1:]
	}
	for i, a := range s.Node.Args {
		if i < len(params) && mentionsAny(a, names) {
			received[params[i].Name] = true
		}
	}
	for _, k := range s.Node.Keywords {
		if k.Name != "" && mentionsAny(k.Value, names) {
			received[k.Name] = true
		}
	}
	return received
}

// randomWindow reports x[…, start:end] whose bounds depend on something that the function draws.
func (p *SourcePass) randomWindow(fn *project.Function, s *pysrc.Subscript) bool {
	parts := []pysrc.Expr{s.Slice}
	if t, ok := s.Slice.(*pysrc.Tuple); ok {
		parts = t.Elts
	}
	var bounds []pysrc.Expr
	for _, x := range parts {
		if slice, ok := x.(*pysrc.Slice); ok && slice.Step == nil && slice.Lower != nil && slice.Upper != nil {
			bounds = append(bounds, slice.Lower)
		}
	}
	if len(bounds) == 0 {
		return false
	}
	at := &project.Site{Node: &pysrc.Call{Span: s.Span}, Func: fn}
	spans, _ := madeOf(at, bounds)
	return p.drawsIn(at, spans)
}

// cropInCollate looks in the collate functions beside a dataset for the window that is cut out of its samples.
func (p *SourcePass) cropInCollate(root *project.Function) *project.Step {
	for _, fn := range root.Module.Functions {
		if fn.Def == nil || len(fn.Def.Body) == 0 || fn.Params() == nil {
			continue
		}
		path, ok := p.Project.PerSample(root.Module, fn.Def.Body[0])
		if !ok || path.Kind != project.Collate || path.Root != fn {
			continue
		}
		names := map[string]bool{}
		for _, a := range fn.Params().All() {
			if a.Name != "self" {
				names[a.Name] = true
			}
		}
		if step, _ := p.cropIn(flowOf(fn, names), 0); step != nil {
			return step
		}
	}
	return nil
}

// scalesAtRandom reports a function that brings images to a size which is drawn for each, before any other size: they may
// also be enlarged, which a smaller copy would not serve.
func scalesAtRandom(fn *project.Function) bool {
	random, _ := firstScale(fn, 0)
	return random
}

// firstScale tells of the first resize of a function, or of what it calls, whether a draw decides its size; known is false where that
// resize may be left out, or is not found.
func firstScale(fn *project.Function, depth int) (random, known bool) {
	for _, s := range fn.Sites {
		if isShrinker(s) {
			random = slices.ContainsFunc(s.Node.Args, func(size pysrc.Expr) bool { return drawn(fn, size, 0) })
			if random || depth == 0 && alwaysRuns(fn, s) {
				return random, true // what follows works on the smaller image
			}
		}
		if f := s.Calls.Func; depth < 2 && f != nil && f != fn && s.Calls.Kind == project.Callable {
			if random, first := firstScale(f, depth+1); first {
				return random, true
			}
		}
	}
	return false, false
}

// alwaysRuns reports a call under no condition and in no loop of its function.
func alwaysRuns(fn *project.Function, s *project.Site) bool {
	m := fn.Module
	for id := s.Block; id >= 0 && m.Block(id).Func == fn; id = m.Block(id).Parent {
		switch m.Block(id).Owner.(type) {
		case *pysrc.If, *pysrc.For, *pysrc.While, *pysrc.IfExp, *pysrc.Try, *pysrc.ListComp:
			return false
		}
	}
	return true
}

// deepestDrawn is through how many variables a value is followed to where it is drawn.
const deepestDrawn = 4

// drawn reports an expression that a random draw of its function decides: ow of ow = int(w * size / h) with size = randint(256, 1024).
func drawn(fn *project.Function, e pysrc.Expr, depth int) bool {
	found := false
	pysrc.Inspect(e, func(n pysrc.Node) bool {
		switch x := n.(type) {
		case *pysrc.Call:
			if s := fn.Module.SiteAt(x); s != nil && draws(s, 0) {
				found = true
			}
		case *pysrc.Name:
			if depth < deepestDrawn {
				said, _ := fn.Module.SaidOrGiven(x)
				found = found || slices.ContainsFunc(said, func(v project.Said) bool { return v.Value != nil && drawn(fn, v.Value, depth+1) })
			}
		}
		return !found
	})
	return found
}
