package rule

import (
	"strings"
	"testing"

	"saturate/internal/finding"
	"saturate/internal/patch"
)

// What many settings files of a project have in common is one finding, whose fix is the fix of all. What stands in code,
// in few files, or says something else, is another.
func TestJoinSettings(t *testing.T) {
	at := func(path, message string, titles ...string) finding.Finding {
		f := finding.Finding{Code: "SAT704", Message: message, Where: &finding.Location{Path: path, Line: 3}}
		for _, title := range titles {
			f.Fixes = append(f.Fixes, patch.Patch{Title: title, Edits: []patch.Edit{{Path: path, Text: "4"}}})
		}
		return f
	}
	list := joinSettings([]finding.Finding{
		at("a.json", "no workers", "workers"), at("b.json", "no workers", "workers"), at("c.json", "no workers"),
		at("d.json", "one worker"), at("e.json", "no workers", "workers"), at("f.json", "no workers", "workers"), at("g.json", "no workers", "workers"),
		at("h.json", "one worker"), at("train.py", "no workers", "workers"),
	}, map[string]bool{"a.json": true, "b.json": true, "c.json": true, "d.json": true, "e.json": true, "f.json": true, "g.json": true, "h.json": true})
	var paths []string
	for _, f := range list {
		paths = append(paths, f.Where.Path)
	}
	if strings.Join(paths, " ") != "a.json c.json d.json h.json train.py" {
		t.Fatalf("%v", paths)
	}
	if e := list[0].Evidence; len(e) != 1 || e[0].Text != "the same is true of 4 other settings files" || e[0].Location.Path != "b.json" {
		t.Errorf("%+v", e)
	}
	if edits := list[0].Fixes[0].Edits; len(edits) != 5 || edits[2].Path != "e.json" {
		t.Errorf("%+v", edits)
	}
	if len(list[4].Evidence) != 0 || len(list[4].Fixes[0].Edits) != 1 {
		t.Errorf("code was joined: %+v", list[4])
	}
}
