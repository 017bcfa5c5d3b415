package analyze

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// Starved against fixed: the wait for data is what changed.
func TestCompareTraces(t *testing.T) {
	c := Compare(analysed(t, "starved", All), analysed(t, "fixed", All))
	if !c.PerStep || c.StepTimes == nil || !c.StepTimes.Significant() {
		t.Fatalf("%+v", c.StepTimes)
	}
	var sum int64
	var shares float64
	for _, p := range c.Parts {
		sum += p.DeltaNS()
		shares += p.Share
	}
	if sum != c.DeltaNS || math.Abs(shares-1) > 1e-6 {
		t.Errorf("the parts' changes add up to %d ns and %f, the difference is %d ns", sum, shares, c.DeltaNS)
	}
	if p := c.Parts[0]; p.Name != "waiting for data" || p.Share < 0.95 || !p.Significant() {
		t.Errorf("the largest change is %+v", p)
	}
	renamed := false
	for _, k := range c.Kernels {
		if k.MatchedBy == "operator" && k.Operator == "aten::mm" && strings.Contains(k.Name, "sgemm") && strings.Contains(k.After, "nvjet") {
			renamed = k.BeforeNS > 5*k.AfterNS
		}
	}
	if !renamed {
		t.Errorf("aten::mm's kernels were not matched: %+v", c.Kernels)
	}
}

func TestCompareWithItself(t *testing.T) {
	a := analysed(t, "fixed", All)
	c := Compare(a, a)
	if c.DeltaNS != 0 || c.StepTimes.Significant() {
		t.Errorf("%+v", c)
	}
	for _, k := range append(append(c.Parts, c.Kernels...), c.Operators...) {
		if k.DeltaNS() != 0 || k.Share != 0 || k.MatchedBy != "name" {
			t.Errorf("%+v", k)
		}
	}
}

// One slower kernel among equal ones is found, and nothing else is called a change.
func TestCompareFindsTheChange(t *testing.T) {
	trained := func(slow float64) Analysis {
		m := newMaker()
		for i := range 8 {
			at := float64(i) * 1000
			jitter := float64(i % 3)
			m.step(fmt.Sprint(i), at, 1000)
			m.op("aten::a", at+10, 20).kernel("a", at+12, at+20+jitter, 300)
			m.op("aten::b", at+40, 20).kernel("b", at+42, at+400+jitter, slow)
		}
		return m.analyse(t, All)
	}
	c := Compare(trained(200), trained(300))
	if k := c.Kernels[0]; k.Name != "b" || k.BeforeNS != 200_000 || k.AfterNS != 300_000 {
		t.Errorf("%+v", c.Kernels)
	}
	for _, p := range c.Parts {
		if want := p.Name == "compute" || p.Name == "idle" || p.Name == "host code" || p.Name == "launching"; p.Significant() && !want {
			t.Errorf("%+v", p)
		}
	}
}

func TestCompareWithoutSteps(t *testing.T) {
	m := newMaker().kernel("a", 0, 10, 100).kernel("b", 20, 120, 100)
	c := Compare(m.analyse(t, All), analysed(t, "fixed", All))
	if c.PerStep || c.StepTimes != nil || len(c.Notes) == 0 || c.Before.NS != 210_000 {
		t.Errorf("%+v", c)
	}
}

// With too few steps no order of them is rare enough, so nothing is said about chance.
func TestEnoughSteps(t *testing.T) {
	for _, tt := range []struct {
		n, m int
		want bool
	}{{0, 5, false}, {1, 30, false}, {1, 39, true}, {3, 3, false}, {3, 4, false}, {4, 4, true}, {6, 60, true}} {
		if enough(tt.n, tt.m) != tt.want || enough(tt.m, tt.n) != tt.want {
			t.Errorf("%d and %d steps: enough is %t", tt.n, tt.m, !tt.want)
		}
	}
}

// Two traces of programs on a CPU are compared by the host's steps and operators.
func TestCompareOnTheHost(t *testing.T) {
	trained := func(steps int, slow float64) Analysis {
		m := newMaker()
		at := 0.0
		for i := range steps {
			length := 900 + slow + float64(i%3)
			m.step(fmt.Sprint(i), at, length)
			m.op("aten::a", at+10, 300).op("aten::b", at+400, 100+slow)
			at += length + 10
		}
		return m.analyse(t, All)
	}
	c := Compare(trained(8, 0), trained(8, 200))
	if !c.OnHost || !c.PerStep || c.Before.Steps != 8 || c.StepTimes == nil || !c.StepTimes.Significant() || c.DeltaNS < 190e3 || c.DeltaNS > 210e3 {
		t.Errorf("%+v, %+v", c, c.StepTimes)
	}
	if len(c.Operators) == 0 || c.Operators[0].Name != "aten::b" || c.Operators[0].DeltaNS() != 200e3 || c.Operators[0].BeforeCount != 1 {
		t.Errorf("operators %+v", c.Operators)
	}
	if c := Compare(trained(2, 0), trained(2, 200)); c.StepTimes != nil || len(c.Notes) != 1 || !strings.Contains(c.Notes[0], "too few") || c.Before.NS == 0 {
		t.Errorf("with two steps each: %+v", c)
	}
	if c := Compare(trained(8, 0), analysed(t, "fixed", All)); c.OnHost || c.Before.NS != 0 {
		t.Errorf("against a trace of a GPU: %+v", c)
	}
}
