package report

import (
	"strings"
	"unicode/utf8"

	"saturate/internal/finding"
	"saturate/internal/human"
	"saturate/internal/patch"
)

// excerpt is a source line with a caret under the place that is meant.
type excerpt struct {
	line   int
	source string
	caret  string
}

// excerptOf cuts a line to width columns around its place. Tabs become four spaces.
func excerptOf(loc finding.Location, width int) (excerpt, bool) {
	if strings.TrimSpace(loc.Excerpt) == "" {
		return excerpt{}, false
	}
	runes := []rune(loc.Excerpt)
	from := min(max(loc.Column-1, 0), len(runes))
	to := min(max(loc.EndColumn-1, from+1), len(runes))
	if loc.EndLine > loc.Line {
		to = len(runes)
	}
	source, lead, marked := shown(string(runes)), human.Width(shown(string(runes[:from]))), 1
	if to > from {
		marked = max(human.Width(shown(string(runes[from:to]))), 1)
	}
	if width > 20 && human.Width(source) > width {
		source, lead, marked = window(source, lead, marked, width)
	}
	return excerpt{loc.Line, source, strings.Repeat(" ", lead) + strings.Repeat("^", marked)}, true
}

// shown is a piece of source as it is displayed.
func shown(s string) string {
	return human.Line(strings.ReplaceAll(s, "\t", "    "))
}

// window cuts a long line so that the marked columns stay in sight.
func window(source string, lead, marked, width int) (string, int, int) {
	skip := max(min(lead-width/3, human.Width(source)-width), 0)
	var b strings.Builder
	at := 0
	for _, r := range source {
		if at >= skip {
			b.WriteRune(r)
		}
		at += human.RuneWidth(r)
	}
	cut := b.String()
	lead -= human.Width(source) - human.Width(cut)
	if skip > 0 {
		cut, lead = "…"+cut, lead+1
	}
	cut = human.Clip(cut, width)
	return cut, lead, min(marked, max(width-lead, 1))
}

// change is a line before and after a repair.
type change struct{ before, after string }

// changeOf applies a repair to the excerpt. It works for repairs that stay within that line:
// others are shown by their title alone.
func changeOf(loc finding.Location, p patch.Patch) (change, bool) {
	column := min(max(loc.Column-1, 0), utf8.RuneCountInString(loc.Excerpt))
	lineStart := loc.Start - len(string([]rune(loc.Excerpt)[:column]))
	if loc.Excerpt == "" || len(p.Edits) == 0 {
		return change{}, false
	}
	after, end := "", 0
	for _, e := range p.Edits {
		from, to := e.Start-lineStart, e.End-lineStart
		if e.Path != loc.Path || from < end || to < from || to > len(loc.Excerpt) {
			return change{}, false
		}
		after += loc.Excerpt[end:from] + e.Text
		end = to
	}
	return change{loc.Excerpt, after + loc.Excerpt[end:]}, true
}

// diff writes the change as lines of a diff, without the indentation that they share.
func (c change) diff() []string {
	after := strings.Split(strings.ReplaceAll(c.after, "\r\n", "\n"), "\n")
	indent := c.before[:len(c.before)-len(strings.TrimLeft(c.before, " \t"))]
	for _, l := range after {
		for !strings.HasPrefix(l, indent) {
			indent = indent[:len(indent)-1]
		}
	}
	lines := []string{"- " + shown(c.before[len(indent):])}
	for _, l := range after {
		lines = append(lines, "+ "+shown(l[len(indent):]))
	}
	return lines
}
