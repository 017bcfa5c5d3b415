package analyze

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"saturate/internal/trace"
)

// rank makes three steps: it computes so long, then waits in an all-reduce until 900 µs.
func rank(number int, compute float64) *trace.Trace {
	m := newMaker()
	m.meta.Rank, m.meta.World, m.meta.Path = number, 2, fmt.Sprintf("rank%d.json", number)
	for i := range 3 {
		at := float64(i) * 1000
		m.step(fmt.Sprint(i), at, 1000).op("aten::mm", at+10, 60).kernel("gemm", at+20, at+30, compute)
		m.op("nccl:all_reduce", at+80, 40).call("cudaLaunchKernel", at+90, 5).workOn(0, 20, trace.Kernel, "ncclDevKernel_AllReduce_Sum_f32", at+20+compute, 880-compute)
	}
	return m.trace()
}

func TestRanks(t *testing.T) {
	traces := []*trace.Trace{rank(0, 200), rank(1, 700)}
	a, err := Everything(context.Background(), traces, All)
	if err != nil {
		t.Fatal(err)
	}
	r := a.Ranks
	if r == nil || r.World != 2 || r.Slowest != 1 || r.SkewNS != 500_000 || a.Trace.Rank != 1 || r.Explained != 1 {
		t.Fatalf("%+v, explained %d", r, a.Trace.Rank)
	}
	if r.Rows[0].CommunicationNS != 680_000 || r.Rows[1].CommunicationNS != 180_000 || r.Rows[0].ExposedNS != 670_000 {
		t.Errorf("%+v", r.Rows)
	}
	c := a.Communication
	if c.TotalNS != 540_000 || c.OverlapNS != 30_000 || c.Overlap < 0.055 || c.Overlap > 0.056 {
		t.Errorf("%+v", c)
	}
	a, err = Everything(context.Background(), traces, Options{Step: -1, Rank: 0})
	if err != nil || a.Trace.Rank != 0 || a.Verdict.Bottleneck != ByCommunication {
		t.Errorf("rank 0: %v, %+v", err, a.Verdict)
	}
	if even, _ := Everything(context.Background(), []*trace.Trace{rank(0, 300), rank(1, 305)}, All); even.Ranks.Slowest != -1 {
		t.Errorf("%+v", even.Ranks)
	}
}

// Recordings of one process, or of other times, are not ranks: nobody waits for anybody.
func TestTracesThatAreNoRanks(t *testing.T) {
	dated := func(number int, compute float64, base int64) *trace.Trace {
		m := newMaker()
		m.meta.Rank, m.meta.Base = number, base
		m.kernel("gemm", 0, 10, compute).call("cudaLaunchKernel", 20, 5).workOn(0, 20, trace.Kernel, "ncclDevKernel_AllReduce", 10+compute, 900-compute)
		return m.trace()
	}
	const day = 86_400e9
	for _, tt := range []struct {
		name   string
		traces []*trace.Trace
		doubt  string
	}{
		{"ranks", []*trace.Trace{dated(0, 100, day), dated(1, 500, day)}, ""},
		{"one rank twice", []*trace.Trace{dated(0, 100, day), dated(0, 500, day)}, "several traces are of rank 0"},
		{"other days", []*trace.Trace{dated(0, 100, day), dated(1, 500, 2*day)}, "not all recorded at the same time"},
		{"not dated", []*trace.Trace{dated(0, 100, 0), dated(1, 500, 0)}, ""},
	} {
		a, err := Everything(context.Background(), tt.traces, All)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(a.Ranks.Notes, "; "); !strings.Contains(got, tt.doubt) || (got == "") != (tt.doubt == "") || (a.Ranks.Slowest < 0) != (tt.doubt != "") {
			t.Errorf("%s: %q, slowest %d", tt.name, got, a.Ranks.Slowest)
		}
	}
}
