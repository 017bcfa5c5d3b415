package report

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"saturate/internal/report/reporttest"
)

func render(t *testing.T, r Report, format string, opt Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Render(&b, r, format, opt); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestSample(t *testing.T) {
	for name, test := range map[string]struct {
		format string
		opt    Options
	}{
		"sample.txt":       {"text", Options{Width: 90}},
		"sample-full.txt":  {"text", Options{Details: true}},
		"sample-color.txt": {"text", Options{Width: 60, Style: Style{Color: true}}},
		"sample.json":      {"json", Options{Version: "1.2.3"}},
		"sample.md":        {"markdown", Options{}},
		"sample.html":      {"html", Options{Version: "1.2.3"}},
	} {
		t.Run(name, func(t *testing.T) {
			reporttest.Golden(t, name, render(t, sample(), test.format, test.opt))
		})
	}
}

func TestUnknownFormat(t *testing.T) {
	var b bytes.Buffer
	err := Render(&b, sample(), "yaml", Options{})
	if err == nil || b.Len() > 0 {
		t.Fatalf("err = %v, %d bytes written", err, b.Len())
	}
	for _, f := range append(Formats(), "yaml") {
		if !strings.Contains(err.Error(), f) {
			t.Errorf("the error does not name %s: %v", f, err)
		}
	}
}

func TestEmptyReport(t *testing.T) {
	for _, f := range Formats() {
		for _, r := range []Report{{}, {Command: "x", Blocks: []Block{{}, {Table: &Table{}}, {Heading: "h"}}}} {
			out := render(t, r, f, Options{Width: 1})
			if f == "json" && !json.Valid(out) {
				t.Errorf("invalid JSON: %s", out)
			}
			if f == "html" {
				reporttest.Page(t, out)
			}
		}
	}
}

func TestHostileStrings(t *testing.T) {
	strange := append([]string{strings.Repeat("x", 6000), strings.Repeat("<&`|\x1b", 400), strings.Repeat("日", 2000)}, hostile...)
	for _, s := range strange {
		r := hostileReport(s)
		for _, f := range Formats() {
			for _, width := range []int{0, 40} {
				reporttest.Harmless(t, f, render(t, r, f, Options{Width: width, Details: true}))
			}
		}
	}
}

func TestPageIsSelfContained(t *testing.T) {
	out := render(t, sample(), "html", Options{Version: "1.2.3"})
	reporttest.Page(t, out)
	text := string(out)
	text = strings.ReplaceAll(text, `xmlns="http://www.w3.org/2000/svg"`, "") // a name, not an address
	text = strings.Replace(text, "<script>"+script+"</script>", "", 1)
	if m := regexp.MustCompile(`(?i)https?://\S+|<script|javascript:`).FindString(text); m != "" {
		t.Errorf("reference to the outside: %q", m)
	}
	for _, needed := range []string{"<caption", "<title>", "<desc>", `lang="en"`, "prefers-color-scheme", "@media print", "Content-Security-Policy"} {
		if !strings.Contains(text, needed) {
			t.Errorf("%s is missing", needed)
		}
	}
	if strings.Count(text, "<svg") != strings.Count(text, `role="img"`) {
		t.Error("a plot without a role")
	}
}

// A plot that is not a plain drawing is shown by its words.
func TestForeignPlot(t *testing.T) {
	for _, svg := range []string{
		"", "no picture", "<svg>", "<svg/><svg/>", "<svg><script>x()</script></svg>", `<svg onload="x()"/>`,
		`<svg><rect style="fill:url(http://example.com)"/></svg>`, `<svg><a href="http://example.com"/></svg>`,
		`<svg><rect fill="url(http://example.com)"/></svg>`, "<svg><!-- --></svg>", "x<svg/>", "<p/>",
	} {
		out := render(t, Report{Blocks: []Block{{Plot: foreign(svg)}}}, "html", Options{})
		reporttest.Page(t, out)
		if bytes.Contains(out, []byte("<svg")) || !bytes.Contains(out, []byte("in words")) {
			t.Errorf("%q was embedded", svg)
		}
	}
	if !harmlessSVG(`<svg xmlns="http://www.w3.org/2000/svg"><title>t</title><rect width="1"/></svg>`) {
		t.Error("a plain drawing is refused")
	}
}

type foreign string

func (f foreign) Title() string { return "title" }
func (f foreign) SVG() string   { return string(f) }
func (f foreign) Text() string  { return "in words" }

func TestTooLong(t *testing.T) {
	r := sample()
	finding := r.Findings[0]
	for range 3000 {
		r.Findings = append(r.Findings, finding)
	}
	long := &Table{Columns: []Column{{"name", false}}}
	for range 50_000 {
		long.Rows = append(long.Rows, []string{strings.Repeat("word ", 20)})
	}
	r.Blocks = append(r.Blocks, Block{Heading: "Long table", Table: long}, Block{Heading: "Long code", Code: strings.Repeat("code\n", 100_000), Detail: true})
	md := render(t, r, "markdown", Options{})
	if n := utf8.RuneCount(md); n > 65_000 || n < 30_000 {
		t.Errorf("markdown has %d characters", n)
	}
	page := render(t, r, "html", Options{})
	reporttest.Page(t, page)
	for name, out := range map[string]string{"markdown": string(md), "html": string(page)} {
		if !strings.Contains(out, "Omitted to keep this page short") || !strings.Contains(out, sample().Next[0]) || !strings.Contains(out, "Before and after") {
			t.Errorf("%s does not keep the head or does not say what is missing", name)
		}
	}
	if !strings.Contains(string(page), "First 1,000 of 50,000 rows.") {
		t.Error("the long table does not say that it is cut")
	}
}
