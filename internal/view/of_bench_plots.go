package view

import (
	"fmt"
	"slices"

	"saturate/internal/bench"
	"saturate/internal/human"
	"saturate/internal/report"
	"saturate/internal/report/plot"
)

// mostCurves is how many lines of one picture have colours of their own.
const mostCurves = 7

// againstLength shows how time and memory of the levels grow with the sequence, where several lengths were measured.
func againstLength(b bench.Result) []report.Block {
	var lengths []float64
	for _, c := range b.Results {
		if n := float64(c.Seq); !slices.Contains(lengths, n) {
			lengths = append(lengths, n)
		}
	}
	if len(lengths) < 2 {
		return nil
	}
	slices.Sort(lengths)
	return apartUntilFew(b.Results, "", lengths, splits)
}

// splits are how pictures with too many lines are taken apart, in this order.
var splits = []func(bench.Case) string{
	func(c bench.Case) string { return c.DType },
	func(c bench.Case) string { return fmt.Sprintf("width %d", c.DModel) },
	func(c bench.Case) string { return c.Framework },
	func(c bench.Case) string { return fmt.Sprintf("batch %d", c.Batch) },
	func(c bench.Case) string { return fmt.Sprintf("%d heads", c.Heads) },
}

func apartUntilFew(cases []bench.CaseResult, of string, lengths []float64, splits []func(bench.Case) string) []report.Block {
	time, memory := lengthPlots(cases, of, lengths)
	if len(time.Curves) <= mostCurves || len(splits) == 0 {
		var blocks []report.Block
		for _, p := range []plot.Curves{time, memory} {
			if len(p.Curves) > 0 {
				blocks = append(blocks, report.Block{Heading: p.Heading, Plot: p})
			}
		}
		return blocks
	}
	var names []string
	groups := map[string][]bench.CaseResult{}
	for _, c := range cases {
		name := splits[0](c.Case)
		if groups[name] == nil {
			names = append(names, name)
		}
		groups[name] = append(groups[name], c)
	}
	var blocks []report.Block
	for _, name := range names {
		further := of
		if len(names) > 1 {
			further += ", " + name
		}
		blocks = append(blocks, apartUntilFew(groups[name], further, lengths, splits[1:])...)
	}
	return blocks
}

func lengthPlots(cases []bench.CaseResult, of string, lengths []float64) (time, memory plot.Curves) {
	axis := plot.Axis{Name: "length of the sequence", Ticks: lengths}
	time = plot.Curves{Heading: "Time against length" + of, X: axis, Y: plot.Axis{Name: "time of a call", Unit: "s"}}
	memory = plot.Curves{Heading: "Peak memory against length" + of, X: axis, Y: plot.Axis{
		Name: "peak memory",
		Unit: "iB",
	}}
	for _, c := range cases {
		for _, l := range c.Levels {
			if l.N == 0 {
				continue
			}
			name := levelCurve(cases, c, l)
			seconds := float64(l.TimeMS) / 1000
			addPoint(&time, name, plot.Point{X: float64(c.Seq), Y: seconds, Name: fmt.Sprintf("%s at %d: %s", name, c.Seq,
				human.Seconds(seconds))})
			if l.PeakBytes > 0 {
				addPoint(&memory, name, plot.Point{X: float64(c.Seq), Y: float64(l.PeakBytes), Name: fmt.Sprintf("%s at %d: %s",
					name, c.Seq, sizeOr(l.PeakBytes))})
			}
		}
	}
	return time, memory
}

// levelCurve names a line by its level and by what else tells it from the others.
func levelCurve(cases []bench.CaseResult, c bench.CaseResult, l bench.LevelResult) string {
	name := fmt.Sprintf("level %d", l.Level)
	for _, of := range []func(bench.Case) string{splits[4], splits[3], splits[1], splits[0], splits[2]} {
		if slices.ContainsFunc(cases, func(o bench.CaseResult) bool { return of(o.Case) != of(c.Case) }) {
			name = of(c.Case) + " " + name
		}
	}
	return name
}

func addPoint(p *plot.Curves, name string, at plot.Point) {
	i := slices.IndexFunc(p.Curves, func(c plot.Curve) bool { return c.Name == name })
	if i < 0 {
		p.Curves = append(p.Curves, plot.Curve{Name: name})
		i = len(p.Curves) - 1
	}
	p.Curves[i].Points = append(p.Curves[i].Points, at)
}

// rooflines are one picture for each framework and type: the parts under the roofs that were measured and that the
// maker names.
func rooflines(b bench.Result) []report.Block {
	var blocks []report.Block
	for _, roof := range b.Ceilings {
		p := plot.Curves{
			Heading: fmt.Sprintf("Roofline of %s in %s", roof.Framework, roof.DType),
			X:       plot.Axis{Name: "FLOP for each byte moved"}, Y: plot.Axis{Name: "speed", Unit: "FLOP/s"},
		}
		lo, hi := roof.Ridge(), roof.Ridge()
		for _, part := range bench.Components {
			curve := plot.Curve{Name: part.Title, Kind: plot.Spots}
			for _, c := range b.Results {
				for _, m := range c.Components {
					if c.Framework != roof.Framework || c.DType != roof.DType || m.Name != part.Name || m.N == 0 {
						continue
					}
					speed := m.FLOPs / (float64(m.TimeMS) / 1000)
					curve.Points = append(curve.Points, plot.Point{
						X: m.Intensity, Y: speed,
						Name: fmt.Sprintf("%s, %s: %s, %s of its roof", part.Title, caseName(c.Case), human.Value(speed, "FLOP/s"),
							human.Percent(m.RoofRatio)),
					})
					lo, hi = min(lo, m.Intensity), max(hi, m.Intensity)
				}
			}
			if len(curve.Points) > 0 {
				p.Curves = append(p.Curves, curve)
			}
		}
		if len(p.Curves) == 0 || roof.Ridge() == 0 {
			continue
		}
		if roof.TableFLOPS > 0 && roof.TableBandwidth > 0 {
			p.Curves = append(p.Curves, roofCurve("vendor roof (dashed)", plot.Claim, roof.TableFLOPS, roof.TableBandwidth, lo,
				hi))
		}
		if !roof.FromTable {
			p.Curves = append(p.Curves, roofCurve("measured roof", plot.Limit, roof.FLOPS, roof.Bandwidth, lo, hi))
		}
		blocks = append(blocks, report.Block{Heading: p.Heading, Plot: p})
	}
	return blocks
}

// roofCurve rises with the bandwidth up to the ridge and is flat from there on.
func roofCurve(name string, kind plot.CurveKind, flops, bandwidth, lo, hi float64) plot.Curve {
	ridge := flops / bandwidth
	lo, hi = min(lo, ridge)/1.5, max(hi, ridge)*1.5
	return plot.Curve{Name: name, Kind: kind, Points: []plot.Point{
		{X: lo, Y: lo * bandwidth},
		{X: ridge, Y: flops},
		{X: hi, Y: flops},
	}}
}
