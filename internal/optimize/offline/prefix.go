package offline

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// clashes reports whether a cut overlaps another one that it cannot take in.
func clashes(o, wide *cut) bool {
	if o.module() != wide.module() || !overlap(o.span(), wide.span()) {
		return false
	}
	return o.region != nil || o.kind == speech || !inside(o, wide)
}

// widen makes a cut as large as it can be: before it the statements that read what it is made of, behind it those
// that work on it and draw nothing. So a sample that is decoded, resampled and cut to length before its first random
// draw is kept as it is then.
func (w *work) widen(c *cut, all []*cut) {
	if c.inner || c.folder || c.applies != nil || c.kind == speech || c.fn.Def == nil || c.way.root == project.Collate {
		return
	}
	level := slices.IndexFunc(c.way.levels, func(l level) bool { return l.fn == c.fn })
	lists := blocksAround(c.fn, c.span().Start)
	list := lists[len(lists)-1]
	holds := func(at int32) int {
		return slices.IndexFunc(list, func(s pysrc.Stmt) bool { return s.Bounds().Start <= at && at < s.Bounds().End })
	}
	from, to := holds(c.span().Start), holds(c.span().End-1)
	if level < 0 || from < 0 || to < 0 {
		return
	}
	furthest := len(list) - 1
	if c.kind == features { // what follows is labels and the sample itself
		furthest = to + chain(list[from:to+1], list[to+1:])
	}
	for first := from; first >= 0 && (first == from || w.begins(c, list[first], list[first+1:to+1])); first-- {
		for last := furthest; last >= to; last-- {
			if last > to && !(builds(list[first:last], list[last]) && len(sitesIn(c.module(), list[last].Bounds())) > 0) {
				continue
			}
			wide := w.wider(c, level, &region{list: list, first: first, last: last})
			if wide != nil && !slices.ContainsFunc(all, func(o *cut) bool { return o != c && clashes(o, wide) }) {
				*c = *wide
				break
			}
		}
	}
}

// chain is how many of the statements that follow go on with what was made, one after the other, and make nothing else.
func chain(made, follow []pysrc.Stmt) int {
	for i, s := range follow {
		_, assigns := s.(*pysrc.Assign)
		if !assigns || !builds(append(slices.Clone(made), follow[:i]...), s) {
			return i
		}
	}
	return len(follow)
}

// wider is a cut of a run of statements in place of what it keeps now, or nil.
func (w *work) wider(c *cut, level int, r *region) *cut {
	if c.region == nil && r.first == r.last {
		return nil
	}
	r.settle(c.fn)
	if last, isReturn := r.list[r.last].(*pysrc.Return); isReturn {
		if r.returns = true; !r.gives(c.fn, last) {
			return nil
		}
	} else if len(r.outputs) == 0 || w.anyHandle(c.fn, r, r.outputs) || w.removedLater(c.fn, r) {
		return nil
	}
	wide := *c
	wide.expr, wide.region = nil, r
	if byPlace, reason := w.complete(&wide, level, nil); reason != "" || byPlace || w.mayDraw(&wide) != "" {
		return nil
	}
	return &wide
}

// begins reports whether a statement reads the file that the statements behind it work on; of what a run was seen to
// spend its time on, every call that they work on the result of belongs to it.
func (w *work) begins(c *cut, s pysrc.Stmt, behind []pysrc.Stmt) bool {
	sites := sitesIn(c.module(), s.Bounds())
	for _, f := range w.reached(sites) {
		sites = append(sites, f.Sites...)
	}
	if !slices.ContainsFunc(sites, func(s *project.Site) bool { return c.kind == prepared || reads(s) || decodes(s) }) {
		return false
	}
	for name := range stored(s) {
		if slices.ContainsFunc(behind, func(b pysrc.Stmt) bool { return loads(b, name) }) {
			return true
		}
	}
	return false
}

// decodes reports a call that opens an image.
func decodes(s *project.Site) bool {
	switch s.Calls.Name {
	case "PIL.Image.open", "cv2.imread", "torchvision.io.read_image", "imageio.imread", "imageio.v2.imread", "skimage.io.imread", "numpy.load":
		return true
	}
	return false
}

// builds reports whether a statement works on what those before it made.
func builds(before []pysrc.Stmt, s pysrc.Stmt) bool {
	for _, b := range before {
		for name := range stored(b) {
			if loads(s, name) {
				return true
			}
		}
	}
	return false
}

// mayDraw names an object that a cut calls and that may draw random numbers: self.transform(image).
func (w *work) mayDraw(c *cut) string {
	sites := sitesIn(c.module(), c.span())
	for _, f := range c.funcs {
		sites = append(sites, f.Sites...)
	}
	for _, s := range sites {
		if object := calledObject(s); object != nil && !w.fixed(s.Module(), s.Possible(), 0) {
			return short(s.Module(), object)
		}
	}
	return ""
}

// calledObject is what a call calls where that is a value and not a function by its name: an attribute of the object,
// a parameter, the result of a call.
func calledObject(s *project.Site) pysrc.Expr {
	switch f := s.Node.Func.(type) {
	case *pysrc.Call:
		return f
	case *pysrc.Name:
		if s.Func.HasParameter(f.ID) {
			return f
		}
	case *pysrc.Attribute:
		if self := selfOf(s.Func); isNamed(f.Value, self) && (s.Func.Class == nil || s.Func.Class.Method(f.Attr) == nil) {
			return f
		}
	}
	return nil
}

// fixed reports whether all that a call may call gives the same for the same: functions and classes of the project, whose
// own calls are looked at, and transforms of libraries that are known not to draw.
func (w *work) fixed(m *project.Module, values []project.Value, depth int) bool {
	known := 0
	for _, v := range values {
		switch {
		case v.Kind == project.Unknown || depth > 4:
			return false
		case v.Func != nil || v.Class != nil:
		case !steady[v.Name]:
			return false
		case v.Made != nil && lastPart(v.Name) == "Compose":
			parts, ok := w.partsOf(v)
			if !ok || slices.ContainsFunc(parts, func(p project.Value) bool { return !w.fixed(m, []project.Value{p}, depth+1) }) {
				return false
			}
		}
		known++
	}
	return known > 0
}

// partsOf are the transforms of a Compose, where all are written in one list.
func (w *work) partsOf(v project.Value) ([]project.Value, bool) {
	if len(v.Made.Node.Args) != 1 {
		return nil, false
	}
	list, ok := v.Made.Node.Args[0].(*pysrc.List)
	if !ok {
		return nil, false
	}
	var parts []project.Value
	for _, e := range list.Elts {
		if _, starred := e.(*pysrc.Starred); starred {
			return nil, false
		}
		parts = append(parts, w.eval.Of(v.Made.Module(), e))
	}
	return parts, len(parts) > 0
}

// steady are classes of libraries whose objects draw nothing when they are called.
var steady = setOf("torchvision.transforms.Compose torchvision.transforms.Resize torchvision.transforms.CenterCrop torchvision.transforms.ToTensor " +
	"torchvision.transforms.Normalize torchvision.transforms.Pad torchvision.transforms.Grayscale torchvision.transforms.PILToTensor " +
	"torchvision.transforms.ConvertImageDtype torchvision.transforms.v2.Compose torchvision.transforms.v2.Resize " +
	"torchvision.transforms.v2.CenterCrop torchvision.transforms.v2.ToImage torchvision.transforms.v2.ToDtype torchvision.transforms.v2.Normalize " +
	"torchaudio.transforms.Resample torchaudio.transforms.Spectrogram torchaudio.transforms.MelSpectrogram torchaudio.transforms.MFCC " +
	"torchaudio.transforms.AmplitudeToDB torchaudio.transforms.MelScale")
