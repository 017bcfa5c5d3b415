package report

import (
	"strconv"
	"strings"

	"saturate/internal/finding"
	"saturate/internal/human"
)

// finding shows one finding the way compilers do: code and message, place, source, then the reasons.
// The others are of the same kind: their places are enough.
func (p *textPage) finding(g group) []string {
	f := g.first
	code := human.Line(f.Code)
	lines := p.labelled(p.bullet+p.severity(f.Severity, code), p.bullet+code, human.Line(f.Message))
	gutter := ""
	if at := place(f); at != "" {
		number := 1
		if f.Where != nil {
			number = len(strconv.Itoa(max(f.Where.Line, 0)))
		}
		gutter = strings.Repeat(" ", number)
		lines = append(lines, gutter+p.Style.Faint("-->")+" "+p.Style.Place(at))
	}
	if f.Where != nil {
		lines = append(lines, p.excerpt(*f.Where, gutter)...)
	}
	add := func(label, text string) {
		if text != "" {
			lines = append(lines, p.labelled(p.Style.Strong(label), label, text)...)
		}
	}
	add("also:", alsoAt(g.others))
	add("also:", elsewhereAt(g.elsewhere))
	add("why: ", human.Line(f.Why))
	for _, note := range notes(f) {
		add("note:", note)
	}
	add("gain:", gain(f.Estimate))
	add("help:", human.Line(f.Advice))
	for _, fix := range f.Fixes {
		add("fix: ", human.Line(fix.Title)+" ("+safety(fix)+")")
		if f.Where == nil {
			continue
		}
		if c, ok := changeOf(*f.Where, fix); ok {
			for _, l := range c.diff() {
				lines = append(lines, "      "+p.code(l))
			}
		}
	}
	return lines
}

func (p *textPage) severity(s finding.Severity, code string) string {
	switch s {
	case finding.Error:
		return p.Style.Bad(code)
	case finding.Warning:
		return p.Style.Caution(code)
	}
	return p.Style.Strong(code)
}

func (p *textPage) excerpt(loc finding.Location, gutter string) []string {
	width := 0
	if p.Width > 0 {
		width = max(p.Width-len(gutter)-3, 24)
	}
	e, ok := excerptOf(loc, width)
	if !ok {
		return nil
	}
	bar := p.Style.Faint("|")
	return []string{
		gutter + " " + bar,
		p.Style.Faint(strconv.Itoa(e.line)) + " " + bar + " " + e.source,
		gutter + " " + bar + " " + p.Style.Bad(e.caret),
		gutter + " " + bar,
	}
}
