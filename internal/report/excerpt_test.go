package report

import (
	"strings"
	"testing"

	"saturate/internal/finding"
	"saturate/internal/human"
	"saturate/internal/patch"
)

func TestExcerpt(t *testing.T) {
	at := func(source string, column, end int) finding.Location {
		return finding.Location{Line: 7, EndLine: 7, Column: column, EndColumn: end, Excerpt: source}
	}
	for _, test := range []struct {
		name          string
		loc           finding.Location
		width         int
		source, caret string
	}{
		{"plain", at("x = f(y)", 5, 6), 0, "x = f(y)", "    ^"},
		{"tab", at("\tx = f()", 2, 3), 0, "    x = f()", "    ^"},
		{"wide characters", at("日本 = f()", 6, 9), 0, "日本 = f()", "       ^^^"},
		{"beyond the line", at("short", 99, 120), 0, "short", "     ^"},
		{"no column", at("short", 0, 0), 0, "short", "^"},
		{"several lines", finding.Location{Line: 7, EndLine: 9, Column: 3, EndColumn: 1, Excerpt: "f(a,"}, 0, "f(a,", "  ^^"},
		{"control", at("a\x1bb", 3, 4), 0, `a\x1bb`, "     ^"},
		{"long", at(strings.Repeat("a", 50)+"HERE"+strings.Repeat("b", 50), 51, 55), 30, "…" + strings.Repeat("a", 10) + "HERE" + strings.Repeat("b", 14) + "…", "           ^^^^"},
	} {
		e, ok := excerptOf(test.loc, test.width)
		if !ok || e.source != test.source || e.caret != test.caret {
			t.Errorf("%s:\n%q\n%q, want\n%q\n%q", test.name, e.source, e.caret, test.source, test.caret)
		}
		if test.width > 0 && human.Width(e.source) > test.width {
			t.Errorf("%s: %d columns", test.name, human.Width(e.source))
		}
	}
	if _, ok := excerptOf(finding.Location{Excerpt: "  "}, 0); ok {
		t.Error("an empty line has an excerpt")
	}
}

func TestChangeOfLine(t *testing.T) {
	loc := finding.Location{Path: "a.py", Start: 104, Line: 3, Column: 5, Excerpt: "    é = f(1)"}
	edit := func(start, end int, text string) patch.Edit {
		return patch.Edit{Path: "a.py", Start: start, End: end, Text: text}
	}
	for _, test := range []struct {
		name  string
		edits []patch.Edit
		want  string
	}{
		{"one", []patch.Edit{edit(111, 112, "2")}, "- é = f(1)|+ é = f(2)"},
		{"two", []patch.Edit{edit(104, 106, "e"), edit(112, 112, ", 2")}, "- é = f(1)|+ e = f(1, 2)"},
		{"more lines", []patch.Edit{edit(100, 100, "if x:\n  ")}, "-     é = f(1)|+ if x:|+       é = f(1)"},
		{"more lines with CRLF", []patch.Edit{edit(100, 100, "if x:\r\n  ")}, "-     é = f(1)|+ if x:|+       é = f(1)"},
		{"another line", []patch.Edit{edit(200, 201, "x")}, ""},
		{"before the line", []patch.Edit{edit(90, 101, "x")}, ""},
		{"out of order", []patch.Edit{edit(111, 112, "x"), edit(104, 105, "y")}, ""},
		{"another file", []patch.Edit{{Path: "b.py", Start: 104, End: 105}}, ""},
		{"none", nil, ""},
	} {
		got := ""
		if c, ok := changeOf(loc, patch.Patch{Edits: test.edits}); ok {
			got = strings.Join(c.diff(), "|")
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
