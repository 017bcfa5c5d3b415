// Package report turns what a command found into text, JSON, Markdown and HTML.
//
// Package view fills a Report from the values of each command; Render shows it in one of the formats and
// adds nothing of its own:
//
//	render.go    the list of formats, one line each
//	text.go      for a terminal
//	json.go      for programs
//	markdown.go  for a pull request
//	html.go      one file to open, send and print
//
// Strings in a Report come from anywhere (source files, traces, host names), so every renderer makes
// them harmless. `code` between backticks is the only markup they carry.
package report

import (
	"saturate/internal/finding"
)

// Report is what a command has to say. The first sentence of Summary is the answer.
type Report struct {
	Command  string            // names the JSON schema: saturate/<command>/1
	Title    string            // heading of the HTML page and of the Markdown
	Summary  []string          // sentences, the answer first
	Tone     Tone              // whether the answer is good news
	Diff     []byte            // a unified diff; in a text it comes first, byte for byte, so that `git apply` takes the whole
	Figures  []Figure          // the few numbers a reader takes away, three to five
	Warnings []string          // what the reader must know before believing it
	Blocks   []Block           // the evidence, in reading order
	Findings []finding.Finding // worst first
	Columns  int               // how wide the text is where no terminal says it; 0: as wide as its tables
	Listed   string            // heading of the findings when they are the answer itself, as in a scan: one bullet each
	Next     []string          // commands to run next
	Data     any               // the command's own JSON fields
	Outcome  Outcome           // decides the exit code
}

// Tone colours an answer. Words and signs must say it too: not everyone sees colours.
type Tone string

const (
	Neutral Tone = ""
	Good    Tone = "good"
	Bad     Tone = "bad"
	Unsure  Tone = "unsure"
)

// Figure is a number with its name, shown large.
type Figure struct {
	Name  string `json:"name"`           // "time per step"
	Value string `json:"value"`          // "0.61 s"
	Note  string `json:"note,omitempty"` // "was 1.42 s"
}

// Block is one piece of evidence under an optional heading: exactly one of the others is set.
type Block struct {
	Heading string
	Text    string // a paragraph
	Code    string // shown as it is: a diff, a source excerpt
	Table   *Table
	Plot    Plot
	Detail  bool // folded away in HTML and Markdown, left out of the text unless asked for
}

// Table has a header and rows of cells that are already formatted.
type Table struct {
	Columns []Column   `json:"columns"`
	Rows    [][]string `json:"rows"`
	Foot    string     `json:"foot,omitempty"` // a remark under the table
}

// Column says how a column is aligned.
type Column struct {
	Name  string `json:"name"`
	Right bool   `json:"right,omitempty"` // numbers
}

// Plot is a picture that can be drawn as SVG, with its figures for those who cannot see it.
type Plot interface {
	Title() string
	SVG() string  // a whole <svg> element that follows the page's colours
	Text() string // what the picture shows, in one line
}

// drawer is a Plot that can be drawn at any width, for narrow screens.
type drawer interface{ Draw(width int) string }

// liner is a Plot that can be drawn with characters on several lines.
type liner interface{ Lines(width int) []string }
