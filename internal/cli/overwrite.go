package cli

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"saturate/internal/files"
	"saturate/internal/run"
)

// inputs is every existing file that a command line names besides its output: arguments, and values of flags.
func (e *Env) inputs(cc *cobra.Command, args []string) (names []string) {
	names = append(names, args...)
	cc.Flags().Visit(func(f *pflag.Flag) {
		if f.Name != "output" && f.Value.Type() == "string" {
			names = append(names, f.Value.String())
		}
	})
	return names
}

// spare refuses an output that would destroy something: a file that is read, under any name, or an existing file
// that is not what this command writes as a format, where one is named. It is asked before any work.
func (e *Env) spare(path, format string, inputs []string) error {
	there, err := os.Stat(path)
	if err != nil || !there.Mode().IsRegular() {
		return nil // nothing is there, or a pipe, which is written as it stands
	}
	for _, name := range inputs {
		if info, err := os.Stat(e.path(name)); err == nil && os.SameFile(info, there) {
			return usage("--output %s is the input %s, which would be overwritten; choose another name", path, name)
		}
	}
	if format == "" {
		return nil
	}
	f, err := files.Open(path)
	if err != nil {
		return usage("cannot see what %s holds: %v; choose another name with --output", path, reason(err))
	}
	defer f.Close()
	head := make([]byte, 4096)
	n, _ := io.ReadFull(f, head)
	if !written(format, head[:n]) {
		return usage("%s exists and is not a file that saturate wrote as %s; remove it, or choose another name with --output",
			path, format)
	}
	return nil
}

// written tells by its beginning whether a file may be an earlier output of a format.
func written(format string, head []byte) bool {
	if len(bytes.TrimSpace(head)) == 0 {
		return true
	}
	has := func(mark string) bool { return bytes.Contains(head, []byte(mark)) }
	switch format {
	case "json":
		return has(`"schema": "saturate/`) && !has(`"`+run.Schema+`"`)
	case "sarif":
		return has(`sarif`) && head[0] == '{'
	case "html":
		return has(`<meta name="generator" content="saturate`)
	case "markdown":
		return bytes.HasPrefix(head, []byte("## ")) || bytes.HasPrefix(head, []byte("**"))
	case "trace":
		return has(exportMark)
	case "trace.gz":
		return bytes.Contains(unpacked(head), []byte(exportMark))
	case "parquet":
		return bytes.HasPrefix(head, []byte("PAR1"))
	}
	return isText(head)
}

// unpacked is what the beginning of a gzip file holds; nothing where it is something else.
func unpacked(head []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(head))
	if err != nil {
		return nil
	}
	plain := make([]byte, 4096)
	n, _ := io.ReadFull(z, plain)
	return plain[:n]
}

// isText is true of what may be text of ours, which has no mark; data and pages are not text.
func isText(head []byte) bool {
	for len(head) > 0 && !utf8.Valid(head) && !utf8.RuneStart(head[len(head)-1]) {
		head = head[:len(head)-1] // a character that the end of the head cuts
	}
	if r, _ := utf8.DecodeLastRune(head); r == utf8.RuneError && len(head) > 0 {
		head = head[:len(head)-1]
	}
	return utf8.Valid(head) && bytes.IndexByte(head, 0) < 0 && !strings.ContainsRune("{[<", rune(bytes.TrimSpace(head)[0]))
}
