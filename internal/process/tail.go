package process

import (
	"bytes"
	"io"
	"os"
	"regexp"
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

// LastLine is the last line of a text, fit to be repeated: the last exception of Python if there is one, because a
// progress bar may be drawn once more after it; of a progress bar, what it showed last. It is empty if the text is.
func LastLine(text []byte) string {
	text = bytes.TrimSpace(text)
	line := string(text[bytes.LastIndexAny(text, "\r\n")+1:])
	if all := exception.FindAllIndex(text, -1); len(all) > 0 {
		at := all[len(all)-1]
		line = strings.Join(strings.Fields(string(text[at[0]:at[1]])), " ")
	}
	line = strings.ToValidUTF8(strings.TrimSpace(line), "?")
	if len(line) <= mostLine {
		return line
	}
	return strings.ToValidUTF8(line[:mostLine], "") + "…"
}

// exception is the line in which Python says what was raised, with the next one where the message begins there.
var exception = regexp.MustCompile(`(?m)^(?:[\w]+\.)*\w*(?:Error|Exception|Interrupt|Exit)(?::[ \t]*\r?\n[^\r\n]+|:[^\r\n]*)?\r?$`)

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
