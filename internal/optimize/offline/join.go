package offline

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// join puts features and the audio they are made of into one run of statements, where the audio has no other use:
// then a sample reads its features alone. Speech is kept on its own within; audio that was only decoded is not.
func (w *work) join(cuts []*cut) []*cut {
	for _, f := range cuts {
		if f.kind == speech || f.expr == nil || f.fn.Def == nil {
			continue
		}
		for _, a := range cuts {
			if f.kind == features && a.kind != features && a.fn == f.fn && a.expr != nil && inside(a, f) {
				a.inner = true
			}
		}
		if r := w.joined(cuts, f); r != nil {
			whole := *f
			whole.expr, whole.region = nil, r
			level := slices.IndexFunc(f.way.levels, func(l level) bool { return l.fn == f.fn })
			if _, reason := w.complete(&whole, level, nil); reason != "" {
				continue
			}
			*f = whole
			for _, a := range cuts {
				a.inner = a.inner || a != f && a.fn == f.fn && inside(a, f)
			}
		}
	}
	return withoutInnerAudio(cuts)
}

// withoutInnerAudio drops audio inside features, which then settle its findings.
func withoutInnerAudio(cuts []*cut) (list []*cut) {
	for _, c := range cuts {
		if !c.inner || c.kind != audio {
			list = append(list, c)
			continue
		}
		around := slices.IndexFunc(cuts, func(f *cut) bool {
			return f.kind == features && f.module() == c.module() && inside(c, f)
		})
		cuts[around].findings = append(cuts[around].findings, c.findings...)
	}
	return list
}

// apart leaves out cuts that another one took in when it was widened; what they settle, it settles.
func apart(cuts []*cut) (list []*cut) {
	for i, c := range cuts {
		around := slices.IndexFunc(cuts, func(o *cut) bool {
			return o != c && !c.inner && o.module() == c.module() && inside(c, o) && (o.span() != c.span() || slices.Index(cuts, o) < i)
		})
		if around < 0 || cuts[around].kind == features && c.kind == speech {
			list = append(list, c)
			continue
		}
		cuts[around].findings = append(cuts[around].findings, c.findings...)
	}
	return list
}

func inside(a, f *cut) bool {
	x, y := a.span(), f.span()
	return y.Start <= x.Start && x.End <= y.End
}

func overlap(a, b pysrc.Span) bool { return a.Start < b.End && b.Start < a.End }

// joined is the run of statements that ends with a cut and starts where what it is made of is read or spoken, or nil.
func (w *work) joined(cuts []*cut, f *cut) *region {
	lists := blocksAround(f.fn, f.expr.Bounds().Start)
	list := lists[len(lists)-1]
	holds := func(span pysrc.Span) int {
		return slices.IndexFunc(list, func(s pysrc.Stmt) bool { return s.Bounds().Start <= span.Start && span.End <= s.Bounds().End })
	}
	last := holds(f.expr.Bounds())
	if last < 1 {
		return nil
	}
	switch s := list[last].(type) {
	case *pysrc.Assign, *pysrc.AnnAssign:
	case *pysrc.Return:
		if s.Value != f.expr {
			return nil // more than is to be kept
		}
	default:
		return nil
	}
	first := last
	for i := 0; i < last; i++ {
		span := list[i].Bounds()
		begins := slices.ContainsFunc(sitesIn(f.module(), span), reads) || slices.ContainsFunc(cuts, func(a *cut) bool {
			return a != f && a.fn == f.fn && a.expr != nil && a.kind != features && holds(a.span()) == i
		})
		if begins && feeds(list[i:last+1], f.reads) {
			first = i
			break
		}
	}
	if first == last {
		return nil
	}
	r := &region{list: list, first: first, last: last}
	if slices.ContainsFunc(cuts, func(a *cut) bool { return a.region != nil && a.fn == f.fn && overlap(a.span(), r.span()) }) {
		return nil // a function within a function: found again by the audio itself
	}
	_, r.returns = list[last].(*pysrc.Return)
	for _, s := range list[first:last] {
		for name := range stored(s) {
			if loadedAfter(f.fn, name, r.span().End) {
				return nil // it is used for something else too
			}
		}
	}
	r.settle(f.fn)
	return r
}

// feeds reports whether what the first statement sets reaches one of the names, over the others.
func feeds(list []pysrc.Stmt, names []string) bool {
	set := stored(list[0])
	for _, s := range list[1 : len(list)-1] {
		for name := range set {
			if loads(s, name) {
				for more := range stored(s) {
					set[more] = true
				}
			}
		}
	}
	return slices.ContainsFunc(names, func(n string) bool { return set[n] })
}

// reads reports a call that reads an audio file.
func reads(s *project.Site) bool {
	switch s.Calls.Name {
	case "soundfile.read", "librosa.load", "librosa.core.load", "torchaudio.load", "scipy.io.wavfile.read", "whisper.load_audio", "whisper.audio.load_audio":
		return true
	}
	return false
}
