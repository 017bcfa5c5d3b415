package rule

import (
	"bytes"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// directives are the comments of a file that ask to ignore findings:
//
//	# saturate: ignore[SAT101, no-pin-memory] the voices change every epoch
//	# saturate: ignore-file[SAT3]
//
// The first kind counts for its line, for the statement that starts or ends
// there, and, on a line of its own, for the line below; the second for the whole
// file. Without brackets every rule is meant.
type directives struct {
	lines map[int][]string // the rules that a line ignores
	file  []string
}

// every stands for all rules.
const every = ""

var mark = []byte("saturate:")

func readDirectives(s *project.Source, m *project.Module) directives {
	d := directives{lines: map[int][]string{}}
	if m != nil {
		for _, c := range m.File.Comments {
			if text := s.Text[c.Start:c.End]; bytes.Contains(text, mark) {
				d.read(s, s.LineAt(c.Start), string(text))
			}
		}
		return d
	}
	for line := 1; line <= s.Lines(); line++ {
		text := s.Line(line)
		if i := strings.Index(text, "#"); i >= 0 {
			d.read(s, line, text[i:])
		}
	}
	return d
}

func (d *directives) read(s *project.Source, line int, comment string) {
	_, rest, ok := strings.Cut(comment, string(mark))
	if !ok {
		return
	}
	rest = strings.TrimSpace(rest)
	if list, ok := strings.CutPrefix(rest, "ignore-file"); ok {
		d.file = append(d.file, ruleNames(list)...)
	} else if list, ok := strings.CutPrefix(rest, "ignore"); ok {
		if strings.HasPrefix(strings.TrimSpace(s.Line(line)), "#") {
			line++ // a line of its own speaks of the next
		}
		d.lines[line] = append(d.lines[line], ruleNames(list)...)
	}
}

// ruleNames reads [SAT101, SAT2] and leaves the reason behind it.
func ruleNames(list string) []string {
	list, ok := strings.CutPrefix(list, "[")
	if !ok {
		return []string{every}
	}
	list, _, _ = strings.Cut(list, "]")
	var names []string
	for _, n := range strings.Split(list, ",") {
		if n = strings.TrimSpace(n); n != every {
			names = append(names, n)
		}
	}
	return names
}

// ignore reports whether a comment asks to ignore what a rule says of a span.
func (d *directives) ignore(s *project.Source, m *project.Module, r *Rule, span pysrc.Span) bool {
	if ignored(d.file, r) {
		return true
	}
	if len(d.lines) == 0 {
		return false
	}
	lines := []int{s.LineAt(span.Start), s.LineAt(span.End)}
	if m != nil {
		if stmt := m.StatementAt(span.Start); stmt != nil && m.Simple(stmt) {
			lines = append(lines, s.LineAt(stmt.Bounds().Start), s.LineAt(stmt.Bounds().End))
		}
	}
	for _, line := range lines {
		if ignored(d.lines[line], r) {
			return true
		}
	}
	return false
}

func ignored(list []string, r *Rule) bool {
	for _, n := range list {
		if n == every || n == r.Name || strings.HasPrefix(r.Code, n) {
			return true
		}
	}
	return false
}
