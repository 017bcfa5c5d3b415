package report

import (
	"fmt"
	"strings"

	"saturate/internal/finding"
	"saturate/internal/human"
)

const (
	// mostEntries is how many entries are read one by one. Above it each rule has one, and names its other places.
	mostEntries = 40
	// mostPlaces is how many places such an entry names.
	mostPlaces = 8
)

// foldGroups puts the groups of one rule together where there are too many to read.
func foldGroups(groups []group) []group {
	if len(groups) <= mostEntries {
		return groups
	}
	type kind struct {
		code     string
		severity finding.Severity
	}
	var list []group
	at := map[kind]int{}
	for _, g := range groups {
		k := kind{g.first.Code, g.first.Severity}
		i, begun := at[k]
		if !begun {
			at[k] = len(list)
			list = append(list, g)
			continue
		}
		list[i].elsewhere = append(append(list[i].elsewhere, g.first), g.others...)
	}
	return list
}

// elsewhereAt names the places of a rule's other findings, and how many of them can be repaired.
func elsewhereAt(list []finding.Finding) string {
	if len(list) == 0 {
		return ""
	}
	var places []string
	for _, f := range list[:min(len(list), mostPlaces)] {
		places = append(places, place(f))
	}
	text := "in " + human.Count(len(list)) + " more places: " + strings.Join(places, ", ")
	if len(list) == 1 {
		text = "at " + places[0]
	}
	if more := len(list) - len(places); more > 0 {
		text += fmt.Sprintf(" and %s more (-v lists them)", human.Count(more))
	}
	return text + repairsAmong(list)
}
