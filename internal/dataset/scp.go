package dataset

import (
	"bufio"
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"saturate/internal/rows"
)

func isSCP(list string) bool { return strings.EqualFold(filepath.Ext(list), ".scp") }

// readSCP takes Kaldi's wav.scp: a name, blanks, and the path of a file. Kaldi lets the rest be a command
// that ends in a pipe; a list of inputs must not run programs, so such an entry is quarantined.
func readSCP(in *bufio.Reader, take func(rows.Row) error) error {
	return rows.Lines(in, func(line []byte, place string) error {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			return nil
		}
		name, rest, ok := bytes.Cut(line, []byte(" "))
		if tab, after, found := bytes.Cut(line, []byte("\t")); found && len(tab) < len(name) {
			name, rest, ok = tab, after, true
		}
		path := strings.TrimSpace(string(rest))
		if !ok || path == "" {
			return fmt.Errorf("%s is not of the form: name path", place)
		}
		return take(rows.Row{Place: place, Names: []string{"path", "id"}, Cells: []rows.Cell{{Text: path}, {Text: string(name)}}})
	})
}
