package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"saturate/internal/config"
	"saturate/internal/report"
	"saturate/internal/version"
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

// streamWhole writes beside the file and renames when all of it is there.
func streamWhole(path string, content func(io.Writer) error) (size int64, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err == nil {
		err = content(f)
		if e := f.Chmod(0o644); err == nil {
			err = e
		}
		if info, e := f.Stat(); e == nil {
			size = info.Size()
		}
		if e := f.Close(); err == nil {
			err = e
		}
		if err == nil {
			err = os.Rename(f.Name(), path)
		}
		if err != nil {
			os.Remove(f.Name())
		}
	}
	if err != nil {
		return 0, fmt.Errorf("cannot write %s: %w; choose another place with --output", path, err)
	}
	return size, nil
}
