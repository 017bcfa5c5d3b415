package report

import (
	"cmp"
	"slices"
	"strconv"

	"saturate/internal/finding"
	"saturate/internal/human"
)

// fewest is how many findings of one kind in one function make a group: two are still read one by one.
const fewest = 3

// group is a finding that is shown whole, and the others like it in the same function.
type group struct {
	first     finding.Finding
	others    []finding.Finding
	elsewhere []finding.Finding // of the same rule, where there are too many to show each
}

// grouped puts findings of one rule in one function together, each group where its first stands.
func grouped(list []finding.Finding) []group {
	type kind struct {
		code, path, within string
		severity           finding.Severity
	}
	of := func(f finding.Finding) (kind, bool) {
		if f.Where == nil || f.Within == "" {
			return kind{}, false
		}
		return kind{f.Code, f.Where.Path, f.Within, f.Severity}, true
	}
	many := map[kind]int{}
	for _, f := range list {
		if k, ok := of(f); ok {
			many[k]++
		}
	}
	var groups []group
	at := map[kind]int{}
	for _, f := range list {
		k, ok := of(f)
		if !ok || many[k] < fewest {
			groups = append(groups, group{first: f})
			continue
		}
		if i, begun := at[k]; begun {
			groups[i].others = append(groups[i].others, f)
			continue
		}
		at[k] = len(groups)
		groups = append(groups, group{first: f})
	}
	return groups
}

// alsoAt says where the others of a group stand, and how many of them can be repaired.
func alsoAt(others []finding.Finding) string {
	if len(others) == 0 {
		return ""
	}
	type at struct{ cell, line int }
	var places []at
	for _, f := range others {
		places = append(places, at{f.Where.Cell, f.Where.Line})
	}
	slices.SortFunc(places, func(a, b at) int { return cmp.Or(cmp.Compare(a.cell, b.cell), cmp.Compare(a.line, b.line)) })
	places = slices.Compact(places)
	var said []string
	text := "at " + human.Choose(len(places), "line ", "lines ")
	for _, p := range places {
		said = append(said, strconv.Itoa(p.line))
		if p.cell > 0 {
			said[len(said)-1] = finding.Location{Cell: p.cell, Line: p.line}.InWords()
			text = "at "
		}
	}
	text += human.And(said)
	return text + " of " + human.Line(others[0].Within) + repairsAmong(others)
}

// repairsAmong goes on to say how many of the findings that were named can be repaired.
func repairsAmong(list []finding.Finding) string {
	repairs := 0
	for _, f := range list {
		if len(f.Fixes) > 0 {
			repairs++
		}
	}
	if repairs == 0 {
		return ""
	}
	return "; " + human.Count(repairs) + " of these " + human.Choose(repairs, "has", "have") + " a fix"
}
