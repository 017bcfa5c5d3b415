package report

import (
	"strings"

	"saturate/internal/finding"
	"saturate/internal/human"
)

// Page is a Report for a program that draws it in its own way, such as the page of `saturate serve`: what html.go
// shows, as values.
type Page struct {
	Title    string        `json:"title"`
	Summary  []string      `json:"summary"`
	Tone     Tone          `json:"tone"`
	Diff     string        `json:"diff,omitempty"`
	Figures  []Figure      `json:"figures"`
	Warnings []string      `json:"warnings"`
	Blocks   []PageBlock   `json:"blocks"`
	Findings []PageFinding `json:"findings"`
	Next     []string      `json:"next"`
}

// PageBlock is a block with its plot drawn.
type PageBlock struct {
	Heading string `json:"heading,omitempty"`
	Text    string `json:"text,omitempty"`
	Code    string `json:"code,omitempty"`
	Table   *Table `json:"table,omitempty"`
	SVG     string `json:"svg,omitempty"`    // harmless: shapes and words, no scripts, no links
	Narrow  string `json:"narrow,omitempty"` // the same for a small screen
	Caption string `json:"caption,omitempty"`
	Detail  bool   `json:"detail,omitempty"`
}

// PageFinding is a finding with its source line and each fix as a diff.
type PageFinding struct {
	finding.Finding
	Place  string    `json:"place,omitempty"`
	Line   int       `json:"line,omitempty"`
	Source string    `json:"source,omitempty"`
	Caret  string    `json:"caret,omitempty"`
	Notes  []string  `json:"notes"`
	Gain   string    `json:"gain,omitempty"`
	Shown  []PageFix `json:"shown_fixes"`
}

// PageFix is one way to repair a finding.
type PageFix struct {
	Title  string `json:"title"`
	Safety string `json:"safety"`
	Diff   string `json:"diff,omitempty"`
}

// PageOf makes the values of a page.
func PageOf(r Report) Page {
	p := Page{
		Title: human.Line(r.Title), Tone: r.Tone, Diff: human.Clean(string(r.Diff)),
		Figures: append([]Figure{}, r.Figures...),
		Summary: cleanLines(r.Summary), Warnings: cleanLines(r.Warnings), Next: cleanLines(r.Next), Blocks: []PageBlock{}, Findings: PageFindings(r.Findings),
	}
	for _, b := range r.Blocks {
		v := blockView(b)
		block := PageBlock{
			Heading: human.Line(b.Heading), Text: human.Clean(b.Text), Code: human.Clean(v.Code), Table: b.Table,
			SVG: string(v.Wide), Narrow: string(v.Narrow), Caption: human.Line(v.Caption), Detail: b.Detail,
		}
		if v.Shown != "" {
			block.Text = human.Clean(v.Shown)
		}
		p.Blocks = append(p.Blocks, block)
	}
	return p
}

// PageFindings makes the values of findings alone.
func PageFindings(list []finding.Finding) []PageFinding {
	out := []PageFinding{}
	for _, f := range list {
		v := findingView(f, false, "")
		page := PageFinding{
			Finding: f, Place: human.Line(v.Place), Notes: cleanLines(v.Notes), Gain: human.Line(v.Gain),
			Shown: []PageFix{},
		}
		page.Line, page.Source, page.Caret = v.Excerpt.line, v.Excerpt.source, v.Excerpt.caret
		page.Message, page.Advice, page.Why = human.Line(f.Message), human.Line(f.Advice), human.Line(f.Why)
		for _, fix := range v.Fixes {
			page.Shown = append(page.Shown, PageFix{human.Line(fix.Title), human.Line(fix.Safety), human.Clean(fix.Diff)})
		}
		out = append(out, page)
	}
	return out
}

func cleanLines(list []string) []string {
	out := []string{}
	for _, s := range list {
		out = append(out, strings.TrimSpace(human.Line(s)))
	}
	return out
}
