package cli

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"saturate/internal/config"
	"saturate/internal/report"
	"saturate/internal/version"
	"saturate/internal/whole"
)

// output is where a Report goes and in which form.
type output struct {
	format  string
	file    string // "" for stdout
	options report.Options
}

var formatOfEnding = map[string]string{".json": "json", ".md": "markdown", ".html": "html", ".htm": "html", ".txt": "text", ".sarif": "sarif"}

// output checks the format and the place before any work is done.
func (e *Env) output(cc *cobra.Command, formats []string, file string) (output, error) {
	out := output{format: e.Config.Get("format").Value}
	if file != "" {
		out.file = e.path(file)
		if format, ok := formatOfEnding[strings.ToLower(filepath.Ext(out.file))]; ok && !cc.Flags().Changed("format") {
			out.format = format
		}
	}
	if !slices.Contains(formats, out.format) {
		return out, usage("saturate %s cannot print %q: use one of %s%s", cc.Name(), out.format, strings.Join(formats, ", "), config.Hint(out.format, formats))
	}
	out.options = report.Options{
		Version: version.Version,
		Width:   e.Width,
		Style:   report.Style{Color: out.file == "" && e.colour(e.Config.Get("color").Value)},
		Details: e.Verbose > 0,
	}
	return out, nil
}

// write renders the report. A file appears whole or not at all.
func (o output) write(env *Env, r report.Report) error {
	var b bytes.Buffer
	if err := report.Render(&b, r, o.format, o.options); err != nil {
		return err
	}
	if o.file == "" {
		if _, err := env.Stdout.Write(b.Bytes()); err != nil {
			return fmt.Errorf("cannot write to stdout: %w", err)
		}
	} else {
		if err := writeWhole(o.file, b.Bytes()); err != nil {
			return err
		}
		if env.Verbose >= 0 {
			fmt.Fprintln(env.Stderr, "saturate: wrote", o.file)
		}
	}
	switch r.Outcome {
	case report.Found:
		return exitError{exitFound, nil}
	case report.Undecided:
		return exitError{exitUndecided, nil}
	}
	return nil
}

// writeWhole writes a file so that nobody ever reads half of it.
func writeWhole(path string, data []byte) error {
	_, err := streamWhole(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	return err
}

// streamWhole writes a file of unknown length in the same way.
func streamWhole(path string, content func(io.Writer) error) (int64, error) {
	size, err := whole.Stream(path, content)
	if err != nil {
		return 0, fmt.Errorf("cannot write %s: %w; choose another place with --output", path, err)
	}
	return size, nil
}
