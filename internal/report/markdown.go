package report

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"saturate/internal/finding"
	"saturate/internal/human"
)

// Limits of a pull request's comment, in characters; GitHub takes 65,536.
const (
	markdownLimit    = 64_000
	markdownRows     = 60
	markdownCode     = 12_000
	markdownSentence = 2_000
	markdownWidth    = 76
	openFindings     = 10 // further ones are folded
)

func renderMarkdown(r Report, _ Options) ([]byte, error) {
	var page []section
	if r.Title != "" {
		page = append(page, section{"the title", "## " + prose(human.Line(r.Title)), head})
	}
	for i, s := range r.Summary {
		body := prose(human.Line(s))
		if i == 0 {
			body = "**" + body + "**"
		}
		page = append(page, section{"the summary", body, head})
	}
	if len(r.Figures) > 0 {
		page = append(page, section{"the figures", figuresMarkdown(r.Figures), head})
	}
	if len(r.Warnings) > 0 {
		page = append(page, section{"the warnings", warningsMarkdown(r.Warnings), head})
	}
	evidence, appendix := apart(r.Blocks)
	add := func(blocks []Block) {
		for _, b := range blocks {
			page = append(page, section{b.name(), blockMarkdown(b), b.rank()})
		}
	}
	add(evidence)
	for i, f := range r.Findings {
		body, rank := findingMarkdown(f), evident
		if i == 0 {
			body = "### " + prose(r.findingsHeading()) + "\n\n" + body
		}
		if i >= openFindings {
			body, rank = folded(f.Code+" "+f.Message, body), detailed
		}
		page = append(page, section{human.Line(f.Code), body, rank})
	}
	if len(r.Next) > 0 {
		page = append(page, section{"what to do next", "### Next\n\n" + fenced("sh", lines(r.Next)), head})
	}
	add(appendix)
	bodies, left := keep(page, markdownLimit, utf8.RuneCountInString)
	if len(left) > 0 {
		bodies = append(bodies, prose(leftOut(left)))
	}
	return []byte(strings.Join(bodies, "\n\n") + "\n"), nil
}

func figuresMarkdown(figures []Figure) string {
	t := Table{}
	values, notes := []string{}, []string{}
	noted := false
	for _, f := range figures {
		t.Columns = append(t.Columns, Column{Name: f.Name, Right: true})
		values, notes = append(values, f.Value), append(notes, f.Note)
		noted = noted || f.Note != ""
	}
	t.Rows = [][]string{values}
	if noted {
		t.Rows = append(t.Rows, notes)
	}
	return tableMarkdown(t)
}

func warningsMarkdown(warnings []string) string {
	var b strings.Builder
	b.WriteString("> [!WARNING]")
	for _, w := range warnings {
		b.WriteString("\n> - " + strings.ReplaceAll(prose(w), "\n", "\n>   "))
	}
	return b.String()
}

func blockMarkdown(b Block) string {
	body := ""
	switch b.kind() {
	case "table":
		body = tableMarkdown(firstRows(*b.Table, markdownRows))
	case "plot":
		body = plotMarkdown(b.Plot, b.Heading == "")
	case "code":
		body = fenced(language(b.Code), firstLines(b.Code, markdownCode))
	default:
		body = prose(b.Text)
	}
	switch {
	case b.Detail:
		return folded(b.name(), body)
	case b.Heading != "":
		return "### " + prose(b.Heading) + "\n\n" + body
	}
	return body
}

// plotMarkdown draws with characters: a pull request shows no inline SVG.
func plotMarkdown(p Plot, titled bool) string {
	body := prose(p.Text())
	if l, ok := p.(liner); ok {
		drawn := l.Lines(markdownWidth)
		for i := range drawn {
			drawn[i] = strings.TrimRight(human.Line(drawn[i]), " ")
		}
		body = fenced("", strings.Join(drawn, "\n"))
	}
	if titled {
		return "**" + prose(p.Title()) + "**\n\n" + body
	}
	return body
}

func tableMarkdown(t Table) string {
	columns, rows := t.cells()
	var b strings.Builder
	line := func(cells []string) {
		b.WriteString("|")
		for _, c := range cells {
			b.WriteString(" " + c + " |")
		}
		b.WriteString("\n")
	}
	names, rule := make([]string, len(columns)), make([]string, len(columns))
	for j, c := range columns {
		names[j], rule[j] = cell(c.Name), "---"
		if c.Right {
			rule[j] = "--:"
		}
	}
	line(names)
	line(rule)
	for _, row := range rows {
		for j := range row {
			row[j] = cell(row[j])
		}
		line(row)
	}
	out := strings.TrimRight(b.String(), "\n")
	if t.Foot != "" {
		out += "\n\n" + prose(t.Foot)
	}
	return out
}

func findingMarkdown(f finding.Finding) string {
	var b strings.Builder
	b.WriteString("**" + codeSpan(f.Code) + "** " + prose(human.Line(f.Message)))
	if at := place(f); at != "" {
		b.WriteString("<br>\n" + codeSpan(at))
	}
	if f.Where != nil {
		if e, ok := excerptOf(*f.Where, 100); ok {
			number := strconv.Itoa(e.line)
			b.WriteString("\n\n" + fenced("", number+" | "+e.source+"\n"+strings.Repeat(" ", len(number))+" | "+e.caret))
		}
	}
	b.WriteString("\n")
	item := func(label, text string) {
		if text != "" {
			b.WriteString("\n- **" + label + ":** " + prose(human.Line(text)))
		}
	}
	item("why", f.Why)
	for _, note := range notes(f) {
		item("note", note)
	}
	item("gain", gain(f.Estimate))
	item("help", f.Advice)
	for _, fix := range f.Fixes {
		item("fix", fix.Title+" ("+safety(fix)+")")
		if f.Where == nil {
			continue
		}
		if c, ok := changeOf(*f.Where, fix); ok {
			diff := fenced("diff", strings.Join(c.diff(), "\n"))
			b.WriteString("\n\n  " + strings.ReplaceAll(diff, "\n", "\n  ") + "\n")
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

func folded(summary, body string) string {
	return "<details><summary>" + htmlText(clip(human.Line(summary), markdownSentence)) + "</summary>\n\n" + body +
		"\n\n</details>"
}

// lines are sentences or commands that hold no line ends of their own, one on each line.
func lines(list []string) string {
	var b strings.Builder
	for _, s := range list {
		b.WriteString(human.Line(s) + "\n")
	}
	return b.String()
}
