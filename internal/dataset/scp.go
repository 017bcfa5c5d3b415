package dataset

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"
)

// readSCP takes Kaldi's wav.scp: a name, blanks, and the path of a file. Kaldi lets the rest be a command
// that ends in a pipe; a list of inputs must not run programs, so such an entry is quarantined.
func readSCP(in *bufio.Reader, take func(row) error) error {
	return eachLine(in, func(line []byte, place string) error {
		name, rest, ok := bytes.Cut(line, []byte(" "))
		if tab, after, found := bytes.Cut(line, []byte("\t")); found && len(tab) < len(name) {
			name, rest, ok = tab, after, true
		}
		path := strings.TrimSpace(string(rest))
		if !ok || path == "" {
			return fmt.Errorf("%s is not of the form: name path", place)
		}
		e := row{place: place, names: []string{"path", "id"}, values: []value{{text: path}, {text: string(name)}}}
		if strings.HasSuffix(path, "|") {
			e.values[0].text = ""
		}
		return take(e)
	})
}
