package view

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"saturate/internal/bench"
	"saturate/internal/human"
	"saturate/internal/report"
	"saturate/internal/stat"
)

// OfBench reports what was measured of attention, layers, loaders or features.
func OfBench(b bench.Result) report.Report {
	r := report.Report{Command: "bench", Title: "Bench of " + string(b.Task) + " on " + b.Device, Data: b}
	r.Summary = benchSummary(b)
	if !b.Valid {
		r.Tone, r.Outcome = report.Bad, report.Undecided
	}
	for _, s := range b.Skipped {
		r.Warnings = append(r.Warnings, "`"+s.Framework+"` was skipped: "+s.Why)
	}
	r.Warnings = append(r.Warnings, b.Notes...)
	r.Warnings = append(r.Warnings, benchWarnings(b)...)
	if len(b.Ceilings) > 0 {
		t := ceilingsTable(b)
		dropEmpty(t)
		r.Blocks = append(r.Blocks, report.Block{Heading: "Ceilings", Table: t})
	}
	for _, group := range sameWork(b.Results) {
		r.Blocks = append(r.Blocks, groupBlocks(group)...)
	}
	r.Blocks = append(r.Blocks, againstLength(b)...)
	r.Blocks = append(r.Blocks, rooflines(b)...)
	r.Blocks = append(r.Blocks, layerBlocks(b.Layers)...)
	r.Blocks = append(r.Blocks, rateBlocks(b)...)
	if t := benchDetails(b.Results); len(t.Rows) > 0 {
		r.Blocks = append(r.Blocks, report.Block{Heading: "All figures of the parts", Table: t, Detail: true})
	}
	r.Blocks = append(r.Blocks, report.Block{Heading: "Machines", Table: machinesTable(b.Machines), Detail: true})
	return r
}

// benchSummary is the answer: whether the times can be believed, then what takes longest and what helps.
func benchSummary(b bench.Result) []string {
	var out []string
	if !b.Valid {
		out = append(out, "INVALID: "+strings.Join(b.Problems, "; ")+". Measure again when the machine is idle.")
	}
	if b.Disturbed {
		out = append(out, "Not compared: other programs used the CPU meanwhile. Measure again when the machine is idle.")
	}
	for _, c := range largestCases(b.Results) {
		text := fmt.Sprintf("%s %s at sequence %s, width %s: attention takes %s, summed over its parts", c.Framework, c.DType,
			human.Count(c.Seq), human.Count(c.DModel), human.Seconds(float64(c.TotalMS)/1000))
		if best := c.Best(); best != nil && best.Speedup > 1 && !b.Disturbed {
			text += fmt.Sprintf("; its core is %s faster at level %d (%s) than at level 0", human.Times(float64(best.Speedup)),
				best.Level, best.Name)
		}
		out = append(out, text+".")
	}
	if len(b.Layers) > 0 {
		out = append(out, layerSummary(b.Layers)...)
	}
	if len(b.Rates) > 0 {
		out = append(out, rateSummary(b)...)
	}
	if len(out) == 0 {
		out = append(out, "Nothing could be measured.")
	}
	return out
}

// largestCases are those that take longest, of each framework and type.
func largestCases(all []bench.CaseResult) (out []bench.CaseResult) {
	for _, f := range bench.Frameworks {
		of := map[string]int{}
		for _, c := range all {
			at, seen := of[c.DType]
			switch {
			case c.Framework != f || c.Bottleneck == "":
			case !seen:
				of[c.DType] = len(out)
				out = append(out, c)
			case c.TotalMS > out[at].TotalMS:
				out[at] = c
			}
		}
	}
	return out
}

// benchWarnings says what was not measured, and how many series are not what they should be; JSON has the words of
// each.
func benchWarnings(b bench.Result) []string {
	var out []string
	all, few, odd, unsteady := 0, 0, 0, 0
	count := func(n int, interval stat.Interval, warnings []string) {
		if n == 0 {
			return
		}
		all++
		switch {
		case !interval.Lo.Finite() || !interval.Hi.Finite():
			few++
		case slices.ContainsFunc(warnings, func(w string) bool { return strings.Contains(w, "still fell") }):
			unsteady++
		case len(warnings) > 0:
			odd++
		}
	}
	for _, c := range b.Results {
		for _, f := range c.Failed {
			if !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
		for _, p := range c.Components {
			count(p.N, p.Interval, p.Warnings)
		}
		for _, l := range c.Levels {
			count(l.N, l.Interval, l.Warnings)
		}
	}
	for _, l := range b.Layers {
		count(l.N, l.Interval, l.Warnings)
	}
	for _, x := range b.Rates {
		count(x.N, x.Interval, x.Warnings)
	}
	for _, w := range []struct {
		n    int
		text string
	}{
		{few, human.Choose(few, "has", "have") + " too few calls for an interval; raise `--time`"},
		{unsteady, human.Choose(unsteady, "was", "were") + " still warming up when measuring began"},
		{odd, human.Choose(odd, "has", "have") +
			" outliers or drift, from other programs or changing clocks; repeat before you trust small differences"},
	} {
		if w.n > 0 {
			out = append(out, fmt.Sprintf("%d of %d timing series %s", w.n, all, w.text))
		}
	}
	return out
}

// caseName tells cases apart: "torch bf16 8×1024×512, 8 heads".
func caseName(c bench.Case) string {
	return fmt.Sprintf("%s %s %d×%d×%d, %s", c.Framework, c.DType, c.Batch, c.Seq, c.DModel,
		human.Plural(c.Heads, "head"))
}

// ceilingsTable is what the device reaches at most, beside what its maker says.
func ceilingsTable(b bench.Result) *report.Table {
	t := &report.Table{Columns: []report.Column{
		{Name: "Framework"},
		{Name: "Products", Right: true},
		{Name: "vendor", Right: true},
		{Name: "Copy", Right: true},
		{Name: "vendor", Right: true},
		{
			Name:  "Ridge",
			Right: true,
		},
	}}
	var sources []string
	for _, c := range b.Ceilings {
		flops, bandwidth := measuredOr(c.FLOPS, "FLOP/s", c.FromTable), measuredOr(c.Bandwidth, "B/s", c.FromTable)
		t.Rows = append(t.Rows, []string{
			c.Framework + " " + c.DType, flops, ofMaker(c.FLOPS, c.TableFLOPS, "FLOP/s",
				c.FromTable), bandwidth, ofMaker(c.Bandwidth, c.TableBandwidth, "B/s", c.FromTable), human.Value(c.Ridge(), ""),
		})
		if c.TableSource != "" && !slices.Contains(sources, c.TableSource) {
			sources = append(sources, c.TableSource)
		}
	}
	t.Foot = "Measured first on this machine: the best of several large matrix products, and of a copy (bytes read and " +
		"written). They are the roofs below. Ridge: the FLOP per byte from which compute is the limit. Vendor: its own " +
		"figure, and the share of it reached here."
	for _, c := range b.Ceilings {
		if c.Raised {
			t.Foot += fmt.Sprintf(" %s was fastest in the %s, not in the large product, so that is its roof.", c.Framework,
				c.FLOPSBy)
		}
	}
	if len(sources) > 0 {
		t.Foot += " Vendor figures: " + strings.Join(sources, "; ") + "."
	}
	return t
}

func measuredOr(v float64, unit string, fromTable bool) string {
	if fromTable || v == 0 {
		return "not measured"
	}
	return human.Value(v, unit)
}

func ofMaker(measured, table float64, unit string, fromTable bool) string {
	switch {
	case table == 0:
		return human.Missing
	case fromTable:
		return human.Value(table, unit)
	}
	return human.Value(table, unit) + " (" + human.Percent(measured/table) + ")"
}

// sameWork puts the cases together that differ in their framework alone.
func sameWork(cases []bench.CaseResult) [][]bench.CaseResult {
	var groups [][]bench.CaseResult
	for _, c := range cases {
		at := slices.IndexFunc(groups, func(g []bench.CaseResult) bool { return g[0].DType == c.DType && g[0].Shape == c.Shape })
		if at < 0 {
			groups = append(groups, []bench.CaseResult{c})
		} else {
			groups[at] = append(groups[at], c)
		}
	}
	return groups
}

func groupBlocks(group []bench.CaseResult) []report.Block {
	c := group[0]
	heading := fmt.Sprintf("%s, batch %d, sequence %d, width %d, %s", c.DType, c.Batch, c.Seq, c.DModel,
		human.Plural(c.Heads, "head"))
	var blocks []report.Block
	if slices.ContainsFunc(group, func(c bench.CaseResult) bool { return len(c.Components) > 0 }) {
		if len(group) == 1 {
			blocks = append(blocks, report.Block{Heading: c.Framework + " " + heading, Table: componentsTable(c)})
		} else {
			blocks = append(blocks, report.Block{Heading: heading, Table: componentsBeside(group)})
		}
		heading = ""
	}
	for _, c := range group {
		of := ""
		if len(group) > 1 {
			of = " (" + c.Framework + ")"
		}
		if c.Finding != "" {
			blocks = append(blocks, report.Block{Text: "Bottleneck" + of + ": " + c.Finding + "."},
				report.Block{Text: "Recommendation" + of + ": " + c.Recommendation})
		}
	}
	if t := levelsTable(group); len(t.Rows) > 0 {
		if heading != "" {
			heading = "Levels, " + heading
		}
		blocks = append(blocks, report.Block{Heading: heading, Table: t})
	}
	return blocks
}

// componentsTable is one framework's parts.
func componentsTable(c bench.CaseResult) *report.Table {
	t := &report.Table{Columns: []report.Column{
		{Name: "Component"},
		{Name: "Time (ms)", Right: true},
		{Name: "% Total", Right: true},
		{Name: "Bound"},
		{Name: "% of roof", Right: true},
	}}
	for _, p := range c.Components {
		t.Rows = append(t.Rows, append([]string{p.Title()}, componentCells(p)...))
	}
	t.Rows = append(t.Rows, []string{"Total", milliseconds(c.TotalMS), "100.0%", "", ""})
	t.Foot = componentsFoot([]bench.CaseResult{c})
	return t
}

func componentCells(p bench.ComponentResult) []string {
	if p.N == 0 {
		return []string{human.Missing, human.Missing, string(p.Bound), human.Missing}
	}
	return []string{milliseconds(p.TimeMS), fmt.Sprintf("%.1f%%", 100*p.Share), string(p.Bound), ofRoof(p) + marks(p)}
}

// marks are explained in the foot.
func marks(p bench.ComponentResult) string {
	mark := ""
	if p.HostBound {
		mark += "*"
	}
	if p.AboveRoof {
		mark += "†"
	}
	return mark
}

func ofRoof(p bench.ComponentResult) string {
	if p.RoofRatio == 0 {
		return human.Missing
	}
	return fmt.Sprintf("%.1f%%", 100*p.RoofRatio)
}

func componentsFoot(group []bench.CaseResult) string {
	host, above := false, false
	least, most := math.MaxInt, 0
	clock := "by the host's clock"
	for _, c := range group {
		for _, p := range c.Components {
			host, above = host || p.HostBound, above || p.AboveRoof
			if p.N > 0 {
				least, most = min(least, p.N), max(most, p.N)
			}
			if p.GPUMS != nil {
				clock = "by the device's clock"
			}
		}
	}
	if most == 0 {
		return ""
	}
	calls := human.Count(least)
	if least < most {
		calls += " to " + human.Count(most)
	}
	text := "Medians of " + calls + map[bool]string{true: " call ", false: " calls "}[most == 1] + clock +
		", warm-up left out."
	if host {
		text += " *: host-bound, launching it takes as long as running it."
	}
	if above {
		text += " †: above its roof: caches helped a memory-bound part, or the roof was measured too low."
	}
	return text
}

// componentsBeside is the parts of several frameworks, a row each.
func componentsBeside(group []bench.CaseResult) *report.Table {
	t := &report.Table{Columns: []report.Column{{Name: "Component"}, {Name: "Bound"}}}
	for _, c := range group {
		t.Columns = append(t.Columns, report.Column{Name: c.Framework + " (ms)", Right: true}, report.Column{
			Name:  "% total",
			Right: true,
		}, report.Column{Name: "% of roof", Right: true})
	}
	total := []string{"Total", ""}
	for _, part := range bench.Components {
		row, bounds := []string{part.Title, ""}, []string{}
		for _, c := range group {
			cells := []string{human.Missing, human.Missing, human.Missing}
			if at := slices.IndexFunc(c.Components, func(p bench.ComponentResult) bool { return p.Name == part.Name }); at >= 0 {
				p := componentCells(c.Components[at])
				cells = []string{p[0], p[1], p[3]}
				if !slices.Contains(bounds, p[2]) {
					bounds = append(bounds, p[2])
				}
			}
			row = append(row, cells...)
		}
		row[1] = strings.Join(bounds, "/")
		t.Rows = append(t.Rows, row)
	}
	for _, c := range group {
		total = append(total, milliseconds(c.TotalMS), "100.0%", "")
	}
	t.Rows = append(t.Rows, total)
	t.Foot = componentsFoot(group)
	return t
}

// levelsTable is the ways to compute the core of attention; those of several frameworks stand one under the other.
func levelsTable(group []bench.CaseResult) *report.Table {
	several := len(group) > 1
	t := &report.Table{Columns: []report.Column{{Name: "Level"}}}
	if several {
		t.Columns = append(t.Columns, report.Column{Name: "Framework"})
	}
	t.Columns = append(t.Columns, report.Column{Name: "Backend"}, report.Column{Name: "Time (ms)", Right: true},
		report.Column{Name: "Speed-up", Right: true},
		report.Column{Name: "Peak", Right: true}, report.Column{Name: "Current", Right: true}, report.Column{
			Name:  "Cached",
			Right: true,
		}, report.Column{Name: "Error", Right: true})
	var skipped []string
	for level := range 4 {
		for _, c := range group {
			for _, l := range c.Levels {
				if l.Level != level {
					continue
				}
				row := []string{fmt.Sprintf("%d %s", l.Level, l.Name)}
				if several {
					row = append(row, c.Framework)
				}
				if l.N == 0 {
					row = append(row, "skipped", human.Missing, human.Missing, human.Missing, human.Missing, human.Missing,
						human.Missing)
					skipped = append(skipped, fmt.Sprintf("level %d%s: %s", l.Level,
						map[bool]string{true: " of " + c.Framework}[several], strings.TrimRight(l.Skipped, ".")))
				} else {
					row = append(row, orNone(l.Backend), milliseconds(l.TimeMS), timesOr(l.Speedup))
					row = append(row, memoryCells(l.Memory)...)
					row = append(row, errorCell(l.MaxError))
				}
				t.Rows = append(t.Rows, row)
			}
		}
	}
	dropEmpty(t)
	t.Foot = "Scores, softmax and weighted sum without the projections. The error is the largest difference from float64."
	if len(skipped) > 0 {
		t.Foot += " Skipped: " + strings.Join(skipped, "; ") + "."
	}
	return t
}

func timesOr(n stat.Number) string {
	if !n.Finite() {
		return human.Missing
	}
	return human.Times(float64(n))
}

func errorCell(n *stat.Number) string {
	if n == nil {
		return human.Missing
	}
	return fmt.Sprintf("%.1e", float64(*n))
}

func memoryCells(m *bench.Memory) []string {
	if m == nil {
		return []string{human.Missing, human.Missing, human.Missing}
	}
	return []string{sizeOr(m.Peak), sizeOr(m.Current), sizeOr(m.Cached)}
}

func sizeOr(bytes int64) string {
	if bytes < 0 {
		return human.Missing
	}
	return human.Memory(bytes)
}

// milliseconds keeps three digits of small times and no needless ones of large ones.
func milliseconds(n stat.Number) string {
	v := float64(n)
	switch {
	case !n.Finite():
		return human.Missing
	case v >= 100:
		return human.NewScale("").WithDecimals(1).Number(v)
	case v >= 1:
		return human.NewScale("").WithDecimals(2).Number(v)
	}
	return human.NewScale("").WithDecimals(4).Number(v)
}
