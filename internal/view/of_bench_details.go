package view

import (
	"fmt"
	"slices"
	"strings"

	"saturate/internal/bench"
	"saturate/internal/human"
	"saturate/internal/report"
	"saturate/internal/stat"
)

// benchDetails are all figures of the parts, as JSON has them.
func benchDetails(cases []bench.CaseResult) *report.Table {
	t := &report.Table{Columns: []report.Column{
		{Name: "Case"},
		{Name: "Component"},
		{Name: "ms", Right: true},
		{Name: human.Percent(stat.Confidence) + " interval", Right: true},
		{Name: "n", Right: true},
		{Name: "Wall", Right: true},
		{Name: "Warm", Right: true},
		{Name: "CPU", Right: true},
		{Name: "FLOP", Right: true},
		{Name: "Bytes", Right: true},
		{Name: "FLOP/B", Right: true},
		{Name: "Bandwidth", Right: true},
		{Name: "Compute", Right: true},
		{Name: "Vendor roof", Right: true},
		{Name: "Occupancy", Right: true},
	}}
	for _, c := range cases {
		for _, p := range c.Components {
			if p.N == 0 {
				continue
			}
			t.Rows = append(t.Rows, []string{
				caseName(c.Case), p.Title(), milliseconds(p.TimeMS), intervalOr(p.Interval), human.Count(p.N),
				milliseconds(p.WallMS), pointed(p.WarmMS), pointed(p.CPUMS),
				human.Value(p.FLOPs, "FLOP"), human.Value(p.Bytes, "B"), human.Value(p.Intensity, ""),
				shareOr(p.BandwidthRatio), shareOr(p.ComputeRatio), shareOr(p.TableRatio), occupancyOr(p.Occupancy),
			})
		}
	}
	t.Foot = "Times in milliseconds. FLOP and bytes are the minimum for the part; bandwidth and compute are shares of " +
		"the roofs; warm: with the caches of the previous call; CPU: host time."
	return t
}

func intervalOr(i stat.Interval) string {
	if !i.Lo.Finite() || !i.Hi.Finite() || i.Confidence == 0 {
		return human.Missing
	}
	return milliseconds(i.Lo) + "…" + milliseconds(i.Hi)
}

func pointed(n *stat.Number) string {
	if n == nil {
		return human.Missing
	}
	return milliseconds(*n)
}

func shareOr(share float64) string {
	if share == 0 {
		return human.Missing
	}
	return human.Percent(share)
}

func occupancyOr(share *float64) string {
	if share == nil {
		return human.Missing
	}
	return human.Percent(*share)
}

// machinesTable is where it was measured, and how GPUs fared meanwhile.
func machinesTable(machines []bench.Machine) *report.Table {
	t := &report.Table{Columns: []report.Column{
		{Name: "Framework"},
		{Name: "Version"},
		{Name: "Device"},
		{Name: "Threads", Right: true},
		{Name: "Memory", Right: true},
		{
			Name:  "Last cache",
			Right: true,
		},
		{Name: "Clock (MHz)", Right: true},
		{Name: "Temperature (°C)", Right: true},
		{Name: "Power (W)", Right: true},
		{Name: "Clock limited by"},
	}}
	for _, m := range machines {
		row := []string{m.Framework, m.Version, m.Name, human.Count(m.Threads), sizeOr(m.MemoryBytes), sizeOr(m.CacheBytes)}
		health := m.After
		if health == nil {
			health = m.Before
		}
		if health == nil {
			row = append(row, human.Missing, human.Missing, human.Missing, human.Missing)
		} else {
			row = append(row, middle(health.ClockMHz), middle(health.Celsius), middle(health.Watts),
				orNone(strings.Join(health.Reasons, ", ")))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// middle writes least, median and most.
func middle(values []float64) string {
	if len(values) != 3 {
		return human.Missing
	}
	return fmt.Sprintf("%.0f…%.0f", values[0], values[2])
}

// layerName is one way to run a layer.
func layerName(l bench.LayerResult) string {
	name := l.Framework + " " + l.Layer + " " + l.DType + " " + strings.ReplaceAll(l.Pass, "_", "+")
	if l.Checkpoint {
		name += ", checkpointing"
	}
	return name
}

// layerBlocks are a table for each layer and size.
func layerBlocks(layers []bench.LayerResult) []report.Block {
	type kind struct {
		layer          string
		shape          bench.Shape
		ffn, seq, deep int
	}
	var kinds []kind
	of := func(l bench.LayerResult) kind { return kind{l.Layer, l.Shape, l.FFN, l.MemorySeq, l.Depth} }
	for _, l := range layers {
		if !slices.Contains(kinds, of(l)) {
			kinds = append(kinds, of(l))
		}
	}
	var blocks []report.Block
	for _, k := range kinds {
		t := &report.Table{Columns: []report.Column{
			{Name: "Pass"},
			{Name: "Framework"},
			{Name: "Precision"},
			{Name: "Checkpointing"},
			{Name: "Time (ms)", Right: true},
			{Name: "Speed-up", Right: true},
			{
				Name:  "Peak",
				Right: true,
			},
			{Name: "Kept for backward", Right: true},
		}}
		var skipped []string
		for _, pass := range []string{"forward", "forward_backward"} {
			for _, l := range layers {
				if of(l) != k || l.Pass != pass {
					continue
				}
				row := []string{strings.ReplaceAll(pass, "_", " and "), l.Framework, l.DType, map[bool]string{
					true:  "yes",
					false: "no",
				}[l.Checkpoint]}
				if l.N == 0 {
					row = append(row, "skipped", human.Missing, human.Missing, human.Missing)
					skipped = append(skipped, layerName(l)+": "+strings.TrimRight(l.Skipped, "."))
				} else {
					row = append(row, milliseconds(l.TimeMS), timesOr(l.Speedup), memoryCells(l.Memory)[0], heldCell(l.Memory))
				}
				t.Rows = append(t.Rows, row)
			}
		}
		t.Foot = "Speedup over fp32 without checkpointing. bf16 and fp16 keep their weights in fp32 (mixed precision)."
		if len(skipped) > 0 {
			t.Foot += " Skipped: " + strings.Join(skipped, "; ") + "."
		}
		heading := fmt.Sprintf("%s, batch %d, sequence %d, width %d, %s, MLP %d", k.layer, k.shape.Batch, k.shape.Seq,
			k.shape.DModel, human.Plural(k.shape.Heads, "head"), k.ffn)
		if k.layer == "whisper-decoder" {
			heading += fmt.Sprintf(", over %d encoder states", k.seq)
		}
		if k.deep > 1 {
			heading += fmt.Sprintf(", %d layers", k.deep)
		}
		blocks = append(blocks, report.Block{Heading: heading, Table: t})
	}
	return blocks
}

func heldCell(m *bench.Memory) string {
	if m == nil {
		return human.Missing
	}
	return sizeOr(m.Held)
}

// layerSummary says what checkpointing and mixed precision bring, for the largest layer of each framework.
func layerSummary(layers []bench.LayerResult) []string {
	var out []string
	for _, f := range bench.Frameworks {
		for _, l := range layers {
			if l.Framework != f || l.Pass != "forward_backward" || l.N == 0 {
				continue
			}
			text := fmt.Sprintf("%s: a %s layer takes %s forward and backward in %s", f, l.Layer,
				human.Seconds(float64(l.TimeMS)/1000), l.DType)
			for _, o := range layers {
				if o.Case == l.Case && o.Layer == l.Layer && o.Pass == l.Pass && o.Checkpoint && !l.Checkpoint && o.N > 0 {
					text += fmt.Sprintf("; with checkpointing %s", human.Seconds(float64(o.TimeMS)/1000))
				}
			}
			out = append(out, text+".")
			break
		}
	}
	return out
}
