package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// windowLoops reports loops of datasets that go through a signal window by window in Python, such as a pitch tracker does.
func (p *SourcePass) windowLoops() {
	for _, fn := range p.Module.Functions {
		path, ok := p.CalledForEverySample(fn)
		if !ok || path.Kind != project.DataSet && path.Kind != project.Transform {
			continue
		}
		loop := p.windowLoop(fn)
		if loop == nil {
			continue
		}
		p.Report(header(loop), likely*path.Sure).Because(path).
			Saying("Python goes through a signal window by window for every sample").
			Advising("Compute on all windows at once (np.lib.stride_tricks.sliding_window_view), use a library's function, or store the result once.")
	}
}

// windowLoop is the loop of a function over windows that it cuts from a signal, which computes with each; nil when it has
// none: frames = [x[t : t + n] for t in range(0, len(x) - n, step)]; for frame in frames: ….
func (p *SourcePass) windowLoop(fn *project.Function) *pysrc.For {
	if fn.Def == nil {
		return nil
	}
	for _, loop := range p.outerLoops(fn) {
		over, name := without(loop.Iter, "enumerate", "tqdm"), loop.Target
		if pair := elementsOf(name); len(pair) == 2 && over != loop.Iter {
			name = pair[1]
		}
		frame, ok := name.(*pysrc.Name)
		if !ok || !p.cutsWindows(p.onceSaid(over)) || !computesOn(loop, map[string]bool{frame.ID: true}) {
			continue
		}
		return loop
	}
	return nil
}

// cutsWindows reports a comprehension of slices of one array that lie a range of starts apart.
func (p *SourcePass) cutsWindows(e pysrc.Expr) bool {
	list, ok := e.(*pysrc.ListComp)
	if !ok || len(list.Generators) != 1 {
		return false
	}
	part, ok := list.Elt.(*pysrc.Subscript)
	start, named := list.Generators[0].Target.(*pysrc.Name)
	if !ok || !named {
		return false
	}
	bounds, ok := part.Slice.(*pysrc.Slice)
	starts, counted := p.onceSaid(list.Generators[0].Iter).(*pysrc.Call)
	return ok && counted && lastName(starts.Func) == "range" && bounds.Lower != nil && bounds.Upper != nil &&
		mentionsName(bounds.Lower, start.ID) && mentionsName(bounds.Upper, start.ID)
}
