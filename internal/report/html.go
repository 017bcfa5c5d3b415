package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"strings"
	"unicode/utf8"

	"saturate/internal/finding"
	"saturate/internal/human"
	"saturate/internal/report/plot"
)

// Limits of the page, in bytes and rows. A page is to be opened, sent and printed.
const (
	htmlLimit    = 900_000
	htmlRows     = 1_000
	htmlCode     = 200_000
	htmlSentence = 5_000
	printedRows  = 100

	wideHTMLPlot   = 800
	narrowHTMLPlot = 340
)

//go:embed html/page.css
var pageCSS string

//go:embed html/page.html
var pageTemplate string

// script is the only code in a page: it makes tables sort and plots zoom. The page says the same without it.
//
//go:embed html/page.js
var script string

// pagePolicy lets a page run Script and nothing else, and load nothing.
var pagePolicy = func() string {
	sum := sha256.Sum256([]byte(script))
	return "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" +
		base64.StdEncoding.EncodeToString(sum[:]) + "'"
}()

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"prose": proseHTML,
	"long":  longHTML,
	"code":  codeHTML,
	"line":  human.Line,
}).Parse(pageTemplate))

// htmlPage is what the template shows around the sections.
type htmlPage struct {
	Report
	Version  string
	CSS      template.CSS
	JS       template.JS
	Policy   string
	Answer   string
	Rest     []string
	Sections []template.HTML
	LeftOut  string
}

func renderHTML(r Report, opt Options) ([]byte, error) {
	var sections []section
	var failed error
	add := func(name, template string, data any, rank int) {
		body, err := execute(template, data)
		sections, failed = append(sections, section{name, body, rank}), errors.Join(failed, err)
	}
	addBlocks := func(blocks []Block) {
		for _, b := range blocks {
			add(b.name(), "block", blockView(b), b.rank())
		}
	}
	if len(r.Figures) > 0 {
		add("the figures", "figures", r.Figures, head)
	}
	if len(r.Warnings) > 0 {
		add("the warnings", "warnings", r.Warnings, head)
	}
	evidence, appendix := apart(r.Blocks)
	addBlocks(evidence)
	for i, f := range r.Findings {
		add(human.Line(f.Code), "finding", findingView(f, i == 0, r.findingsHeading()), evident)
	}
	if len(r.Next) > 0 {
		add("what to do next", "next", r.Next, head)
	}
	addBlocks(appendix)

	bodies, left := keep(sections, htmlLimit, func(s string) int { return len(s) })
	p := htmlPage{
		Report: r, Version: opt.Version, CSS: template.CSS(pageCSS + plot.CSS), JS: template.JS(script),
		Policy: pagePolicy, LeftOut: leftOut(left),
	}
	if len(r.Summary) > 0 {
		p.Answer, p.Rest = r.Summary[0], r.Summary[1:]
	}
	for _, b := range bodies {
		p.Sections = append(p.Sections, template.HTML(b))
	}
	body, err := execute("page", p)
	return []byte(body), errors.Join(failed, err)
}

func execute(name string, data any) (string, error) {
	var b bytes.Buffer
	if err := page.ExecuteTemplate(&b, name, data); err != nil {
		return "", fmt.Errorf("cannot render the HTML page: %w", err)
	}
	return b.String(), nil
}

// view of a block: what the template needs beside the block.
type blockHTML struct {
	Block
	Kind    string
	Name    string
	Columns []Column
	Rows    [][]string
	Foot    string
	Long    bool   // too long to be unfolded on paper
	Caption string // of a plot, where the heading does not say it already
	Wide    template.HTML
	Narrow  template.HTML
	Shown   string // the plot's figures, where it cannot be drawn
}

func blockView(b Block) blockHTML {
	v := blockHTML{Block: b, Kind: b.kind(), Name: b.name()}
	if b.Table != nil {
		t := firstRows(*b.Table, htmlRows)
		v.Columns, v.Rows = t.cells()
		v.Foot, v.Long = t.Foot, len(t.Rows) > printedRows
	}
	if b.Plot != nil {
		if b.Heading != b.Plot.Title() {
			v.Caption = b.Plot.Title()
		}
		wide, narrow := b.Plot.SVG(), ""
		if d, ok := b.Plot.(drawer); ok {
			wide, narrow = d.Draw(wideHTMLPlot), d.Draw(narrowHTMLPlot)
		}
		if !harmlessSVG(wide) || narrow != "" && !harmlessSVG(narrow) {
			v.Shown = b.Plot.Text()
			return v
		}
		v.Wide, v.Narrow = template.HTML(wide), template.HTML(narrow)
	}
	v.Code = firstLines(v.Code, htmlCode)
	return v
}

// view of a finding.
type findingHTML struct {
	finding.Finding
	First   bool // it carries the heading of all
	Heading string
	Place   string
	Excerpt excerpt
	Notes   []string
	Gain    string
	Fixes   []fixHTML
}

type fixHTML struct {
	Title, Safety, Diff string
}

func findingView(f finding.Finding, first bool, heading string) findingHTML {
	v := findingHTML{Finding: f, First: first, Heading: heading, Place: place(f), Notes: notes(f), Gain: gain(f.Estimate)}
	if f.Where != nil {
		v.Excerpt, _ = excerptOf(*f.Where, 400)
	}
	for _, p := range f.Fixes {
		fix := fixHTML{Title: p.Title, Safety: safety(p)}
		if f.Where != nil {
			if c, ok := changeOf(*f.Where, p); ok {
				fix.Diff = strings.Join(c.diff(), "\n")
			}
		}
		v.Fixes = append(v.Fixes, fix)
	}
	return v
}

// Line is the excerpt's line number, for the template.
func (e excerpt) Line() int { return e.line }

// Source is the excerpt's source line, for the template.
func (e excerpt) Source() string { return e.source }

// Caret marks the place under the source line, for the template.
func (e excerpt) Caret() string { return e.caret }

// proseHTML escapes a text; `code` becomes a code element.
func proseHTML(s string) template.HTML {
	var b strings.Builder
	for _, sp := range spans(clip(human.Clean(s), htmlSentence)) {
		text := template.HTMLEscapeString(sp.text)
		if sp.code {
			text = "<code>" + text + "</code>"
		}
		b.WriteString(text)
	}
	return template.HTML(b.String())
}

// longWord is how long a word in a table may be before it is broken: names are not, paths are.
const longWord = 28

// longText is how long a text of several words is that must not be squeezed to a word a line.
const longText = 12

// longHTML marks a cell with such a word or text.
func longHTML(s string) template.HTMLAttr {
	words := strings.Fields(s)
	for _, word := range words {
		if utf8.RuneCountInString(word) > longWord {
			return ` class="text long"`
		}
	}
	if len(words) > 1 && utf8.RuneCountInString(s) > longText {
		return ` class="text"`
	}
	return ""
}

// codeHTML escapes code and marks the lines of a diff.
func codeHTML(code string) template.HTML {
	var b strings.Builder
	for i, l := range strings.Split(strings.TrimRight(human.Clean(code), "\n"), "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		text := template.HTMLEscapeString(l)
		switch {
		case strings.HasPrefix(l, "+"):
			text = `<span class="add">` + text + "</span>"
		case strings.HasPrefix(l, "-"):
			text = `<span class="del">` + text + "</span>"
		case strings.HasPrefix(l, "@@"):
			text = `<span class="hunk">` + text + "</span>"
		}
		b.WriteString(text)
	}
	return template.HTML(b.String())
}
