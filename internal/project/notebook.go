package project

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"saturate/internal/human"
	"saturate/internal/patch"
	"saturate/internal/pysrc"
)

// notebook reads the code cells of a Jupyter notebook as one Python text. Lines
// that IPython would take for itself (%magic, !command) become comments of the
// same length, so that offsets stay.
func (r *readFile) notebook(path string, text []byte) {
	source, err := readNotebook(path, text)
	if err != nil {
		r.leave(path, "%v", err)
		return
	}
	if source == nil {
		return // not in Python
	}
	if len(source.Text) > defaultMaxBytes {
		r.leave(path, "its cells have %s bytes of Python; the limit is %s", human.Count(len(source.Text)), human.Count(defaultMaxBytes))
		return
	}
	m := &Module{Notebook: true, File: pysrc.Parse(path, source.Text)}
	source.lines = m.File.LineStarts
	m.Source = source
	r.syntax(m)
	m.index()
	r.module = m
}

// mostNotebookNodes bounds a notebook, whose outputs are lists of lines.
const mostNotebookNodes = 5_000_000

// cells leads from the text of a notebook's cells back to the file.
type cells struct {
	raw    []byte
	lines  []int32 // of raw
	pieces []piece
	starts []cellStart
}

// piece is a run of the text that stands in the file just so, from a raw offset on.
type piece struct {
	text int32
	raw  int32
}

type cellStart struct {
	text int32
	line int // in the whole text, from 1
	cell int // from 1, as a reader counts them
}

func readNotebook(path string, raw []byte) (*Source, error) {
	file := &Settings{Source: &Source{Path: path, Text: raw, lines: lineStarts(raw)}}
	r := &jsonReader{file: file, text: raw, limit: mostNotebookNodes}
	r.space()
	top, err := r.value(nil)
	if err != nil {
		return nil, err
	}
	list := top.Child("cells")
	if list == nil {
		if sheets := top.Child("worksheets"); sheets != nil && len(sheets.Children) > 0 {
			list = sheets.Children[0].Child("cells") // notebooks of before 2015
		}
	}
	if list == nil || list.Kind != ListSetting {
		return nil, fmt.Errorf("it has no cells")
	}
	if language := top.at([]string{"metadata", "kernelspec", "language"}); language != nil &&
		!strings.EqualFold(language.Scalar.Text, "python") {
		return nil, nil
	}
	c := &cells{raw: raw, lines: file.lines}
	var b bytes.Buffer
	line, counted := 1, 0
	for i, cell := range list.Children {
		if kind := cell.Child("cell_type"); kind == nil || kind.Scalar.Text != "code" {
			continue
		}
		source := cell.Child("source")
		if source == nil {
			source = cell.Child("input")
		}
		if source == nil {
			continue
		}
		line += bytes.Count(b.Bytes()[counted:], []byte("\n"))
		counted = b.Len()
		c.starts = append(c.starts, cellStart{text: int32(b.Len()), line: line, cell: i + 1})
		c.add(&b, source)
	}
	return &Source{Path: path, Text: b.Bytes(), cells: c}, nil
}

// add appends a cell, and a newline where it has none.
func (c *cells) add(b *bytes.Buffer, source *Setting) {
	parts := source.Children
	if source.Kind == ScalarSetting {
		parts = []*Setting{source}
	}
	start := b.Len()
	for _, part := range parts {
		c.decode(b, part)
	}
	cell := string(b.Bytes()[start:])
	if masked := maskMagic(cell); masked != cell && pysrc.Parse("", []byte(cell)).Err() != nil {
		copy(b.Bytes()[start:], masked) // of the same length
	}
	if !strings.HasSuffix(cell, "\n") {
		b.WriteByte('\n')
	}
}

// decode appends the text of a JSON string, and a piece for each run without escapes.
func (c *cells) decode(b *bytes.Buffer, part *Setting) {
	at, end := part.Span.Start+1, part.Span.End-1
	for at < end {
		run := at
		for run < end && c.raw[run] != '\\' {
			run++
		}
		if run > at {
			c.pieces = append(c.pieces, piece{text: int32(b.Len()), raw: at})
			b.Write(c.raw[at:run])
			at = run
			continue
		}
		size := int32(2)
		if at+1 < end && c.raw[at+1] == 'u' {
			size = 6
			if at+12 <= end && c.raw[at+6] == '\\' && c.raw[at+7] == 'u' && (c.raw[at+2] == 'd' || c.raw[at+2] == 'D') {
				size = 12 // a pair of surrogates
			}
		}
		size = min(size, end-at)
		var s string
		if json.Unmarshal([]byte(`"`+string(c.raw[at:at+size])+`"`), &s) != nil {
			s = "?"
		}
		c.pieces = append(c.pieces, piece{text: int32(b.Len()), raw: at})
		b.WriteString(s)
		at += size
	}
	c.pieces = append(c.pieces, piece{text: int32(b.Len()), raw: at})
}

// rawOffset leads from the text to the file.
func (c *cells) rawOffset(text int32) int32 {
	i := sort.Search(len(c.pieces), func(i int) bool { return c.pieces[i].text > text }) - 1
	for i > 0 && c.pieces[i-1].text == text { // the earliest piece that starts here: a later one may be of the next line
		i--
	}
	if i < 0 {
		return 0
	}
	return c.pieces[i].raw + text - c.pieces[i].text
}

// rawLineStart leads to the start of a JSON string where the text at an offset begins one, otherwise to 0.
func (c *cells) rawLineStart(text int32) int32 {
	i := sort.Search(len(c.pieces), func(i int) bool { return c.pieces[i].text > text }) - 1
	if i < 0 || c.pieces[i].text != text || c.raw[c.pieces[i].raw-1] != '"' {
		return 0
	}
	return c.pieces[i].raw
}

// locate turns a place of the text into one of the file: bytes of the file, and
// the line within its cell.
func (c *cells) locate(p *Place) {
	i := sort.Search(len(c.starts), func(i int) bool { return int(c.starts[i].text) > p.Start }) - 1
	if i >= 0 {
		p.Cell = c.starts[i].cell
		p.Line -= c.starts[i].line - 1
		p.EndLine -= c.starts[i].line - 1
	}
	p.Start, p.End = int(c.rawOffset(int32(p.Start))), int(c.rawOffset(int32(p.End)))
	if p.End < p.Start {
		p.End = p.Start
	}
}

// edit writes text into the cell's JSON string.
func (c *cells) edit(path string, span pysrc.Span, text string) patch.Edit {
	start, end := c.rawOffset(span.Start), c.rawOffset(span.End)
	if begin := c.rawLineStart(span.Start); begin > start { // the line is a JSON string of its own
		start = begin
		if span.Start == span.End {
			end = begin
		}
	}
	if end < start || strings.ContainsRune(string(c.raw[start:end]), '"') && !escapedQuotes(c.raw[start:end]) {
		return patch.Edit{} // what is replaced goes over several lines, and each is a JSON string of its own
	}
	quoted, err := json.Marshal(text)
	if err != nil || !utf8.ValidString(text) {
		return patch.Edit{}
	}
	written := string(quoted[1 : len(quoted)-1])
	if between := c.betweenLines(start); between != "" {
		written = strings.ReplaceAll(written, `\n`, `\n`+between)
	}
	return patch.Edit{Path: path, Start: int(start), End: int(end), Text: written}
}

// betweenLines is what stands between two lines of a cell around a place of the
// file where each line is a JSON string of its own: a comma, and a new line
// that is indented as this one. It is empty where a cell is one string.
func (c *cells) betweenLines(at int32) string {
	start := at
	for start > 0 && c.raw[start-1] != '\n' {
		start--
	}
	end := start
	for end < at && (c.raw[end] == ' ' || c.raw[end] == '\t') {
		end++
	}
	if end == at || c.raw[end] != '"' || !escapedQuotes(c.raw[end+1:at]) {
		return ""
	}
	newline := "\n"
	if start > 1 && c.raw[start-2] == '\r' {
		newline = "\r\n"
	}
	return `",` + newline + string(c.raw[start:end+1])
}

// escapedQuotes reports whether every quote has a backslash before it.
func escapedQuotes(raw []byte) bool {
	for i, c := range raw {
		if c == '"' && (i == 0 || raw[i-1] != '\\') {
			return false
		}
	}
	return true
}

// maskMagic makes comments of the lines that IPython takes for itself. A cell
// that starts with %%bash or the like is not Python at all.
func maskMagic(cell string) string {
	lines := strings.SplitAfter(cell, "\n")
	other, continued := false, false
	for i, line := range lines {
		code := strings.TrimLeft(line, " \t")
		switch {
		case other, continued:
		case strings.HasPrefix(code, "%%"):
			word := strings.Fields(code + " x")[0]
			other = !pythonMagic[word]
		case strings.HasPrefix(code, "%"), strings.HasPrefix(code, "!"), strings.HasPrefix(code, "?"),
			strings.HasSuffix(strings.TrimRight(code, "\r\n"), "?") && !strings.Contains(code, "#"):
		default:
			if at := strings.IndexAny(code, "!%"); at > 1 && isShellAssignment(code[:at]) {
				break // files = !ls
			}
			continue
		}
		lines[i] = maskLine(line, other && !strings.HasPrefix(code, "%%") || continued)
		continued = strings.HasSuffix(strings.TrimRight(line, "\r\n"), `\`) // !pip install \, and on the next line
	}
	return strings.Join(lines, "")
}

var pythonMagic = setOf("%%time", "%%timeit", "%%capture", "%%prun", "%%memit")

// maskLine makes a comment of the same length, or pass where an indented line must stay a statement, unless it is not a
// statement of its own.
func maskLine(line string, part bool) string {
	body := strings.TrimRight(line, "\r\n")
	code := strings.TrimLeft(body, " \t")
	indent := len(body) - len(code)
	if code == "" {
		return line
	}
	text := "#" + strings.Repeat(" ", len(code)-1)
	if indent > 0 && len(code) >= 4 && !part {
		text = "pass" + strings.Repeat(" ", len(code)-4)
	}
	return body[:indent] + text + line[len(body):]
}

// isShellAssignment reports what stands before the ! of files = !ls.
func isShellAssignment(before string) bool {
	name, ok := strings.CutSuffix(strings.TrimRight(before, " "), "=")
	return ok && name != "" && !strings.ContainsAny(name, "=<>!+-*/%&|^(\"'")
}
