package tts

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Item is one text with what else its row holds.
type Item struct {
	Text    string
	Place   string // "line 7"
	Columns []Column
}

// Column is a further value of a row, as JSON, in the input's order.
type Column struct {
	Name  string
	Value json.RawMessage
}

// Rejected is a text that is not spoken, and why.
type Rejected struct {
	Place  string `json:"place"`
	Text   string `json:"text,omitempty"`
	Voice  string `json:"voice,omitempty"`
	Reason string `json:"reason"`
}

// Texts are what a file holds.
type Texts struct {
	Items    []Item
	Rejected []Rejected
	Empty    int // lines and cells without a text, left out
	Cleaned  int // texts from which control characters were taken
}

// TextOptions say how a file is read.
type TextOptions struct {
	Column   string // the column with the text; found by its usual names when empty
	MaxChars int    // longer texts are rejected
}

// textColumns are the names under which data sets keep their texts.
var textColumns = []string{"text", "sentence", "transcript", "transcription", "normalized_text", "caption"}

// ReadTexts reads a file by the ending of its name: .csv, .tsv, .jsonl (.ndjson), .json; anything else is one text a line.
func ReadTexts(name string, r io.Reader, opt TextOptions) (Texts, error) {
	t := &textReader{opt: opt, name: name}
	in := bufio.NewReaderSize(r, 1<<16)
	if bom, _ := in.Peek(3); string(bom) == "\xEF\xBB\xBF" {
		in.Discard(3)
	}
	var err error
	switch strings.ToLower(filepath.Ext(name)) {
	case ".csv":
		err = t.table(in, ',')
	case ".tsv":
		err = t.table(in, '\t')
	case ".jsonl", ".ndjson":
		err = t.lines(in, t.jsonLine)
	case ".json":
		err = t.document(in)
	default:
		err = t.lines(in, func(line []byte, place string) error {
			t.add(string(line), place, nil)
			return nil
		})
	}
	if err != nil {
		return Texts{}, fmt.Errorf("%s: %w", name, err)
	}
	if len(t.out.Items)+len(t.out.Rejected) == 0 {
		return Texts{}, fmt.Errorf("%s holds no text", name)
	}
	return t.out, nil
}

type textReader struct {
	name string
	opt  TextOptions
	out  Texts
}

// add takes one text, or says why not.
func (t *textReader) add(text, place string, columns []Column) {
	if !utf8.ValidString(text) {
		t.reject(strings.ToValidUTF8(text, "�"), place, "the text is not valid UTF-8; convert the file, for instance with iconv")
		return
	}
	clean := cleanText(text)
	if clean != strings.TrimSpace(text) {
		t.out.Cleaned++
	}
	n := utf8.RuneCountInString(clean)
	switch {
	case n == 0:
		t.out.Empty++
	case t.opt.MaxChars > 0 && n > t.opt.MaxChars:
		t.reject(clean, place, fmt.Sprintf("the text has %d characters, more than %d (--max-chars)", n, t.opt.MaxChars))
	default:
		t.out.Items = append(t.out.Items, Item{Text: clean, Place: place, Columns: columns})
	}
}

func (t *textReader) reject(text, place, reason string) {
	t.out.Rejected = append(t.out.Rejected, Rejected{Place: place, Text: shorten(text), Reason: reason})
}

// shorten keeps a list of failures readable.
func shorten(text string) string {
	if r := []rune(text); len(r) > 120 {
		return string(r[:120]) + "…"
	}
	return text
}

// cleanText makes a space of each control character (engines take some for commands) and trims.
func cleanText(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == '\uFEFF' {
			return ' '
		}
		return r
	}, text))
}

// lines reads lines of any length.
func (t *textReader) lines(in *bufio.Reader, take func(line []byte, place string) error) error {
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			if e := take(bytes.TrimRight(line, "\r\n"), fmt.Sprintf("line %d", n)); e != nil {
				return e
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("cannot read it: %w", err)
		}
	}
}

func (t *textReader) table(in io.Reader, comma rune) error {
	r := csv.NewReader(in)
	r.Comma = comma
	r.FieldsPerRecord = -1
	r.LazyQuotes = comma == '\t' // tables with tabs are rarely quoted
	header, err := r.Read()
	if err == io.EOF {
		return errors.New("it is empty")
	}
	if err != nil {
		return err
	}
	at, err := t.find(header)
	if err != nil {
		return err
	}
	for {
		row, err := r.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		line, _ := r.FieldPos(0)
		place := fmt.Sprintf("line %d", line)
		if at >= len(row) {
			t.reject(strings.Join(row, string(comma)), place, fmt.Sprintf("the row has %d cells, the text is in cell %d", len(row), at+1))
			continue
		}
		var columns []Column
		for i, cell := range row {
			if i != at && i < len(header) {
				value, _ := json.Marshal(cell)
				columns = append(columns, Column{header[i], value})
			}
		}
		t.add(row[at], place, columns)
	}
}

// find says which column holds the text.
func (t *textReader) find(names []string) (int, error) {
	wanted := textColumns
	if t.opt.Column != "" {
		wanted = []string{t.opt.Column}
	}
	for _, w := range wanted {
		for i, name := range names {
			if strings.EqualFold(strings.TrimSpace(name), w) {
				return i, nil
			}
		}
	}
	return 0, fmt.Errorf("no column is named %s; there are %s: name one with --text-column", strings.Join(wanted, " or "), strings.Join(names, ", "))
}

// jsonLine takes one object, or one string, of JSON lines.
func (t *textReader) jsonLine(line []byte, place string) error {
	if len(bytes.TrimSpace(line)) == 0 {
		t.out.Empty++
		return nil
	}
	return t.row(line, place)
}

// document takes a JSON array, or an object with one array in it, as data sets are exported.
func (t *textReader) document(in io.Reader) error {
	data, err := io.ReadAll(in)
	if err != nil {
		return fmt.Errorf("cannot read it: %w", err)
	}
	var rows []json.RawMessage
	if err := json.Unmarshal(data, &rows); err != nil {
		var object map[string]json.RawMessage
		if json.Unmarshal(data, &object) != nil {
			return fmt.Errorf("it is no JSON array: %w", err)
		}
		for _, key := range []string{"data", "rows", "items", "entries", "samples"} {
			if json.Unmarshal(object[key], &rows) == nil && rows != nil {
				break
			}
		}
		if rows == nil {
			return errors.New(`it is a JSON object without an array named data, rows, items, entries or samples`)
		}
	}
	for i, row := range rows {
		if err := t.row(row, fmt.Sprintf("entry %d", i+1)); err != nil {
			return err
		}
	}
	return nil
}

// row takes a string, or an object with a text in it.
func (t *textReader) row(data []byte, place string) error {
	if !utf8.Valid(data) {
		t.add(string(data), place, nil)
		return nil
	}
	var text string
	if json.Unmarshal(data, &text) == nil {
		t.add(text, place, nil)
		return nil
	}
	columns, err := objectColumns(data)
	if err != nil {
		return fmt.Errorf("%s is neither a JSON object nor a string: %w", place, err)
	}
	// The rows of data-set viewers are wrapped: {"row_idx": 0, "row": {…}}.
	for _, c := range columns {
		if inner, err := objectColumns(c.Value); c.Name == "row" && err == nil {
			columns = inner
			break
		}
	}
	var names []string
	for _, c := range columns {
		names = append(names, c.Name)
	}
	at, err := t.find(names)
	if err != nil {
		return fmt.Errorf("%s: %w", place, err)
	}
	if json.Unmarshal(columns[at].Value, &text) != nil {
		t.reject(string(columns[at].Value), place, fmt.Sprintf("the value of %s is no string", names[at]))
		return nil
	}
	t.add(text, place, append(columns[:at:at], columns[at+1:]...))
	return nil
}

// objectColumns reads an object and keeps the order of its fields.
func objectColumns(data []byte) ([]Column, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	if token != json.Delim('{') {
		return nil, fmt.Errorf("it begins with %v", token)
	}
	var columns []Column
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		columns = append(columns, Column{key.(string), bytes.Clone(value)})
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	return columns, nil
}
