package report

import (
	"strings"

	"saturate/internal/human"
)

const (
	columnGap  = 2
	leastShown = 12 // columns that a column of words keeps when space is short
)

// table aligns columns. Words are wrapped within their column when the terminal is too narrow; numbers never.
func (p *textPage) table(t Table) []string {
	columns, rows := t.cells()
	widths := make([]int, len(columns))
	titled := false
	for j, c := range columns {
		widths[j] = human.Width(human.Line(c.Name))
		titled = titled || c.Name != ""
		for _, row := range rows {
			widths[j] = max(widths[j], human.Width(row[j]))
		}
	}
	p.narrow(columns, widths)

	var lines []string
	if titled {
		head := make([]string, len(columns))
		for j, c := range columns {
			head[j] = human.Line(c.Name)
		}
		for _, l := range tableRow(columns, widths, head) {
			lines = append(lines, p.Style.Strong(l))
		}
		total := -columnGap
		for _, w := range widths {
			total += w + columnGap
		}
		lines = append(lines, "  "+p.Style.Faint(strings.Repeat("─", max(total, 0))))
	}
	for _, row := range rows {
		lines = append(lines, tableRow(columns, widths, row)...)
	}
	if len(rows) == 0 {
		lines = append(lines, "  "+p.Style.Faint("(none)"))
	}
	if t.Foot != "" {
		width := p.Width
		if width > 0 {
			width = max(width-2, 20)
		}
		lines = append(lines, p.faint(indent(human.Wrap(human.Clean(t.Foot), width)))...)
	}
	return lines
}

// narrow takes columns from the widest columns of words until the table fits.
func (p *textPage) narrow(columns []Column, widths []int) {
	if p.Width <= 0 {
		return
	}
	for {
		total, widest := 2-columnGap, -1
		for j, w := range widths {
			total += w + columnGap
			if !columns[j].Right && w > leastShown && (widest < 0 || w > widths[widest]) {
				widest = j
			}
		}
		if total <= p.Width || widest < 0 {
			return
		}
		widths[widest] = max(widths[widest]-(total-p.Width), leastShown, widths[widest]*2/3)
	}
}

// tableRow lays one row out, on several lines where a cell is wrapped.
func tableRow(columns []Column, widths []int, cells []string) []string {
	wrapped := make([][]string, len(cells))
	high := 1
	for j, cell := range cells {
		wrapped[j] = human.Wrap(cell, max(widths[j], 1))
		high = max(high, len(wrapped[j]))
	}
	lines := make([]string, high)
	for i := range lines {
		var b strings.Builder
		b.WriteString("  ")
		for j, c := range columns {
			cell := ""
			if i < len(wrapped[j]) {
				cell = wrapped[j][i]
			}
			if c.Right {
				cell = human.PadLeft(cell, widths[j])
			} else {
				cell = human.PadRight(cell, widths[j])
			}
			b.WriteString(cell)
			if j < len(columns)-1 {
				b.WriteString(strings.Repeat(" ", columnGap))
			}
		}
		lines[i] = strings.TrimRight(b.String(), " ")
	}
	return lines
}
