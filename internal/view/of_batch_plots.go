package view

import (
	"fmt"
	"math"

	"saturate/internal/batch"
	"saturate/internal/human"
	"saturate/internal/report/plot"
)

// memoryPlot is memory over batch size: what was measured, the fit, and what there is.
func memoryPlot(d BatchData) plot.Curves {
	p := plot.Curves{Heading: "Memory over batch size", X: plot.Axis{Name: "batch size"}, Y: plot.Axis{
		Name: "memory",
		Unit: "iB",
	}}
	allocated, reserved := plot.Curve{Name: "allocated", Kind: plot.Spots}, plot.Curve{Name: "reserved", Kind: plot.Spots}
	confirmed := plot.Curve{Name: "confirmed", Kind: plot.Spots}
	least, most, total := math.Inf(1), 0.0, 0.0
	for _, m := range d.Trials {
		if m.Fault != batch.Fits {
			continue
		}
		x := float64(m.Batch)
		least, most, total = min(least, x), max(most, x), float64(m.Total)
		name := fmt.Sprintf("batch %d: %s allocated, %s reserved", m.Batch, human.Memory(m.Allocated),
			human.Memory(m.Reserved))
		if d.Largest != nil && m.Batch == d.Largest.Batch && m.Purpose == batch.Confirming {
			confirmed.Points = append(confirmed.Points, plot.Point{X: x, Y: float64(m.Reserved), Name: name})
			continue
		}
		allocated.Points = append(allocated.Points, plot.Point{X: x, Y: float64(m.Allocated), Name: name})
		reserved.Points = append(reserved.Points, plot.Point{X: x, Y: float64(m.Reserved), Name: name})
	}
	if most == 0 {
		return p
	}
	fit := plot.Curve{Name: "fit of reserved", Kind: plot.Claim}
	for i := range 5 {
		x := least * math.Pow(most/least, float64(i)/4)
		fit.Points = append(fit.Points, plot.Point{X: x, Y: d.Reserved.At(int(math.Round(x)))})
	}
	room := plot.Curve{
		Name: fmt.Sprintf("%s of the memory", human.Percent(d.Target)), Kind: plot.Limit,
		Points: []plot.Point{{X: least, Y: d.Target * total}, {X: most, Y: d.Target * total}},
	}
	p.Curves = []plot.Curve{allocated, reserved, confirmed, fit, room}
	return p
}

// speedPlot is samples/s over batch size.
func speedPlot(d BatchData) plot.Curves {
	p := plot.Curves{
		Heading: "Samples/s over batch size", X: plot.Axis{Name: "batch size"},
		Y: plot.Axis{Name: "samples/s"},
	}
	all, knee := plot.Curve{Name: "measured", Kind: plot.Spots}, plot.Curve{
		Name: "smallest within 3% of the best",
		Kind: plot.Spots,
	}
	least, most := math.Inf(1), 0.0
	for _, m := range d.Trials {
		if m.Fault != batch.Fits || m.Rate <= 0 {
			continue
		}
		pt := plot.Point{X: float64(m.Batch), Y: m.Rate, Name: fmt.Sprintf("batch %d: %s samples/s", m.Batch,
			human.Value(m.Rate, ""))}
		least, most = min(least, pt.X), max(most, pt.X)
		if d.Knee != nil && m.Batch == d.Knee.Batch && m.Rate == d.Knee.Rate {
			knee.Points = append(knee.Points, pt)
		} else {
			all.Points = append(all.Points, pt)
		}
	}
	if most == 0 {
		return p
	}
	best := plot.Curve{Name: "97% of the best", Kind: plot.Limit, Points: []plot.Point{
		{X: least, Y: 0.97 * d.Best},
		{X: most, Y: 0.97 * d.Best},
	}}
	p.Curves = []plot.Curve{all, knee, best}
	return p
}
