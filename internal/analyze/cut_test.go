package analyze

import (
	"fmt"
	"testing"
)

// ahead makes four steps that the host marks every 500 µs, while the GPU needs 1,000 µs for the work of each.
func ahead() *maker {
	m := newMaker()
	for i := range 4 {
		at := float64(i) * 500
		m.step(fmt.Sprint(i), at, 500).op("aten::work", at+10, 100).kernel("work", at+20, 30+float64(i)*1000, 1000)
	}
	return m
}

// A step is what the GPU does for it, where the host runs ahead.
func TestStepsByGPU(t *testing.T) {
	a := ahead().analyse(t, All)
	if !a.Window.ByGPU || a.Window.MarkedNS != 500_000 {
		t.Fatalf("%+v", a.Window)
	}
	if m := Mean(a.Steps); m.NS() != 1_007_500 || m.ComputeNS != 1_000_000 { // the first waits 30 µs for its launch
		t.Errorf("a step of %d ns, %d of it compute", m.NS(), m.ComputeNS)
	}
	if a.CriticalPath.TotalNS != 1_007_500 {
		t.Errorf("the path is %d ns long", a.CriticalPath.TotalNS)
	}
	one := ahead().analyse(t, Options{Step: 2, Rank: -1})
	if len(one.Steps) != 1 || one.Steps[0].NS() != 1_000_000 || one.Steps[0].MarkedNS != 500_000 {
		t.Errorf("%+v", one.Steps)
	}
}

// Where the host waits for the GPU in each step, its marks are the steps.
func TestStepsByHost(t *testing.T) {
	a := loop(func(*maker, float64) {}).analyse(t, All)
	if a.Window.ByGPU || a.Steps[0].MarkedNS != 0 {
		t.Errorf("%+v", a.Window)
	}
}
