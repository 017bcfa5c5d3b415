package rows

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// table takes CSV or TSV, whose first row has the names. A row with more cells than that is an error: as a rule its
// text holds a comma that nobody quoted, and the rest of it would be lost.
func table(in *bufio.Reader, comma byte, take func(Row) error) error {
	t := tableReader{comma: comma}
	err := Lines(in, func(line []byte, place string) error {
		whole, err := t.line(line, place)
		if err != nil || !whole {
			return err
		}
		if t.names == nil {
			t.names, t.cells = Distinct(t.cells), nil
			return nil
		}
		for len(t.cells) > len(t.names) && t.cells[len(t.cells)-1] == "" {
			t.cells = t.cells[:len(t.cells)-1]
		}
		if len(t.cells) > len(t.names) {
			return fmt.Errorf("%s has %d cells, but the header has %d; quote texts that contain %s", t.place, len(t.cells),
				len(t.names), spelt[comma])
		}
		row := Row{Place: t.place, Names: t.names, Cells: make([]Cell, len(t.cells))}
		for i, text := range t.cells {
			row.Cells[i].Text = text
		}
		return take(row)
	})
	switch {
	case err != nil:
		return err
	case t.within:
		return fmt.Errorf("the quote opened in %s is not closed", t.began)
	case t.names == nil:
		return errors.New("it is empty")
	}
	return nil
}

var spelt = map[byte]string{',': "a comma", ';': "a semicolon", '\t': "a tab"}

// separator is what stands between the cells of a table: spreadsheets write semicolons where a comma is part of
// numbers.
func separator(in *bufio.Reader) byte {
	header := beginning(in)[0]
	for _, c := range []byte(",\t;") {
		if strings.IndexByte(header, c) >= 0 {
			return c
		}
	}
	return ','
}

// tableReader splits lines into cells.
type tableReader struct {
	comma  byte
	names  []string // of the columns, once their line was read
	quotes bool     // the names are in quotes
	cells  []string
	place  string
	within bool   // a quoted cell goes on in the next line
	began  string // where it begins
	open   []byte // what it holds so far
}

// line takes the next line, and reports whether a row is whole with it. Empty lines are none.
func (t *tableReader) line(line []byte, place string) (whole bool, err error) {
	if !t.within {
		if len(line) == 0 {
			return false, nil
		}
		t.cells, t.place = t.cells[:0], place
		t.quotes = t.quotes || t.names == nil && line[0] == '"'
	}
	for rest, more := line, true; more; {
		if t.within || t.comma != '\t' && bytes.HasPrefix(rest, []byte{'"'}) {
			if rest, more, err = t.quoted(rest, place); err != nil || t.within {
				return false, err
			}
			continue
		}
		cell, after, ok := t.tabbed(rest)
		if ok {
			rest, more = after, len(after) > 0 || bytes.HasSuffix(rest, []byte{'\t'})
		} else {
			cell, rest, more = bytes.Cut(rest, []byte{t.comma})
		}
		t.cells = append(t.cells, string(cell))
	}
	return true, nil
}

// quoted takes a cell in quotes, or as much of it as this line has; a quote in it is written twice.
func (t *tableReader) quoted(rest []byte, place string) (after []byte, more bool, err error) {
	if t.within {
		t.open = append(t.open, '\n')
	} else {
		rest, t.open, t.began, t.within = rest[1:], t.open[:0], place, true
	}
	for {
		text, behind, found := bytes.Cut(rest, []byte{'"'})
		t.open = append(t.open, text...)
		switch {
		case !found:
			return nil, false, nil
		case bytes.HasPrefix(behind, []byte{'"'}):
			t.open, rest = append(t.open, '"'), behind[1:]
		case len(behind) > 0 && behind[0] != t.comma:
			return nil, false, fmt.Errorf("%s has a quote inside a quoted cell; double it", place)
		default:
			t.cells, t.within = append(t.cells, string(t.open)), false
			return behind[min(1, len(behind)):], len(behind) > 0, nil
		}
	}
}

// tabbed takes a cell of a table with tabs that was put into quotes because it had to be: it holds a tab or a quote, or
// the names are in quotes too. Others keep theirs, and end with their line: sentences that begin with a quote are
// written as they are (Common Voice).
func (t *tableReader) tabbed(rest []byte) (cell, after []byte, ok bool) {
	if t.comma != '\t' || !bytes.HasPrefix(rest, []byte{'"'}) {
		return nil, nil, false
	}
	for at := 1; ; {
		i := bytes.IndexByte(rest[at:], '"')
		if i < 0 {
			return nil, nil, false
		}
		switch at += i + 1; {
		case at < len(rest) && rest[at] == '"':
			at++
		case at < len(rest) && rest[at] != '\t':
			return nil, nil, false
		default:
			text := rest[1 : at-1]
			if !t.quotes && !bytes.ContainsAny(text, "\t\"") {
				return nil, nil, false
			}
			return bytes.ReplaceAll(text, []byte(`""`), []byte{'"'}), rest[min(at+1, len(rest)):], true
		}
	}
}
