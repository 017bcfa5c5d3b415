package pysrc

import (
	"fmt"
	"sort"
	"unicode/utf8"
)

// File is a source file that has been read.
type File struct {
	Path string
	// Src is the source as UTF-8. It is the bytes given to Parse unless a
	// coding cookie names another encoding; all offsets are offsets into it.
	Src []byte
	// Encoding is "utf-8", or what the coding cookie says and Src was decoded from.
	Encoding string
	Module   *Module
	// Comments are the spans from # to the end of the line, in order.
	Comments []Span
	// Errors are the places where the source is not Python, in order of offset.
	Errors []SyntaxError
	// LineStarts holds the offset of the first byte of each line, after a byte
	// order mark.
	LineStarts []int32

	primary int // index of the error CPython would raise
}

// Position is a place for people: both numbers count from 1, columns in characters.
type Position struct {
	Line, Column int
}

func (p Position) String() string { return fmt.Sprintf("%d:%d", p.Line, p.Column) }

// SyntaxError is source that is not Python.
type SyntaxError struct {
	Span
	Position
	Message string
}

func (e SyntaxError) Error() string { return e.Position.String() + ": " + e.Message }

// Err returns the one error that CPython would raise for the file, or nil.
// CPython reports a fault of a token anywhere in the file before a fault of the
// grammar, so that it is not always the first of Errors.
func (f *File) Err() *SyntaxError {
	if len(f.Errors) == 0 {
		return nil
	}
	return &f.Errors[f.primary]
}

// Text returns the source of a node.
func (f *File) Text(n Node) string {
	s := n.Bounds()
	return string(f.Src[s.Start:s.End])
}

// Position returns the line and column of an offset.
func (f *File) Position(offset int32) Position {
	line := lineOf(f.LineStarts, offset)
	start := f.LineStarts[line]
	return Position{line + 1, utf8.RuneCount(f.Src[start:min(max(offset, start), int32(len(f.Src)))]) + 1}
}

// Line returns the text of a line, counted from 1, without its newline.
func (f *File) Line(line int) string {
	if line < 1 || line > len(f.LineStarts) {
		return ""
	}
	start, end := f.LineStarts[line-1], int32(len(f.Src))
	if line < len(f.LineStarts) {
		end = f.LineStarts[line]
	}
	for end > start && (f.Src[end-1] == '\n' || f.Src[end-1] == '\r') {
		end--
	}
	return string(f.Src[start:end])
}

// lineOf is the index of the line that holds an offset.
func lineOf(starts []int32, offset int32) int {
	return max(sort.Search(len(starts), func(i int) bool { return starts[i] > offset })-1, 0)
}

// Commented returns the comments that lie in the span.
func (f *File) Commented(s Span) []Span {
	first := sort.Search(len(f.Comments), func(i int) bool { return f.Comments[i].Start >= s.Start })
	last := sort.Search(len(f.Comments), func(i int) bool { return f.Comments[i].Start >= s.End })
	return f.Comments[first:max(first, last)]
}
