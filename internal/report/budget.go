package report

import (
	"strings"

	"saturate/internal/human"
)

// A page has a size limit: a pull request's comment takes 65,536 characters, and an HTML file should stay
// easy to send. What does not fit is left out from the end, details first, and the page says what is missing.

// Ranks of sections: the highest is left out first.
const (
	head     = iota // the answer, the warnings, what to do next
	evident         // the evidence
	detailed        // what is folded away
)

// section is a rendered piece of a page.
type section struct {
	name string
	body string
	rank int
}

// keep leaves out sections until the rest measures at most limit.
// It returns the bodies that stay, and the names of those that do not.
func keep(sections []section, limit int, measure func(string) int) (bodies, left []string) {
	const between = 2 // the newlines after a section
	total := 0
	for _, s := range sections {
		total += measure(s.body) + between
	}
	gone := make([]bool, len(sections))
	for _, rank := range []int{detailed, evident, head} {
		for i := len(sections) - 1; i >= 0 && total > limit; i-- {
			if sections[i].rank == rank {
				gone[i] = true
				total -= measure(sections[i].body) + between
			}
		}
	}
	for i, s := range sections {
		if gone[i] {
			left = append(left, s.name)
		} else {
			bodies = append(bodies, s.body)
		}
	}
	return bodies, left
}

// rank of a block.
func (b Block) rank() int {
	if b.Detail {
		return detailed
	}
	return evident
}

// name of a block, for the list of what was left out.
func (b Block) name() string {
	switch {
	case b.Heading != "":
		return human.Line(b.Heading)
	case b.Plot != nil:
		return human.Line(b.Plot.Title())
	case b.Table != nil:
		return "a table"
	}
	return "a paragraph"
}

// leftOut says in one sentence what did not fit.
func leftOut(names []string) string {
	const named = 5
	if len(names) == 0 {
		return ""
	}
	text := "Omitted to keep this page short: " + strings.Join(names[:min(len(names), named)], ", ")
	if more := len(names) - named; more > 0 {
		text += " and " + human.Count(more) + " more"
	}
	return text + ". `--format json` has everything."
}

// firstRows cuts a long table and says so in its foot.
func firstRows(t Table, most int) Table {
	if len(t.Rows) <= most {
		return t
	}
	remark := "First " + human.Count(most) + " of " + human.Count(len(t.Rows)) + " rows."
	t.Rows = t.Rows[:most]
	t.Foot = strings.TrimSpace(t.Foot + " " + remark)
	return t
}

// firstLines cuts long code at the end of a line and says so.
func firstLines(code string, most int) string {
	if len(code) <= most {
		return code
	}
	cut := strings.ToValidUTF8(code[:most], "")
	if at := strings.LastIndexByte(cut, '\n'); at > 0 {
		cut = cut[:at]
	}
	rest := strings.Count(code[len(cut):], "\n")
	return cut + "\n… " + human.Plural(max(rest, 1), "more line")
}

// clip cuts a sentence that is longer than any sentence should be.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
