package analyze

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"saturate/internal/trace"
)

// training makes steps of three kernels, 1 ms each; mark is called for each step.
func training(steps int, mark func(m *maker, i int, start float64)) *maker {
	m := newMaker()
	for i := range steps {
		start := float64(i) * 1000
		mark(m, i, start)
		for k, name := range []string{"first", "twice", "twice", "last"} {
			at := start + 100 + 200*float64(k)
			m.op("aten::"+name, at, 50).kernel(name, at+10, at+60, 100)
		}
	}
	return m
}

func TestWhereStepsComeFrom(t *testing.T) {
	tests := []struct {
		name   string
		mark   func(m *maker, i int, start float64)
		source string
		steps  int
	}{
		{"profiler", func(m *maker, i int, start float64) { m.step(fmt.Sprint(i+7), start, 990) }, "profiler", 5},
		{"range", func(m *maker, i int, start float64) {
			m.mark("train_step", start+50, 800).mark("Forward", start+60, 300)
		}, "annotation train_step", 5},
		{"loader", func(m *maker, i int, start float64) {
			m.mark("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", start, 90).mark("Optimizer.step#SGD", start+700, 100)
		}, "annotation enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 5},
		{"periodicity", func(*maker, int, float64) {}, "periodicity", 5},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := training(5, tt.mark).analyse(t, All)
			if a.Window.StepsFrom != tt.source || len(a.Steps) != tt.steps {
				t.Fatalf("%d steps from %q, want %d from %q", len(a.Steps), a.Window.StepsFrom, tt.steps, tt.source)
			}
			for i, s := range a.Steps {
				if s.Launches != 4 {
					t.Errorf("step %d has %d kernels", i, s.Launches)
				}
				if i+1 < len(a.Steps) && (s.EndNS != a.Steps[i+1].StartNS || s.NS() != 1000_000) {
					t.Errorf("step %d lasts from %d to %d", i, s.StartNS, s.EndNS)
				}
			}
		})
	}
}

// What little work repeats may do so by chance.
func TestTooLittleForSteps(t *testing.T) {
	if a := training(4, func(*maker, int, float64) {}).analyse(t, All); len(a.Steps) != 0 {
		t.Errorf("%d steps from %d pieces of work", len(a.Steps), a.GPUs[0].Span.Kernels)
	}
}

func TestNoSteps(t *testing.T) {
	m := newMaker()
	for i := range 20 {
		m.kernel(fmt.Sprint("kernel", i), float64(i)*10, float64(i)*10+6, 3)
	}
	a := m.analyse(t, All)
	if len(a.Steps) != 0 || a.Window.StepsFrom != "none" {
		t.Errorf("%d steps from %s", len(a.Steps), a.Window.StepsFrom)
	}
}

// What is marked around all steps is no step.
func TestMarkAroundSteps(t *testing.T) {
	m := training(5, func(m *maker, i int, start float64) { m.step(fmt.Sprint(i+7), start, 1000) }).step("99", -1, 5100)
	if a := m.analyse(t, All); len(a.Steps) != 5 || Mean(a.Steps).NS() != 1_000_000 {
		t.Errorf("%d steps of %d ns", len(a.Steps), Mean(a.Steps).NS())
	}
}

// Ranges that run at the same time do not take more than all of it.
func TestRangesAtOnce(t *testing.T) {
	m := newMaker().kernel("k", 0, 10, 990).mark("gloo:all_reduce", 0, 1000).host(autogradThread, trace.Annotation, "gloo:all_reduce", 0, 500)
	if r := m.analyse(t, All).Ranges[0]; r.TotalNS != 1_500_000 || r.Share != 1 {
		t.Errorf("%+v", r)
	}
}

// The layers of a model repeat as steps do.
func TestLayersAreNoSteps(t *testing.T) {
	graph := newMaker().call("cudaGraphLaunch", 0, 20)
	eager := newMaker().kernel("first", 0, 10, 5)
	for i := range 24 {
		for k := range 6 {
			at := float64(i*60 + k*10)
			graph.work(trace.Kernel, fmt.Sprint("layer", k), 30+at, 8)
			eager.kernel(fmt.Sprint("layer", k), 9_000_000+at, 9_000_006+at, 3)
		}
	}
	for name, m := range map[string]*maker{"launched by one call": graph, "in a small part of the time": eager} {
		if a := m.analyse(t, All); len(a.Steps) != 0 {
			t.Errorf("%s: %d steps from %s", name, len(a.Steps), a.Window.StepsFrom)
		}
	}
}

// piecewise serves requests as vLLM does with piecewise CUDA graphs: for each of 24 layers a graph is launched, then a
// kernel for its attention, all in one call of the model; mark is called for each request of 24,000 µs.
func piecewise(requests int, mark func(m *maker, i int, start float64)) *maker {
	m := newMaker()
	for i := range requests {
		start := float64(i) * 24_000
		mark(m, i, start)
		m.kernel("embed", start+5, start+20, 30)
		for layer := range 24 {
			at := start + 100 + 900*float64(layer)
			m.call("cudaGraphLaunch", at, 20)
			for k := range 6 {
				m.work(trace.Kernel, fmt.Sprint("layer", k), at+30+100*float64(k), 90)
			}
			m.kernel("attention", at+30, at+640, 200)
		}
	}
	return m
}

func TestLayersOfPiecewiseGraphs(t *testing.T) {
	module := func(m *maker, i int, start float64) { m.frame("nn.Module: Qwen3ForCausalLM_0", start, 23_500) }
	marked := func(m *maker, i int, start float64) {
		m.mark(fmt.Sprintf("execute_%d_context_9", 8192+i), start, 23_500) // no two requests are alike
	}
	operator := func(m *maker, i int, start float64) { m.op("Torch-Compiled Region: 0/0", start, 23_500) }
	for name, mark := range map[string]func(*maker, int, float64){"module": module, "range": marked, "operator": operator} {
		if a := piecewise(1, mark).analyse(t, All); len(a.Steps) != 0 {
			t.Errorf("one request in a %s: %d steps from %s", name, len(a.Steps), a.Window.StepsFrom)
		}
		if a := piecewise(5, mark).analyse(t, All); len(a.Steps) != 5 || a.Steps[0].NS() != 24_000_000 {
			t.Errorf("five requests in a %s each: %d steps from %s", name, len(a.Steps), a.Window.StepsFrom)
		}
	}
	loop := func(m *maker, i int, start float64) {
		if i == 0 {
			m.frame("train.py(9): main", start, 24_000*5)
		}
	}
	if a := training(5, loop).analyse(t, All); len(a.Steps) != 5 {
		t.Errorf("%d steps in a function's loop of 5", len(a.Steps))
	}
}

// The wait for the batch lies before the first kernel of a single step.
func TestASingleStep(t *testing.T) {
	single := func() *maker {
		m := newMaker().step("3", 0, 2000).mark("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 10, 1500)
		return m.op("aten::add", 1600, 300).kernel("k", 1610, 1620, 300)
	}
	a := single().analyse(t, All)
	if a.Verdict.Bottleneck != ByData || !strings.Contains(a.Verdict.Sentence, "__next__") {
		t.Errorf("%+v", a.Verdict)
	}
	if s := a.Steps[0]; s.DataLoadingNS != 1500_000 || s.ComputeNS != 300_000 || s.NS() != 2000_000 {
		t.Errorf("%+v", s)
	}
	// The GPU's own figures are those of the sentence, or one page would say two things.
	g := a.GPUs[0]
	var causes int64
	for _, c := range g.IdleByCause {
		causes += c.NS
	}
	if g.Span.SpanNS != 2000_000 || g.Span.IdleNS != 1700_000 || causes != 1700_000 {
		t.Errorf("idle %d of %d ns, by causes %d", g.Span.IdleNS, g.Span.SpanNS, causes)
	}
	if span := single().analyse(t, htaOptions).GPUs[0].Span; span.SpanNS != 300_000 {
		t.Errorf("HTA counts from the first work to the last, not %d ns", span.SpanNS)
	}
}

func TestWindow(t *testing.T) {
	tr := training(5, func(m *maker, i int, start float64) { m.step(fmt.Sprint(i+7), start, 1000) }).trace()
	for _, tt := range []struct {
		opt        Options
		start, end int64
		steps      int
		kernels    int
	}{
		{Options{Step: 8, Rank: -1}, 1000_000, 2000_000, 1, 4},
		{Options{Step: -1, Rank: -1, From: 1000_000, To: 3000_000}, 1000_000, 3000_000, 2, 8},
		{Options{Step: -1, Rank: -1, From: 4000_000}, 4000_000, 5000_000, 1, 4},
		{Options{Step: -1, Rank: -1, To: 250_000}, 0, 250_000, 0, 1},
	} {
		a, err := Everything(context.Background(), []*trace.Trace{tr}, tt.opt)
		if err != nil {
			t.Fatal(err)
		}
		if w := a.Window; w.StartNS != tt.start || w.EndNS != tt.end || w.Steps != tt.steps || a.GPUs[0].Span.Kernels != tt.kernels {
			t.Errorf("%+v: window %+v with %d kernels", tt.opt, w, a.GPUs[0].Span.Kernels)
		}
		if r := a.GPUs[0].BusyRatio; r <= 0 || r > 1 {
			t.Errorf("%+v: busy %f", tt.opt, r)
		}
	}
	for _, tt := range []struct {
		opt  Options
		want string
	}{
		{Options{Step: 99, Rank: -1}, "there is no step 99: the trace has steps 7 to 11"},
		{Options{Step: 0, Rank: -1}, "there is no step 0: the trace has steps 7 to 11"},
		{Options{Step: -1, Rank: -1, From: 9e9}, "is after the end of the trace, which lasts"},
		{Options{Step: -1, Rank: -1, From: -1}, "cannot be negative"},
		{Options{Step: -1, Rank: -1, From: 2e6, To: 1e6}, "--to (1ms) must come after --from (2ms)"},
		{Options{Step: -1, Rank: 4}, "there is no rank 4"},
	} {
		if _, err := Everything(context.Background(), []*trace.Trace{tr}, tt.opt); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v", tt.opt, err)
		}
	}
}

func TestTracesWithoutAGPU(t *testing.T) {
	for _, m := range []*maker{newMaker(), newMaker().op("aten::add", 0, 10)} {
		a := m.analyse(t, All)
		if a.Verdict.Bottleneck != ByNothing || a.Verdict.Sentence == "" || a.Findings == nil || a.GPUs == nil {
			t.Errorf("%+v", a)
		}
	}
	if _, err := Everything(context.Background(), nil, All); err == nil {
		t.Error("no error without traces")
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := Everything(ctx, []*trace.Trace{newMaker().trace()}, All); err == nil {
		t.Error("no error after a stop")
	}
}

func TestListed(t *testing.T) {
	for want, numbers := range map[string][]int64{
		"only step 6": {6}, "steps 6 to 9": {6, 7, 8, 9}, "steps 2, 3 and 9": {2, 3, 9},
		"21 steps between 0 and 40": {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40},
	} {
		var steps []step
		for _, n := range numbers {
			steps = append(steps, step{number: n})
		}
		if got := listed(steps); got != want {
			t.Errorf("%v: %q, want %q", numbers, got, want)
		}
	}
}
