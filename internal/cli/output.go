package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
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
	if out.file != "" {
		if err := checkPlace(out.file); err != nil {
			return out, err
		}
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

// checkPlace says beforehand what would keep a file from being written, so that nobody waits for nothing.
func checkPlace(path string) error {
	if info, err := os.Stat(path); err == nil {
		switch {
		case info.IsDir():
			return usage("--output %s is a folder; name a file in it", path)
		case !info.Mode().IsRegular():
			return nil // a device or a pipe, which is written as it stands
		}
	}
	dir := filepath.Dir(path)
	switch info, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return usage("cannot write %s: there is no folder %s; make it first, or choose another place with --output", path, dir)
	case err == nil && !info.IsDir():
		return usage("cannot write %s: %s is no folder; choose another place with --output", path, dir)
	}
	probe, err := os.CreateTemp(dir, ".saturate-*")
	if err != nil {
		return usage("cannot write %s: %v; choose another place with --output", path, reason(err))
	}
	probe.Close()
	return os.Remove(probe.Name())
}

// reason is an error without the path, which the message names already.
func reason(err error) error {
	var e *fs.PathError
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

// writeWhole writes a file so that nobody ever reads half of it.
func writeWhole(path string, data []byte) error {
	_, err := streamWhole(path, containing(data))
	return err
}

func containing(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// streamWhole writes a file of unknown length in the same way.
func streamWhole(path string, content func(io.Writer) error) (int64, error) {
	size, err := putWhole(path, content)
	if err != nil {
		return 0, fmt.Errorf("cannot write %s: %w; choose another place with --output", path, reason(err))
	}
	return size, nil
}

// putWhole writes a file, or to what is there and is none.
func putWhole(path string, content func(io.Writer) error) (int64, error) {
	stream := whole.Stream
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		stream = streamInto // /dev/stdout or a pipe keeps its place
	} else if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // what a link points to is replaced, not the link
	}
	return stream(path, content)
}

// streamInto writes to what is no file: nothing can take its place.
func streamInto(path string, content func(io.Writer) error) (int64, error) {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return 0, err
	}
	return 0, errors.Join(content(f), f.Close())
}
