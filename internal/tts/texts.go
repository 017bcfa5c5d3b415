package tts

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"saturate/internal/rows"
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
	Place  string `json:"place"`           // line of the text
	Text   string `json:"text,omitempty"`  // that is not spoken
	Voice  string `json:"voice,omitempty"` // that was asked for
	Reason string `json:"reason"`          // why it is not spoken
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

// textColumns are the names under which datasets keep their texts.
var textColumns = []string{"text", "sentence", "transcript", "transcription", "normalized_text", "caption"}

// ReadTexts reads a file by the ending of its name: .csv, .tsv, .jsonl (.ndjson), .json; anything else is one text a
// line.
func ReadTexts(name string, r io.Reader, opt TextOptions) (Texts, error) {
	t := &textReader{opt: opt}
	var err error
	switch ending := strings.ToLower(filepath.Ext(name)); ending {
	case ".csv", ".tsv", ".jsonl", ".ndjson", ".json":
		err = rows.Read(ending, r, t.row)
	default:
		if opt.Column != "" {
			return Texts{}, fmt.Errorf("--text-column %s needs a table (.csv, .tsv, .jsonl or "+
				".json), but %s is read as one text per line", opt.Column, name)
		}
		err = rows.Lines(rows.Plain(r), func(line []byte, place string) error {
			t.add(string(line), place, nil)
			return nil
		})
	}
	if err != nil {
		return Texts{}, fmt.Errorf("%s: %w", name, err)
	}
	if len(t.out.Items)+len(t.out.Rejected) == 0 {
		return Texts{}, fmt.Errorf("%s has no texts", name)
	}
	return t.out, nil
}

type textReader struct {
	opt TextOptions
	out Texts
}

// add takes one text, or says why not.
func (t *textReader) add(text, place string, columns []Column) {
	if !utf8.ValidString(text) {
		t.reject(strings.ToValidUTF8(text, "�"), place,
			"the text is not valid UTF-8; convert the file, for example with iconv")
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
		t.reject(clean, place, fmt.Sprintf("the text has %d characters; the limit is %d (--max-chars)", n, t.opt.MaxChars))
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
	return 0, fmt.Errorf("no column %s; the columns are %s: choose one with --text-column", strings.Join(wanted, " or "),
		strings.Join(names, ", "))
}

// row takes a row with a text in it, or one that is a text.
func (t *textReader) row(r rows.Row) error {
	if r.Names == nil {
		t.add(r.Text, r.Place, nil)
		return nil
	}
	at, err := t.find(r.Names)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", r.Place, err)
	case at >= len(r.Cells):
		t.reject("", r.Place, fmt.Sprintf("the row has %d cells; the text is in cell %d", len(r.Cells), at+1))
		return nil
	case r.Cells[at].Kind != rows.Text:
		t.reject(string(r.Cells[at].JSON()), r.Place, fmt.Sprintf("the value of %s is not a string", r.Names[at]))
		return nil
	}
	var columns []Column
	for i, c := range r.Cells {
		if i != at {
			columns = append(columns, Column{r.Names[i], c.JSON()})
		}
	}
	t.add(r.Cells[at].Text, r.Place, columns)
	return nil
}
