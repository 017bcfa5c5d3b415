package analyze

import (
	"context"
	"fmt"
	"slices"
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
	if want := "Rank 0 waits for rank 1, 500 µs a step: forward compute takes 690 µs a step, on the others 190 µs."; a.Ranks.Sentence != want {
		t.Errorf("%q, want %q", a.Ranks.Sentence, want)
	}
	if even, _ := Everything(context.Background(), []*trace.Trace{rank(0, 300), rank(1, 305)}, All); even.Ranks.Slowest != -1 || even.Ranks.Explained != 0 || !strings.HasPrefix(even.Ranks.Sentence, "The 2 ranks differ little: a step takes 1.00 ms") {
		t.Errorf("%+v", even.Ranks)
	}
}

// hostRank makes three steps of so many µs on a host without a GPU: it loads so long, then sums up over
// the ranks until the end of the step, if it talks to them at all.
func hostRank(number int, step, loads float64, talks bool) *maker {
	m := newMaker()
	m.meta.Rank, m.meta.World, m.meta.Path = number, 2, fmt.Sprintf("rank%d.json", number)
	for i := range 3 {
		at := float64(i) * step
		m.step(fmt.Sprint(i), at, step).mark("enumerate(DataLoader)#_X.__next__", at+10, loads).op("aten::mm", at+20+loads, 60)
		if talks { // two at once, on a thread of their own
			m.host(autogradThread, trace.Annotation, "gloo:all_reduce", at+100+loads, step-110-loads)
			m.host(autogradThread, trace.Annotation, "gloo:all_reduce", at+110+loads, step-120-loads)
		}
	}
	return m
}

// Of ranks without a GPU the one that holds the job up is found, named and explained.
func TestRanksOnTheHost(t *testing.T) {
	const calm, slow = 20, 600
	for _, tt := range []struct {
		name               string
		ranks              []*maker
		slowest, explained int
		says               string
	}{
		{
			"collectives",
			[]*maker{hostRank(0, 1000, calm, true), hostRank(1, 1000, slow, true)},
			1, 1,
			"Rank 0 waits for rank 1, 580 µs a step: data loader (enumerate(DataLoader)#_X.__next__) takes 600 µs a step, on the others 20.0 µs.",
		},
		{
			"three",
			[]*maker{hostRank(0, 1000, slow, true), hostRank(1, 1000, calm, true), hostRank(2, 1000, slow+50, true)},
			2, 2,
			"The other ranks wait for rank 2, on average 340 µs a step: data loader (enumerate(DataLoader)#_X.__next__) takes 650 µs a step, on the others 20.0 µs.",
		},
		{
			"no collectives",
			[]*maker{hostRank(0, 1010, calm, false), hostRank(1, 1000, slow, false)},
			-1, 1,
			"Rank 1 slows the job most: on rank 1 waiting for data takes 600 µs of a step (60%), on rank 0 20.0 µs (2.0%).",
		},
		{
			"long steps",
			[]*maker{hostRank(0, 1000, calm, false), hostRank(1, 2000, calm, false)},
			-1, 1,
			"Rank 1 has the longest steps, 2.00 ms on average; rank 0 takes 1.00 ms.",
		},
		{"alike", []*maker{hostRank(0, 1000, calm, true), hostRank(1, 1010, calm+1, true)}, -1, 0, "The 2 ranks differ little: a step takes 1.00 ms to 1.01 ms on average."},
	} {
		var traces []*trace.Trace
		for _, m := range tt.ranks {
			traces = append(traces, m.trace())
		}
		a, err := Everything(context.Background(), traces, All)
		if err != nil {
			t.Fatal(err)
		}
		if r := a.Ranks; r.Slowest != tt.slowest || r.Explained != tt.explained || a.Trace.Rank != tt.explained || !strings.HasPrefix(r.Sentence, tt.says) {
			t.Errorf("%s: slowest %d, explained %d, %q; want %d, %d, %q", tt.name, r.Slowest, r.Explained, r.Sentence, tt.slowest, tt.explained, tt.says)
		}
	}
}

// A profiler that records in cycles writes a file for each rank and cycle: the last cycle is explained.
func TestRecordingsOfRanks(t *testing.T) {
	const day = 86_400e9
	at := func(rank int, base int64) *trace.Trace {
		m := hostRank(rank, 1000, float64(100+400*rank), true)
		m.meta.Base, m.meta.Path = base, fmt.Sprintf("rank%d of %d", rank, base)
		return m.trace()
	}
	a, err := Everything(context.Background(), []*trace.Trace{at(0, day), at(0, 2*day), at(1, day), at(1, 2*day)}, All)
	if err != nil {
		t.Fatal(err)
	}
	if r := a.Ranks; r.Recordings != 2 || r.World != 2 || len(r.Notes) > 0 || r.Slowest != 1 || a.Trace.Path != fmt.Sprintf("rank1 of %d", int64(2*day)) {
		t.Errorf("%+v, explained %s", r, a.Trace.Path)
	}
	if c := Compare(a, a); !slices.Contains(c.Notes, "before: rank 1 of 2 is compared") {
		t.Errorf("%q", c.Notes)
	}
	// The second recordings are of other days: they are not those of one job.
	a, err = Everything(context.Background(), []*trace.Trace{at(0, day), at(0, 2*day), at(1, day), at(1, 3*day)}, All)
	if err != nil || len(a.Ranks.Notes) == 0 || a.Ranks.World != 4 {
		t.Errorf("%v, %+v", err, a.Ranks)
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
		{"one rank twice", []*trace.Trace{dated(0, 100, day), dated(0, 500, day)}, "several traces are from rank 0"},
		{"other days", []*trace.Trace{dated(0, 100, day), dated(1, 500, 2*day)}, "recorded at different times"},
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

// Of two ranks of a job of 128, nobody is blamed: the late rank may be one that is not there. Of two of two, one is.
func TestPartOfAJob(t *testing.T) {
	for world, slowest := range map[int]int{128: -1, 2: 1} {
		var ranks []*trace.Trace
		for number, compute := range []float64{100, 500} {
			m := newMaker()
			m.meta.Rank, m.meta.World = number, world
			m.kernel("gemm", 0, 10, compute).call("cudaLaunchKernel", 20, 5).workOn(0, 20, trace.Kernel, "ncclDevKernel_AllReduce", 10+compute, 900-compute)
			ranks = append(ranks, m.trace())
		}
		a, err := Everything(context.Background(), ranks, All)
		if err != nil {
			t.Fatal(err)
		}
		if a.Ranks.Slowest != slowest || a.Ranks.JobSize != world || strings.Contains(a.Ranks.Sentence, "waits for") != (slowest >= 0) {
			t.Errorf("of %d: rank %d is late, %q", world, a.Ranks.Slowest, a.Ranks.Sentence)
		}
	}
}

// Collectives without sequence numbers are joined by their place in a step, unless one rank left before the other came.
func TestApart(t *testing.T) {
	job := func(seconds ...float64) []*trace.Trace {
		var list []*trace.Trace
		for number, later := range seconds {
			m := newMaker()
			m.meta.Rank, m.meta.World, m.meta.Path = number, len(seconds), fmt.Sprintf("rank%d.json", number)
			for i := range 3 {
				at := float64(i) * 100_000
				m.step(fmt.Sprint(i), at, 100_000)
				for k, start := range []float64{10_000, 40_000 + later*1e6, 80_000} { // the second one is another collective where it lies elsewhere
					m.call("cudaLaunchKernel", at+float64(k)*100, 5).workOn(0, 20, trace.Kernel, "ncclDevKernel_AllReduce_Sum_f32", at+start, 5_000)
				}
			}
			list = append(list, m.trace())
		}
		return list
	}
	for _, tt := range []struct {
		name           string
		ranks          []*trace.Trace
		matched, apart int
	}{
		{"together", job(0, 0), 9, 0},
		{"one waits for the other", job(0, 0.004), 9, 0},
		{"the second is another one", job(0, 0.02), 6, 3},
	} {
		a, err := Everything(context.Background(), tt.ranks, All)
		if err != nil || a.Ranks.Matched != tt.matched || a.Ranks.Apart != tt.apart {
			t.Errorf("%s: %d matched, %d apart; %v", tt.name, a.Ranks.Matched, a.Ranks.Apart, err)
		}
	}
}
