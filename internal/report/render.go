package report

import (
	"fmt"
	"io"
	"strings"
)

// Options are what a renderer cannot know from the Report.
type Options struct {
	Version  string // of saturate, for JSON and HTML
	Width    int    // of the terminal in columns; 0: as wide as it gets
	Style    Style  // of the text; the zero Style is plain
	Terminal bool   // the text goes to a terminal
	Details  bool   // show in the text what is folded away elsewhere
}

// format is a way to show a Report.
type format struct {
	name   string
	ending string // of its files; "" where no ending chooses it
	render func(Report, Options) ([]byte, error)
	only   bool // shows findings and nothing else
}

// formats is the list: a new format is one file and one line here.
var formats = []format{
	{name: "text", ending: ".txt", render: renderText},
	{name: "json", ending: ".json", render: renderJSON},
	{name: "markdown", ending: ".md", render: renderMarkdown},
	{name: "html", ending: ".html", render: renderHTML},
	{name: "concise", render: renderConcise, only: true},
	{name: "sarif", ending: ".sarif", render: renderSARIF, only: true},
	{name: "github", render: renderGitHub, only: true},
}

// Formats lists the names of the formats that show any Report.
func Formats() []string {
	return names(func(f format) bool { return !f.only })
}

// FindingFormats lists the names of all formats, those that show only findings among them.
func FindingFormats() []string {
	return names(func(format) bool { return true })
}

// Ending is the file name extension of a format, "" when it has none of its own.
func Ending(name string) string {
	for _, f := range formats {
		if f.name == name {
			return f.ending
		}
	}
	return ""
}

func names(wanted func(format) bool) []string {
	var list []string
	for _, f := range formats {
		if wanted(f) {
			list = append(list, f.name)
		}
	}
	return list
}

// Render writes r in the named format, whole or not at all.
func Render(w io.Writer, r Report, name string, opt Options) error {
	for _, f := range formats {
		if f.name != name {
			continue
		}
		if len(r.Diff) > 0 && name != "text" {
			r.Blocks = append([]Block{{Heading: "Diff", Code: string(r.Diff)}}, r.Blocks...)
		}
		out, err := f.render(r, opt)
		if err != nil {
			return err
		}
		_, err = w.Write(out)
		return err
	}
	return fmt.Errorf("unknown format %q; use one of %s", name, strings.Join(FindingFormats(), ", "))
}
