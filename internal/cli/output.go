package cli

import (
	"bytes"
	"context"
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
	"saturate/internal/files"
	"saturate/internal/human"
	"saturate/internal/report"
	"saturate/internal/version"
)

// output is where a Report goes and in which form.
type output struct {
	format  string
	file    string // "" for stdout
	options report.Options
	ctx     context.Context // ends the wait for whoever reads a pipe
}

// fileEndings are those that choose a format of the command.
func (c command) fileEndings(formats []string) []string {
	var endings []string
	for _, f := range formats {
		if ending := report.Ending(f); ending != "" {
			endings = append(endings, ending)
		}
	}
	return append(endings, c.endings...)
}

// formatFor is the format that a file's name chooses, "" when it has no ending.
func (c command) formatFor(file string, formats []string) (string, error) {
	ending := strings.ToLower(filepath.Ext(file))
	switch {
	case ending == "" || ending == ".":
		return "", nil
	case ending == ".htm":
		ending = ".html"
	case slices.Contains(c.endings, ending):
		return "text", nil
	}
	for _, f := range formats {
		if report.Ending(f) == ending {
			return f, nil
		}
	}
	return "", usage("%s cannot write a %s file; use the extension %s, or choose a format with --format", c.name, ending,
		human.Or(c.fileEndings(formats)))
}

// output checks the format and the place before any work is done. A format that was asked for goes into a file of any
// name.
func (e *Env) output(cc *cobra.Command, c command, formats []string, file string) (output, error) {
	asked := e.Config.Get("format")
	out := output{format: asked.Value, ctx: cc.Context()}
	if file != "" {
		out.file = e.path(file)
		chosen, err := c.formatFor(out.file, formats)
		switch {
		case cc.Flags().Changed("format"):
		case err == nil && chosen != "":
			out.format = chosen
		case err != nil && asked.Origin == "default":
			return out, err
		}
	}
	if !slices.Contains(formats, out.format) {
		return out, cannotPrint(c.name, out.format, formats)
	}
	if out.file != "" {
		if err := checkPlace(out.file); err != nil {
			return out, err
		}
		kind := out.format
		if slices.Contains(c.endings, strings.ToLower(filepath.Ext(out.file))) {
			kind = "" // not a report, but what the command makes besides: it looks after that file itself
		}
		if err := e.spare(out.file, kind, e.read); err != nil {
			return out, err
		}
	}
	out.options = report.Options{
		Version: version.Version,
		Width:   e.Width, Terminal: out.file == "" && e.StdoutTerminal,
		Style:   report.Style{Color: out.file == "" && e.colour(e.Config.Get("color").Value)},
		Details: e.Verbose > 0,
	}
	return out, nil
}

func cannotPrint(command, format string, formats []string) error {
	return usage("%s cannot print %q: use one of %s%s", command, format, strings.Join(formats, ", "),
		config.Hint(format, formats))
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
		if err := writeWhole(o.ctx, o.file, b.Bytes()); err != nil {
			return err
		}
		if env.Verbose >= 0 {
			env.say("wrote %s", o.file)
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
		return usage("cannot write %s: folder %s does not exist; create it, or choose another with --output", path, dir)
	case err == nil && !info.IsDir():
		return usage("cannot write %s: %s is not a folder; choose another with --output", path, dir)
	}
	probe, err := os.CreateTemp(dir, ".saturate-*")
	if err != nil {
		return usage("cannot write %s: %v; choose another file with --output", path, reason(err))
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
func writeWhole(ctx context.Context, path string, data []byte) error {
	_, err := streamWhole(ctx, path, containing(data))
	return err
}

func containing(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// streamWhole writes a file of unknown length in the same way.
func streamWhole(ctx context.Context, path string, content func(io.Writer) error) (int64, error) {
	size, err := putWhole(ctx, path, content)
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	if err != nil {
		return 0, fmt.Errorf("cannot write %s: %w; choose another file with --output", path, reason(err))
	}
	return size, nil
}

// putWhole writes a file, or to what is there and is none.
func putWhole(ctx context.Context, path string, content func(io.Writer) error) (int64, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() { // /dev/stdout or a pipe keeps its place
		return files.Await(ctx, func() (int64, error) { return streamInto(path, content) })
	} else if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // what a link points to is replaced, not the link
	}
	return files.Stream(path, content)
}

// streamInto writes to something that is not a regular file, and so cannot be replaced.
func streamInto(path string, content func(io.Writer) error) (int64, error) {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return 0, err
	}
	return 0, errors.Join(content(f), f.Close())
}
