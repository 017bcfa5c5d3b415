package stat

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestSeriesSurvivesJSON(t *testing.T) {
	want := Series{"loss", "", []float64{1.5, nan, inf, -inf, 0, math.MaxFloat64, 5e-324}}
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	const text = `{"name":"loss","unit":"","values":[1.5,"NaN","Infinity","-Infinity",0,1.7976931348623157e+308,5e-324]}`
	if string(data) != text {
		t.Errorf("%s, want %s", data, text)
	}
	var got Series
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateNaNs()); diff != "" {
		t.Error(diff)
	}
}

func TestNumberReads(t *testing.T) {
	for text, want := range map[string]float64{
		`1e3`: 1000, `"NaN"`: nan, `null`: nan, `"Infinity"`: inf, `"+Inf"`: inf, `"-inf"`: -inf, ` 2 `: 2,
	} {
		var got Number
		if err := json.Unmarshal([]byte(text), &got); err != nil || float64(got) != want && !(math.IsNaN(want) && math.IsNaN(float64(got))) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
		if got.Finite() != isFinite(want) {
			t.Errorf("%s: finite is %t", text, got.Finite())
		}
	}
	for _, text := range []string{`"12"`, `"x"`, `{}`, `[1]`, `true`, `1e999`} {
		if err := json.Unmarshal([]byte(text), new(Number)); err == nil {
			t.Errorf("%s: no error", text)
		}
	}
}
