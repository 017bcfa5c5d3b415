package process

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

// Tail remembers at least the last bytes that were written.
type Tail []byte

func (w *Tail) Write(p []byte) (int, error) {
	*w = append(*w, p[max(0, len(p)-kept):]...)
	if extra := len(*w) - kept; extra > kept { // seldom, for moving costs
		*w = slices.Delete(*w, 0, extra)
	}
	return len(p), nil
}

// LastLine is the last line of a text, fit to be repeated: of a progress bar, what it showed last. It is empty where
// there is none.
func LastLine(text []byte) string {
	text = bytes.TrimSpace(text)
	line := strings.ToValidUTF8(strings.TrimSpace(string(text[bytes.LastIndexAny(text, "\r\n")+1:])), "?")
	if len(line) <= mostLine {
		return line
	}
	return strings.ToValidUTF8(line[:mostLine], "") + "…"
}

// LastLineOf is the last line of a file; empty, too, where the file cannot be read.
func LastLineOf(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil {
		_, _ = f.Seek(max(0, info.Size()-kept), io.SeekStart)
	}
	text, _ := io.ReadAll(io.LimitReader(f, 2*kept)) // a program that is not quite gone may still write
	return LastLine(text)
}

// Clause is a line as the end of a sentence; it is empty without a line.
func Clause(line string) string {
	if line == "" {
		return ""
	}
	return ": " + line
}
