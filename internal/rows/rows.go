// Package rows reads lists of rows in the forms in which datasets are handed around: CSV, TSV, lists with bars, JSON
// lines and JSON documents.
//
//	file ─> Read ─> Row: names and cells in their order, and where it stands
//
// What the columns mean is up to the caller.
package rows

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// Row is one entry of a list.
type Row struct {
	Place string   // "line 7", "entry 3"
	Names []string // of the columns; none for a row that is one string
	Cells []Cell   // fewer than Names where the row is short
	Text  string   // a row that is one string
	// Damaged means that the row is not valid UTF-8; then Text holds its bytes, and it has no columns.
	Damaged bool
}

// Kind of a cell.
type Kind uint8

const (
	Text   Kind = iota // every cell of a CSV file is one: 007 is a name as often as a number
	Number             // of JSON
	other              // null, true, false, and what has parts
)

// Cell is a value of a row. Text is that of a string, nothing for null, and JSON for the rest.
type Cell struct {
	Text string
	Kind Kind
	raw  json.RawMessage
}

// JSON is the cell as it stood in a JSON file, or as a JSON string.
func (c Cell) JSON() json.RawMessage {
	if c.raw != nil {
		return c.raw
	}
	text, _ := json.Marshal(c.Text) // a string always can be
	return text
}

// Beside is the name under which a list's column is kept beside own ones: with input_ before it where one of them has
// its name, as often as it takes to differ from the list's others too.
func Beside(name string, own, others []string) string {
	if !slices.Contains(own, name) {
		return name
	}
	for slices.Contains(own, name) || slices.Contains(others, name) {
		name = "input_" + name
	}
	return name
}

// Read gives the rows of a file in order. The ending of its name says what it is: .csv, .tsv, .json, or else JSON
// lines.
func Read(ending string, in io.Reader, take func(Row) error) error {
	r := Plain(in)
	switch strings.ToLower(ending) {
	case ".csv":
		if Barred(r) {
			return Bars(r, take)
		}
		return table(r, separator(r), take)
	case ".tsv":
		return table(r, '\t', take)
	case ".json":
		return document(r, take)
	}
	return objects(r, take)
}

// errUTF16 says that a list is in the encoding that Excel calls Unicode.
var errUTF16 = errors.New("it is in UTF-16; save it as UTF-8")

// Plain is the file without the mark that some programs put before UTF-8. One in UTF-16 gives an error in place of its
// text.
func Plain(in io.Reader) *bufio.Reader {
	r := bufio.NewReaderSize(in, 1<<16)
	if head, _ := r.Peek(4); isUTF16(head) {
		return bufio.NewReader(failing{errUTF16})
	}
	if mark, _ := r.Peek(3); string(mark) == "\xEF\xBB\xBF" {
		r.Discard(3)
	}
	return r
}

// isUTF16 knows the encoding by its mark, or by zeros in every other place.
func isUTF16(head []byte) bool {
	if len(head) < 2 {
		return false
	}
	marked := string(head[:2]) == "\xFF\xFE" || string(head[:2]) == "\xFE\xFF"
	return marked || len(head) == 4 && (head[0] == 0 && head[2] == 0 && head[1] != 0 && head[3] != 0 || head[1] == 0 &&
		head[3] == 0 && head[0] != 0 && head[2] != 0)
}

// failing gives an error where a text is expected.
type failing struct{ error }

func (f failing) Read([]byte) (int, error) { return 0, f.error }

// longestLine: longer ones are mistakes.
const longestLine = 64 << 20

// Lines gives the lines of a file without their ends. A line is valid until the next one is given.
func Lines(in *bufio.Reader, take func(line []byte, place string) error) error {
	var long []byte
	for n := 1; ; n++ {
		long = long[:0]
		for {
			part, err := in.ReadSlice('\n')
			long = append(long, part...)
			if len(long) > longestLine {
				return fmt.Errorf("line %d is longer than %d MB", n, longestLine>>20)
			}
			if err == bufio.ErrBufferFull {
				continue
			}
			if len(long) > 0 {
				if err := take(bytes.TrimRight(long, "\r\n"), fmt.Sprintf("line %d", n)); err != nil {
					return err
				}
			}
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return fmt.Errorf("cannot read it: %w", err)
			}
			break
		}
	}
}

// objects takes JSON lines; empty ones are passed over.
func objects(in *bufio.Reader, take func(Row) error) error {
	return Lines(in, func(line []byte, place string) error {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			return nil
		}
		row, err := Object(line, place)
		if err != nil {
			return err
		}
		return take(row)
	})
}

// mostDocument is how large a JSON document may be, which is held in memory whole.
const mostDocument = 1 << 30

// document takes an array, an object with one in it, as datasets are exported, or JSON lines under another name.
func document(in io.Reader, take func(Row) error) error {
	data, err := io.ReadAll(io.LimitReader(in, mostDocument+1))
	if err != nil {
		return fmt.Errorf("cannot read it: %w", err)
	}
	if len(data) > mostDocument {
		return fmt.Errorf("it has more than %d MB; write it as JSON lines, which are read one by one", mostDocument>>20)
	}
	var list []json.RawMessage
	if err := json.Unmarshal(data, &list); err != nil {
		var object map[string]json.RawMessage
		if json.Unmarshal(data, &object) != nil {
			if bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) {
				return fmt.Errorf("it is not a JSON array: %w", err)
			}
			return objects(bufio.NewReader(bytes.NewReader(data)), take)
		}
		for _, key := range []string{"data", "rows", "items", "entries", "samples"} {
			if json.Unmarshal(object[key], &list) == nil && list != nil {
				break
			}
		}
		if list == nil {
			return errors.New("it is a JSON object without an array named data, rows, items, entries or samples")
		}
	}
	for i, r := range list {
		row, err := Object(r, fmt.Sprintf("entry %d", i+1))
		if err != nil {
			return err
		}
		if err := take(row); err != nil {
			return err
		}
	}
	return nil
}

// Object reads a JSON object with its fields in their order, or a JSON string.
func Object(data []byte, place string) (Row, error) {
	row := Row{Place: place}
	if !utf8.Valid(data) {
		row.Text, row.Damaged = string(data), true
		return row, nil
	}
	if json.Unmarshal(data, &row.Text) == nil {
		return row, nil
	}
	fail := func(err error) (Row, error) {
		return row, fmt.Errorf("%s is neither a JSON object nor a string: %w", place, err)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return fail(errors.Join(err, fmt.Errorf("it starts with %.20s", data)))
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return fail(err)
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return fail(err)
		}
		row.Names, row.Cells = append(row.Names, key.(string)), append(row.Cells, cellOf(bytes.Clone(raw)))
	}
	if _, err := d.Token(); err != nil {
		return fail(err)
	}
	// The rows of data-set viewers are wrapped: {"row_idx": 0, "row": {…}}.
	if i := slices.Index(row.Names, "row"); i >= 0 && strings.HasPrefix(row.Cells[i].Text, "{") {
		return Object([]byte(row.Cells[i].Text), place)
	}
	return row, nil
}

func cellOf(raw json.RawMessage) Cell {
	text := string(bytes.TrimSpace(raw))
	c := Cell{Text: text, Kind: other, raw: raw}
	switch {
	case text == "null":
		c.Text = ""
	case strings.HasPrefix(text, `"`):
		c.Kind = Text
		_ = json.Unmarshal(raw, &c.Text) // it was decoded as JSON before
	case strings.ContainsAny(text[:min(1, len(text))], "-0123456789"):
		c.Kind = Number
	}
	return c
}

// Distinct numbers the names that stood before: a, a becomes a, a_2.
func Distinct(names []string) []string {
	for i, name := range names {
		for k := 2; slices.Contains(names[:i], names[i]); k++ {
			names[i] = fmt.Sprintf("%s_%d", name, k)
		}
	}
	return names
}
