package view

import (
	"fmt"
	"math"
	"slices"

	"saturate/internal/analyze"
	"saturate/internal/human"
	"saturate/internal/report/picture"
	"saturate/internal/trace"
)

// Measures of the picture of a part of a trace, in pixels.
const (
	windowWidth = 1200
	windowLeft  = 176 // names of the rows
	windowTop   = 92  // title and scale
	laneHeight  = 18
	leastWide   = 4  // narrower events are drawn together, as high as they are dense
	leastNamed  = 44 // events that have room for their name
	mostDeep    = 4  // lanes of a host thread
	mostThreads = 4  // the busiest ones
)

// OfWindow draws a part of a trace: steps, why the GPU was idle, streams, and what the host did.
func OfWindow(t *trace.Trace, a analyze.Analysis) picture.Picture {
	w := &windowView{t: t, a: a, from: a.Window.StartNS, to: max(a.Window.EndNS, a.Window.StartNS+1), y: windowTop}
	w.steps()
	for i := range a.GPUs {
		w.gaps(a.GPUs[i])
	}
	w.streams()
	w.threads()
	height := int(w.y) + 40
	shapes := append([]picture.Shape{{W: windowWidth, H: float64(height), Ink: picture.Page}},
		w.scale(float64(height)-36)...)
	shapes = append(shapes, w.shapes...)
	begins := human.Nanoseconds(w.from - t.Window().Start)
	title := fmt.Sprintf("%s of %s, from %s", human.Nanoseconds(w.to-w.from), a.Name(), begins)
	shapes = append(shapes, picture.Text(16, 30, 18, true, picture.Dark, title, windowWidth-32),
		picture.Text(16, 54, 14, false, picture.Soft, a.Verdict.Sentence, windowWidth-32))
	shapes = append(shapes, w.legend(float64(height)-14)...)
	return picture.Picture{Width: windowWidth, Height: height, Label: title, Shapes: shapes}
}

type windowView struct {
	t        *trace.Trace
	a        analyze.Analysis
	from, to int64
	y        float64
	shapes   []picture.Shape
	causes   []string // in the picture
}

func (w *windowView) x(at int64) float64 {
	at = min(max(at, w.from), w.to)
	return windowLeft + float64(at-w.from)/float64(w.to-w.from)*(windowWidth-windowLeft-16)
}

// bar is something with a start and an end.
type bar struct {
	start, end int64
	ink        picture.Ink
	name       string
}

// row draws bars of one lane, and says whether there were any.
func (w *windowView) row(name string, bars []bar) bool {
	if len(bars) == 0 {
		return false
	}
	if name != "" {
		w.shapes = append(w.shapes, picture.Text(16, w.y+13, 12, false, picture.Dark, name, windowLeft-20))
	}
	const columns = windowWidth - windowLeft - 16
	dense, inks := make([]float64, columns+1), make([]picture.Ink, columns+1)
	for _, b := range bars {
		x0, x1 := w.x(b.start), w.x(b.end)
		if x1-x0 < leastWide {
			i := int(x0 - windowLeft)
			dense[i] += x1 - x0
			inks[i] = b.ink
			continue
		}
		w.shapes = append(w.shapes, picture.Shape{X: x0, Y: w.y, W: max(1, x1-x0-0.5), H: laneHeight - 2, Ink: b.ink})
		if x1-x0 >= leastNamed {
			w.shapes = append(w.shapes, picture.Text(x0+4, w.y+12, 10.5, false, picture.Inside, b.name, x1-x0-6))
		}
	}
	for i := 0; i < columns; {
		level, n := levelOf(dense[i]), 1
		for i+n < columns && level > 0 && levelOf(dense[i+n]) == level && inks[i+n] == inks[i] {
			n++
		}
		if level > 0 {
			h := float64(level) / 4 * (laneHeight - 2)
			w.shapes = append(w.shapes, picture.Shape{
				X: windowLeft + float64(i), Y: w.y + laneHeight - 2 - h, W: float64(n),
				H: h, Ink: inks[i],
			})
		}
		i += n
	}
	w.y += laneHeight
	return true
}

// levelOf is how high a column is drawn whose events are busy for a part of it, in quarters; nothing is too short to be
// seen.
func levelOf(busy float64) int {
	if busy <= 0 {
		return 0
	}
	return max(1, min(4, int(math.Ceil(busy*4))))
}

func (w *windowView) steps() {
	var bars []bar
	for i, s := range w.a.Steps {
		if s.EndNS > w.from && s.StartNS < w.to {
			bars = append(bars, bar{
				s.StartNS, s.EndNS, []picture.Ink{picture.Idle, picture.Other}[i%2],
				fmt.Sprintf("step %d", s.Number),
			})
		}
	}
	if w.row("steps", bars) {
		w.y += 6
	}
}

// causeInks are the colors of the causes of idle time.
var causeInks = map[string]picture.Ink{
	"data_loading": picture.Data, "host_python": picture.Host, "synchronization": picture.Sync,
	"transfer": picture.Copy, "launch": picture.Launch,
	"memory_allocation": picture.Alloc, "compilation": picture.Compile, "checkpoint": picture.Check,
}

func causeInk(cause string) picture.Ink {
	if ink, ok := causeInks[cause]; ok {
		return ink
	}
	return picture.Idle
}

func (w *windowView) gaps(g analyze.GPU) {
	gaps := slices.Clone(g.LongestGaps)
	slices.SortFunc(gaps, func(a, b analyze.Gap) int { return int(a.StartNS - b.StartNS) })
	var bars []bar
	for _, gap := range gaps {
		if gap.EndNS <= w.from || gap.StartNS >= w.to {
			continue
		}
		bars = append(bars, bar{gap.StartNS, gap.EndNS, causeInk(gap.Cause), causeName(gap.Cause) + " " +
			human.Nanoseconds(gap.NS())})
		if !slices.Contains(w.causes, gap.Cause) {
			w.causes = append(w.causes, gap.Cause)
		}
	}
	w.row(fmt.Sprintf("GPU %d idle", g.Device), bars)
}

func (w *windowView) streams() {
	for i := range w.t.Tracks() {
		track := &w.t.Tracks()[i]
		if track.Domain != trace.Stream {
			continue
		}
		var bars []bar
		for id, e := range w.t.OnTrack(trace.TrackID(i), trace.Window{Start: w.from, End: w.to}) {
			ink := picture.Compute
			switch e.Kind {
			case trace.Kernel:
				if int(w.t.NameID(id))%2 == 1 {
					ink = picture.Compute2
				}
			case trace.Memcpy, trace.Memset:
				ink = picture.Copy
			case trace.Collective:
				ink = picture.Comm
			default:
				continue
			}
			bars = append(bars, bar{w.t.Start(id), w.t.End(id), ink, w.t.Name(id)})
		}
		w.row(track.String(), bars)
	}
	w.y += 6
}

// threads draws the host threads that do most, a few levels deep.
func (w *windowView) threads() {
	type thread struct {
		name  string
		busy  int64
		lanes [mostDeep][]bar
	}
	var all []thread
	for i := range w.t.Tracks() {
		track := &w.t.Tracks()[i]
		if track.Domain != trace.HostThread {
			continue
		}
		th := thread{name: track.String()}
		for id := range w.t.OnTrack(trace.TrackID(i), trace.Window{Start: w.from, End: w.to}) {
			ink, ok := hostInk(w.t.Kind(id))
			if !ok {
				continue
			}
			depth := 0
			for range w.t.Ancestors(id) {
				depth++
			}
			if depth == 0 {
				th.busy += min(w.t.End(id), w.to) - max(w.t.Start(id), w.from)
			}
			if depth < mostDeep {
				th.lanes[depth] = append(th.lanes[depth], bar{w.t.Start(id), w.t.End(id), ink, w.t.Name(id)})
			}
		}
		if th.busy > 0 {
			all = append(all, th)
		}
	}
	slices.SortStableFunc(all, func(a, b thread) int { return int(min(1, max(-1, b.busy-a.busy))) })
	for _, th := range all[:min(mostThreads, len(all))] {
		name := th.name
		for _, lane := range th.lanes {
			if w.row(name, lane) {
				name = ""
			}
		}
		w.y += 4
	}
}

func hostInk(kind trace.Kind) (picture.Ink, bool) {
	switch kind {
	case trace.CPUOp, trace.Collective:
		return picture.Other, true
	case trace.Annotation:
		return picture.Check, true
	case trace.Python:
		return picture.Idle, true
	case trace.Runtime, trace.Driver:
		return picture.Host, true
	}
	return 0, false
}

// scale is the time, from the start of the window.
func (w *windowView) scale(bottom float64) (out []picture.Shape) {
	span := float64(w.to - w.from)
	every := math.Pow(10, math.Floor(math.Log10(span/5)))
	for _, m := range []float64{5, 2} {
		if span/(every*m) >= 5 {
			every *= m
			break
		}
	}
	for at := 0.0; at <= span; at += every {
		x := w.x(w.from + int64(at))
		out = append(out, picture.Shape{X: x, Y: windowTop - 8, W: 1, H: bottom - windowTop, Ink: picture.Panel})
		if x < windowWidth-60 {
			out = append(out, picture.Text(x+3, windowTop-12, 11, false, picture.Soft, human.Nanoseconds(int64(at)), 90))
		}
	}
	return out
}

func (w *windowView) legend(y float64) (out []picture.Shape) {
	x := float64(windowLeft)
	for _, cause := range w.causes {
		text := picture.Text(x+16, y, 12, false, picture.Soft, causeName(cause), 200)
		out = append(out, picture.Shape{X: x, Y: y - 10, W: 11, H: 11, Ink: causeInk(cause)}, text)
		x += 16 + 1.25*picture.Width(text.Text, text.Size, false) + 16
	}
	return out
}
