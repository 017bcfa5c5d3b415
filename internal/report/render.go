package report

import (
	"fmt"
	"io"
	"strings"
)

// Options are what a renderer cannot know by itself.
type Options struct {
	Version string // of saturate, for JSON and HTML
	Width   int    // of the terminal in columns; 0: as wide as it gets
	Style   Style  // of the text; the zero Style is plain
	Details bool   // show in the text what is folded away elsewhere
}

// format is a way to show a Report.
type format struct {
	name   string
	render func(Report, Options) ([]byte, error)
}

// formats is the list: a new format is one file and one line here.
var formats = []format{
	{"text", renderText},
	{"json", renderJSON},
	{"markdown", renderMarkdown},
	{"html", renderHTML},
}

// Formats lists the names that Render takes.
func Formats() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.name
	}
	return names
}

// Render writes r in the named format, whole or not at all.
func Render(w io.Writer, r Report, name string, opt Options) error {
	for _, f := range formats {
		if f.name != name {
			continue
		}
		out, err := f.render(r, opt)
		if err != nil {
			return err
		}
		_, err = w.Write(out)
		return err
	}
	return fmt.Errorf("there is no format %q: use one of %s", name, strings.Join(Formats(), ", "))
}
