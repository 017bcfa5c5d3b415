// Package tail keeps the end of what programs print, which may be without end, and repeats its last line: of a Python
// traceback, that is the error.
package tail

import (
	"bytes"
	"io"
	"os"
	"slices"
	"strings"
)

const (
	kept     = 16 << 10 // bytes of the end in which a last line is looked for
	mostLine = 300      // bytes of a line that are repeated
)

// Writer remembers at least the last bytes that were written.
type Writer []byte

func (w *Writer) Write(p []byte) (int, error) {
	*w = append(*w, p[max(0, len(p)-kept):]...)
	if extra := len(*w) - kept; extra > kept { // seldom, for moving costs
		*w = slices.Delete(*w, 0, extra)
	}
	return len(p), nil
}

// Line is the last line of a text, fit to be repeated: of a progress bar, what it showed last. It is empty where there is none.
func Line(text []byte) string {
	text = bytes.TrimSpace(text)
	line := strings.ToValidUTF8(strings.TrimSpace(string(text[bytes.LastIndexAny(text, "\r\n")+1:])), "?")
	if len(line) <= mostLine {
		return line
	}
	return strings.ToValidUTF8(line[:mostLine], "") + "…"
}

// FileLine is the last line of a file; empty, too, where the file cannot be read.
func FileLine(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil {
		_, _ = f.Seek(max(0, info.Size()-kept), io.SeekStart)
	}
	text, _ := io.ReadAll(io.LimitReader(f, 2*kept)) // a program that is not quite gone may still write
	return Line(text)
}

// Clause is a line as the end of a sentence, and nothing where there is no line.
func Clause(line string) string {
	if line == "" {
		return ""
	}
	return ": " + line
}
