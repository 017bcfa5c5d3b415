package report

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"saturate/internal/finding"
)

type inner struct {
	Depth int     `json:"depth"`
	Share float64 `json:"share,omitempty"`
}

type named struct {
	X float64 `json:"x"`
}

type skipped struct{ Skipped int }

type everything struct {
	inner
	skipped  `json:"-"`
	named    `json:"named"`
	Pointer  *inner             `json:"pointer"`
	Nil      *inner             `json:"nil"`
	Empty    string             `json:"empty,omitempty"`
	Zero     time.Time          `json:"zero,omitzero"`
	When     time.Time          `json:"when"`
	Hidden   string             `json:"-"`
	Map      map[string]float64 `json:"map"`
	Numbers  map[int]inner      `json:"numbers"`
	Floats   []float64          `json:"floats"`
	Single   float32            `json:"single"`
	Bytes    []byte             `json:"bytes"`
	Any      any                `json:"any"`
	NilSlice []int              `json:"nil_slice"`
	Array    [2]int
	HTML     string `json:"html"`
	Big      uint64 `json:"big"`
}

func example() everything {
	return everything{
		inner: inner{1, 0.5}, named: named{2}, Pointer: &inner{Depth: 3}, When: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Hidden: "h",
		Map: map[string]float64{"b": 1, "a": 2}, Numbers: map[int]inner{2: {}, 10: {}}, Floats: []float64{1, 0.1, 1e21, 1e-7}, Single: 0.1,
		Bytes: []byte("bytes"), Any: []any{1, "x", nil}, HTML: "<&>\u2028", Big: math.MaxUint64,
	}
}

// What holds no NaN is written by encoding/json; the lenient way must write the same.
func TestLenientEqualsStandard(t *testing.T) {
	v := example()
	want, err := encode(v)
	if err != nil {
		t.Fatal(err)
	}
	lenient, err := withoutNaN(reflect.ValueOf(v), 0)
	if err != nil {
		t.Fatal(err)
	}
	got, err := encode(lenient)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Error(diff)
	}
}

func TestNaNBecomesNull(t *testing.T) {
	v := example()
	v.Floats[1], v.Map["b"], v.Pointer.Share, v.Any, v.X = math.NaN(), math.Inf(1), math.Inf(-1), []any{math.NaN(), inner{Share: math.NaN()}}, math.NaN()
	out := render(t, Report{Command: "x", Data: v}, "json", Options{})
	var got map[string]any
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	want := map[string]any{
		"floats": []any{1.0, nil, 1e21, 1e-7}, "map": map[string]any{"a": 2.0, "b": nil}, "pointer": map[string]any{"depth": 3.0, "share": nil},
		"any": []any{nil, map[string]any{"depth": 0.0, "share": nil}}, "named": map[string]any{"x": nil}, "depth": 1.0,
	}
	for key, value := range want {
		if diff := cmp.Diff(value, got[key]); diff != "" {
			t.Errorf("%s: %s", key, diff)
		}
	}
}

func TestJSONFields(t *testing.T) {
	keys := func(r Report) string {
		out := render(t, r, "json", Options{Version: "1"})
		fields, err := members(json.RawMessage(out))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, m := range fields {
			names = append(names, m.key)
		}
		return strings.Join(names, " ")
	}
	full := Report{Command: "x", Title: "t", Summary: []string{"s"}, Warnings: []string{"w"}, Findings: []finding.Finding{{}}, Next: []string{"n"}, Blocks: []Block{{Text: "b"}}}
	for _, test := range []struct {
		report Report
		want   string
	}{
		{Report{Command: "x"}, "schema version"},
		{full, "schema version summary warnings findings title blocks next"},
		{with(full, object{{"findings", 1}, {"b", 1}, {"a", 2}}), "schema version findings b a summary warnings next"},
		{with(full, map[string]int{"schema": 3, "version": 4, "warnings": 1}), "schema version warnings summary findings next"},
		{with(full, []int{1}), "schema version data summary warnings findings next"},
		{with(full, object{}), "schema version summary warnings findings next"},
	} {
		if got := keys(test.report); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}

func with(r Report, data any) Report {
	r.Data = data
	return r
}

func TestJSONCannotBeWritten(t *testing.T) {
	type loop struct {
		Next *loop
		NaN  float64
	}
	l := &loop{NaN: math.NaN()}
	l.Next = l
	for name, data := range map[string]any{"a loop": l, "a channel": make(chan int)} {
		var b strings.Builder
		err := Render(&b, Report{Command: "x", Data: data}, "json", Options{})
		if err == nil || !strings.Contains(err.Error(), "the result of x") || b.Len() > 0 {
			t.Errorf("%s: err = %v, wrote %q", name, err, b.String())
		}
	}
}
