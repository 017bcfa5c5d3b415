package project

import (
	"cmp"
	"sort"
	"unicode/utf8"

	"saturate/internal/patch"
	"saturate/internal/pysrc"
)

// Source is the text of a file, Python or settings.
type Source struct {
	// Path is as the user gave it, or reached from what the user gave.
	Path string
	// Text is what offsets count in. For a notebook it is its cells as one
	// Python text, and Raw leads back to the file.
	Text []byte
	// Encoded is set when Text was decoded from another encoding than UTF-8, so
	// that offsets do not hold for the file and it cannot be edited.
	Encoded bool

	lines []int32
	cells *cells // for notebooks
	of    string // the file that a link leads to, when that is part of the project
}

// Real is the path of the file that holds the text: where Path is a link within the project, what it leads to.
func (s *Source) Real() string { return cmp.Or(s.of, s.Path) }

// Raw is the file itself, in whose bytes a Place and an edit count; nil when it was decoded from another encoding.
func (s *Source) Raw() []byte {
	switch {
	case s.Encoded:
		return nil
	case s.cells != nil:
		return s.cells.raw
	}
	return s.Text
}

// Place is a range of a file, for people and for editors.
type Place struct {
	Path               string
	Start, End         int // bytes of the file
	Line, Column       int // from 1, columns in characters
	EndLine, EndColumn int
	Excerpt            string       // the first line
	Cell               int          // of a notebook, from 1; Line counts within it then
	InFile             *patch.Range // of a notebook: the place in its JSON
}

// Place returns where a span lies.
func (s *Source) Place(span pysrc.Span) Place {
	line, column := s.position(span.Start)
	endLine, endColumn := s.position(span.End)
	p := Place{
		Path: s.Real(), Start: int(span.Start), End: int(span.End),
		Line: line, Column: column, EndLine: endLine, EndColumn: endColumn,
		Excerpt: s.Line(line),
	}
	if s.cells != nil {
		s.cells.locate(&p)
		in := s.RangeOf(p.Start, p.End)
		p.InFile = &in
	}
	return p
}

// Line returns the text of a line, counted from 1, without its newline.
func (s *Source) Line(line int) string {
	if line < 1 || line > len(s.lines) {
		return ""
	}
	start, end := s.lines[line-1], int32(len(s.Text))
	if line < len(s.lines) {
		end = s.lines[line]
	}
	for end > start && (s.Text[end-1] == '\n' || s.Text[end-1] == '\r') {
		end--
	}
	return string(s.Text[start:end])
}

// Lines counts the lines.
func (s *Source) Lines() int { return len(s.lines) }

// LineAt returns the line, from 1, that holds an offset.
func (s *Source) LineAt(offset int32) int {
	line, _ := s.position(offset)
	return line
}

// RangeOf is where bytes of the file lie in lines and columns.
func (s *Source) RangeOf(start, end int) patch.Range {
	of := s
	if s.cells != nil {
		of = &Source{Text: s.cells.raw, lines: s.cells.lines}
	}
	var r patch.Range
	r.Line, r.Column = of.position(int32(start))
	r.EndLine, r.EndColumn = of.position(int32(end))
	return r
}

// position returns line and column of an offset, both from 1, columns in characters.
func (s *Source) position(offset int32) (line, column int) {
	i := max(sort.Search(len(s.lines), func(i int) bool { return s.lines[i] > offset })-1, 0)
	if len(s.lines) == 0 {
		return 1, 1
	}
	return i + 1, utf8.RuneCount(s.Text[s.lines[i]:min(int(offset), len(s.Text))]) + 1
}

// lineStarts returns the offset of the first byte of each line.
func lineStarts(text []byte) []int32 {
	starts := []int32{0}
	for i, c := range text {
		if c == '\n' && i+1 < len(text) {
			starts = append(starts, int32(i+1))
		}
	}
	return starts
}
