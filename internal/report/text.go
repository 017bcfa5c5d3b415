package report

import (
	"strings"

	"saturate/internal/human"
)

// textPage collects paragraphs; a blank line stands between them.
type textPage struct {
	Options
	paragraphs []string
	folded     []string // headings of details that are not shown
	bullet     string   // before each finding
}

func renderText(r Report, opt Options) ([]byte, error) {
	p := &textPage{Options: opt}
	if p.Width == 0 {
		p.Width = r.Columns
	}
	p.summary(r)
	var warnings []string
	for _, w := range r.Warnings {
		warnings = append(warnings, p.labelled(p.Style.Caution("warning:"), "warning:", human.Clean(w))...)
	}
	p.add(warnings)
	evidence, appendix := apart(r.Blocks)
	p.blocks(evidence)
	if r.Listed != "" && len(r.Findings) > 0 {
		p.add([]string{p.Style.Strong(human.Line(r.Listed))})
		p.bullet = "• "
	}
	groups := grouped(r.Findings)
	if !p.Details {
		groups = foldGroups(groups)
	}
	for _, g := range groups {
		p.add(p.finding(g))
	}
	if len(r.Next) > 0 {
		lines := []string{p.Style.Strong("Next")}
		for _, n := range r.Next {
			lines = append(lines, "  "+human.Line(n))
		}
		p.add(lines)
	}
	p.blocks(appendix)
	if len(p.folded) > 0 {
		p.add(p.faint(human.Wrap("More with -v: "+strings.Join(p.folded, ", "), p.Width)))
	}
	return append(p.diff(r.Diff), strings.Join(p.paragraphs, "\n\n")+"\n"...), nil
}

// diff is the bytes themselves for a file or a program, and coloured, harmless lines for a terminal.
func (p *textPage) diff(diff []byte) []byte {
	if len(diff) == 0 {
		return nil
	}
	if !p.Style.Color && !p.Terminal {
		return append(diff[:len(diff):len(diff)], '\n')
	}
	var out []byte
	for l := range strings.SplitSeq(strings.TrimSuffix(string(diff), "\n"), "\n") {
		out = append(append(out, p.code(human.Clean(l))...), '\n')
	}
	return append(out, '\n')
}

// add puts lines down as one paragraph, without trailing spaces.
func (p *textPage) add(lines []string) {
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	if len(lines) > 0 {
		p.paragraphs = append(p.paragraphs, strings.Join(lines, "\n"))
	}
}

func (p *textPage) faint(lines []string) []string {
	for i, l := range lines {
		lines[i] = p.Style.Faint(l)
	}
	return lines
}

func (p *textPage) summary(r Report) {
	var lines []string
	for i, s := range r.Summary {
		for _, l := range human.Wrap(human.Line(s), p.Width) {
			if i == 0 {
				l = p.Style.tone(r.Tone, l)
			}
			lines = append(lines, l)
		}
	}
	p.add(lines)
	if len(r.Figures) == 0 {
		return
	}
	figures := Table{Columns: []Column{{}, {Right: true}, {}}}
	for _, f := range r.Figures {
		figures.Rows = append(figures.Rows, []string{f.Name, f.Value, f.Note})
	}
	p.add(p.table(figures))
}

// labelled wraps a text behind a label and indents what follows under it.
func (p *textPage) labelled(mark, label, text string) []string {
	indent := human.Width(label) + 1
	width := p.Width
	if width > 0 {
		width = max(width-indent, 20)
	}
	lines := human.Wrap(text, width)
	for i := range lines {
		if i == 0 {
			lines[i] = mark + " " + lines[i]
		} else {
			lines[i] = strings.Repeat(" ", indent) + lines[i]
		}
	}
	return lines
}

func (p *textPage) blocks(blocks []Block) {
	for _, b := range blocks {
		switch {
		case !b.Detail || p.Details:
			p.block(b)
		case b.Heading != "":
			p.folded = append(p.folded, human.Line(b.Heading))
		}
	}
}

func (p *textPage) block(b Block) {
	var lines []string
	if b.Heading != "" {
		lines = append(lines, p.Style.Strong(human.Line(b.Heading)))
	} else if b.Plot != nil {
		lines = append(lines, p.Style.Strong(human.Line(b.Plot.Title())))
	}
	switch b.kind() {
	case "table":
		lines = append(lines, p.table(*b.Table)...)
	case "plot":
		lines = append(lines, indent(p.plot(b.Plot))...)
	case "code":
		for l := range strings.SplitSeq(strings.TrimRight(human.Clean(b.Code), "\n"), "\n") {
			lines = append(lines, "  "+p.code(strings.ReplaceAll(l, "\t", "    ")))
		}
	default:
		lines = append(lines, human.Wrap(human.Clean(b.Text), p.Width)...)
	}
	p.add(lines)
}

// code colours the lines of a diff.
func (p *textPage) code(line string) string {
	switch {
	case strings.HasPrefix(line, "+"):
		return p.Style.mark("32", line)
	case strings.HasPrefix(line, "-"):
		return p.Style.mark("31", line)
	case strings.HasPrefix(line, "@@"):
		return p.Style.Place(line)
	}
	return line
}

func (p *textPage) plot(plot Plot) []string {
	width := p.Width - 2
	if p.Width <= 0 {
		width = 78
	}
	if l, ok := plot.(liner); ok {
		var lines []string
		for _, line := range l.Lines(max(min(width, 100), 20)) {
			lines = append(lines, strings.TrimRight(human.Line(line), " "))
		}
		return lines
	}
	return human.Wrap(human.Line(plot.Text()), width)
}

func indent(lines []string) []string {
	for i, l := range lines {
		lines[i] = "  " + l
	}
	return lines
}
