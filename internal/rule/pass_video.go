package rule

import (
	"slices"

	"saturate/internal/pysrc"
)

// wholeVideos reports videos whose frames are all decoded into a list of which a few are kept.
func (p *SourcePass) wholeVideos() {
	for _, c := range p.MethodCalls("read") {
		loop := p.LoopAround(c)
		if loop == nil || c.Func.Def == nil || !p.Eval(c.Receiver()).IsInstance("cv2.VideoCapture") {
			continue
		}
		path, ok := p.EverySample(c)
		if !ok {
			continue
		}
		for _, s := range c.Func.Sites {
			if s.Method() != "append" || p.LoopAround(s) != loop || p.Rare(s) != nil {
				continue
			}
			if kept := keptOf(c.Func.Def, pysrc.DottedName(s.Node.Func.(*pysrc.Attribute).Value), loop.Bounds().End); kept != nil {
				p.Report(c, likely*path.Sure).Because(path, p.At(kept, "few frames are kept")).
					Saying("all frames of a video are decoded to keep a few").
					Advising("Decode only the frames that are kept: set CAP_PROP_POS_FRAMES, call grab() for the frames between, or use decord or torchcodec.")
				break
			}
		}
	}
}

// keptOf is the place behind a loop where a function picks from a list by a list of numbers, [frames[i] for i in pick], or
// cuts a window out of it; nil where there is none.
func keptOf(body pysrc.Node, list string, after int32) (kept pysrc.Node) {
	pysrc.InspectPath(body, func(n pysrc.Node, path []pysrc.Node) bool {
		part, ok := n.(*pysrc.Subscript)
		if !ok || kept != nil || part.Start < after || pysrc.DottedName(part.Value) != list || list == "" {
			return kept == nil
		}
		cut, sliced := part.Slice.(*pysrc.Slice)
		picked := slices.ContainsFunc(path, func(n pysrc.Node) bool { _, comp := n.(*pysrc.ListComp); return comp })
		if picked && !sliced || sliced && (cut.Upper != nil || cut.Step != nil) {
			kept = part
		}
		return kept == nil
	})
	return kept
}
