package mcp

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"saturate/internal/finding"
	"saturate/internal/human"
)

const (
	mostBytes  = 4096 // of an answer as JSON
	mostString = 120  // characters of a string without the tag most
)

// fit makes every string of an answer harmless, and drops entries from the longest lists until it is short enough.
func fit(a Answer) Answer {
	cleanAll(reflect.ValueOf(&a).Elem(), mostString, false)
	for size(a) > mostBytes {
		if !shorten(&a) {
			break
		}
	}
	return a
}

func size(v any) int {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // only strings and finite numbers
	}
	return len(text)
}

// shorten drops one entry of the list that takes the most space, or halves the diff. What it drops, the links have.
func shorten(a *Answer) bool {
	if p := a.Patch; p != nil && len(p.Diff) > 300 {
		p.Diff, p.Whole = strings.ToValidUTF8(p.Diff[:len(p.Diff)/2], ""), false
		return true
	}
	most, drop := 0, func() {}
	consider := func(n, bytes, fewest int, one func()) {
		if n > fewest && bytes > most {
			most, drop = bytes, one
		}
	}
	consider(len(a.Findings), size(a.Findings), 1, func() { a.Findings = a.Findings[:len(a.Findings)-1] })
	consider(len(a.Predictions), size(a.Predictions), 1, func() { a.Predictions = a.Predictions[:len(a.Predictions)-1] })
	consider(len(a.Gaps), size(a.Gaps), 1, func() { a.Gaps = a.Gaps[:len(a.Gaps)-1] })
	consider(len(a.Runs), size(a.Runs), 1, func() { a.Runs = a.Runs[:len(a.Runs)-1] })
	consider(len(a.Warnings), size(a.Warnings), 1, func() { a.Warnings = a.Warnings[:len(a.Warnings)-1] })
	consider(len(a.Printed), size(a.Printed), 1, func() { a.Printed = a.Printed[1:] }) // the end says why it ended
	consider(len(a.Summary), size(a.Summary), 1, func() { a.Summary = a.Summary[:len(a.Summary)-1] })
	if d := a.Detail; d != nil {
		consider(len(d.Evidence), size(d.Evidence), 0, func() { d.Evidence = d.Evidence[:len(d.Evidence)-1] })
		consider(len(d.Fixes), size(d.Fixes), 0, func() { d.Fixes = d.Fixes[:len(d.Fixes)-1] })
	}
	if p := a.Patch; p != nil {
		consider(len(p.Left), size(p.Left), 0, func() { p.Left = p.Left[:len(p.Left)-1] })
		consider(len(p.Fixes), size(p.Fixes), 0, func() { p.Fixes = p.Fixes[:len(p.Fixes)-1] })
		consider(len(p.Files), size(p.Files), 0, func() { p.Files = p.Files[:len(p.Files)-1] })
	}
	if most == 0 {
		return false
	}
	drop()
	a.Omitted++
	return true
}

// cleanAll cleans every string within a value, so that no field can be forgotten.
func cleanAll(v reflect.Value, most int, lines bool) {
	switch v.Kind() {
	case reflect.String:
		if lines {
			v.SetString(human.DataLines(v.String(), most))
		} else {
			v.SetString(human.Data(v.String(), most))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			cleanAll(v.Elem(), most, lines)
		}
	case reflect.Slice:
		v.Set(reflect.AppendSlice(reflect.MakeSlice(v.Type(), 0, v.Len()), v)) // the Report keeps its own strings
		for i := range v.Len() {
			cleanAll(v.Index(i), most, lines)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			limit, tag := mostString, v.Type().Field(i).Tag
			if n, err := strconv.Atoi(tag.Get("most")); err == nil {
				limit = n
			}
			cleanAll(v.Field(i), limit, tag.Get("lines") != "")
		}
	case reflect.Float64:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			v.SetFloat(0)
		}
	}
}

func cleanList(list []string, most int) []string {
	out := slices.Clone(list)
	for i := range out {
		out[i] = human.Data(out[i], most)
	}
	return out
}

func ms(ns int64) float64 { return round(float64(ns) / 1e6) }

// round keeps four digits: more say nothing, and cost an agent its room.
func round(f float64) float64 {
	short, err := strconv.ParseFloat(strconv.FormatFloat(f, 'g', 4, 64), 64)
	if err != nil {
		return f
	}
	return short
}

func gainOf(e finding.Estimate) string {
	switch {
	case e.SecondsPerStep > 0:
		return human.Seconds(e.SecondsPerStep) + " a step; " + e.Basis
	case e.SpeedupHigh > 0:
		return fmt.Sprintf("%.3g–%.3g× faster; %s", e.SpeedupLow, e.SpeedupHigh, e.Basis)
	}
	return e.Basis
}
