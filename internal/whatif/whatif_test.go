package whatif

import (
	"math"
	"strings"
	"testing"

	"saturate/internal/trace"
)

// program is a small trace. Times are in microseconds.
type program struct {
	lexicon *trace.Lexicon
	batch   *trace.Batch
	number  int64
	facts   Facts
	waits   map[string]Wait
	classes map[string]Class
}

func newProgram() *program {
	l := trace.NewLexicon()
	return &program{
		lexicon: l, batch: l.NewBatch(),
		waits:   map[string]Wait{"cudaStreamSynchronize": ScalarWait, "cudaDeviceSynchronize": DeviceWait},
		classes: map[string]Class{"add": Elementwise, "adam": Update, "nccl": Collective, "copy": PageableIn},
	}
}

func us(t float64) int64 { return int64(t * 1000) }

func (p *program) call(name string, start, dur float64) *program {
	p.number++
	track := p.lexicon.Track(trace.TrackKey{Domain: trace.HostThread, PID: 1, TID: 1})
	p.batch.Add(us(start), us(dur), p.lexicon.Name([]byte(name)), track, trace.Runtime)
	p.batch.SetInt(trace.Correlation, p.number)
	return p
}

func (p *program) work(stream int64, name string, start, dur float64) *program {
	track := p.lexicon.Track(trace.TrackKey{Domain: trace.Stream, PID: 0, TID: stream})
	p.batch.Add(us(start), us(dur), p.lexicon.Name([]byte(name)), track, trace.Kernel)
	p.batch.SetInt(trace.Correlation, p.number)
	return p
}

// graph builds the graph of steps that begin so, the last one ending at the last instant.
func (p *program) graph(t *testing.T, marks ...float64) *Graph {
	t.Helper()
	b := trace.NewBuilder()
	b.Append(p.batch.Seal())
	tr := b.Finish()
	for i := range marks[1:] {
		p.facts.Steps = append(p.facts.Steps, trace.Interval{Start: us(marks[i]), End: us(marks[i+1])})
	}
	p.facts.Threads = []trace.TrackID{0}
	p.facts.Wait = func(id trace.EventID) Wait { return p.waits[tr.Name(id)] }
	p.facts.Class = func(id trace.EventID) Class { return p.classes[tr.Name(id)] }
	g := Build(tr, p.facts)
	if err := g.Exact(g.Run(g.Recorded(), nil)); err != nil {
		t.Fatal(err)
	}
	return g
}

// after is the mean step after repairs, in microseconds.
func after(t *testing.T, g *Graph, question string) float64 {
	t.Helper()
	set, err := Ask(question)
	if err != nil {
		t.Fatal(err)
	}
	p := g.Recorded()
	for _, r := range set {
		if err := r.apply(p); err != nil {
			t.Fatalf("%s: %v", question, err)
		}
	}
	return g.Run(p, nil).Mean() / 1000
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 0.02*want+1 {
		t.Errorf("%s: a step of %.1f µs, want %.1f", what, got, want)
	}
}

// starved waits 900 µs for each batch, then computes 1,000 µs and reads the loss.
func starved() *program {
	p := newProgram()
	for i := range 4 {
		at := float64(i) * 2000
		p.facts.Loader = append(p.facts.Loader, trace.Interval{Start: us(at + 10), End: us(at + 910)})
		p.call("cudaLaunchKernel", at+920, 5).work(7, "gemm", at+930, 1000).call("cudaStreamSynchronize", at+940, 1000)
	}
	p.facts.InProcess = true
	return p
}

func TestLoader(t *testing.T) {
	g := starved().graph(t, 0, 2000, 4000, 6000, 8000)
	near(t, "free", after(t, g, "loader=free"), 2000-900+100)
	near(t, "4 workers", after(t, g, "loader=4"), 2000-900+100)
	near(t, "as slow as before with one worker, but beside the step", after(t, g, "loader=1"), 1200)
	p := starved()
	p.facts.InProcess = false
	set, _ := Ask("loader=2")
	if err := set[0].apply(p.graph(t, 0, 2000, 4000, 6000, 8000).Recorded()); err == nil {
		t.Error("workers are added to workers that nobody counted")
	}
}

func TestKernelsAndHost(t *testing.T) {
	g := starved().graph(t, 0, 2000, 4000, 6000, 8000)
	near(t, "a kernel at half", after(t, g, "kernel:gemm=0.5"), 1500)
	near(t, "both", after(t, g, "kernel:gemm=0.5,loader=free"), 700)
}

// Autocast launches casts beside each product, which costs most where launching bounds the step; compiled code fuses
// them.
func TestCasts(t *testing.T) {
	for _, compiled := range []bool{false, true} {
		p := newProgram()
		for i := range 2 {
			at := float64(i) * 1100
			for k := range 40 {
				p.call("cudaLaunchKernel", at+25*float64(k), 20).work(7, "gemm", at+12+27*float64(k), 26)
			}
		}
		p.facts.Faster = func(trace.EventID, Precision) (Range, bool) { return Range{6_000, 8_000, 10_000}, true }
		p.facts.Compiled = func(trace.EventID) bool { return compiled }
		g := p.graph(t, 0, 1100, 2200)
		if was, got := after(t, g, "kernel:gemm=1"), after(t, g, "precision=bf16"); got > 1.01*was == compiled {
			t.Errorf("compiled %v: %.1f µs became %.1f", compiled, was, got)
		}
	}
}

// Without the wait the host launches ahead, and the GPU never runs dry.
func TestWaits(t *testing.T) {
	p := newProgram()
	for i := range 4 {
		at := float64(i) * 1000
		p.call("cudaLaunchKernel", at+300, 5).work(7, "gemm", at+310, 600).call("cudaStreamSynchronize", at+320, 595)
	}
	g := p.graph(t, 0, 1000, 2000, 3000, 4000)
	if got := after(t, g, "sync=scalar"); got > 760 || got < 600 {
		t.Errorf("a step of %.1f µs", got)
	}
	set, _ := Ask("sync=device")
	if err := set[0].apply(g.Recorded()); err == nil {
		t.Error("a wait that is not there was dropped")
	}
}

func TestOptimizer(t *testing.T) {
	p := newProgram()
	for i := range 2 {
		at := float64(i) * 3000
		p.facts.Optimizer = append(p.facts.Optimizer, trace.Interval{Start: us(at + 100), End: us(at + 2900)})
		for k := range 100 {
			p.call("cudaLaunchKernel", at+100+25*float64(k), 5).work(7, "adam", at+110+25*float64(k), 2)
		}
	}
	g := p.graph(t, 0, 3000, 6000)
	if got := after(t, g, "optimizer=fused"); got > 800 || got < 200 {
		t.Errorf("fused: a step of %.1f µs", got)
	}
	if fused, foreach := after(t, g, "optimizer=fused"), after(t, g, "optimizer=foreach"); fused >= foreach {
		t.Errorf("fused %.1f µs, foreach %.1f µs", fused, foreach)
	}
}

// Work of another stream that waits for a collective no longer does once that is hidden.
func TestCollectives(t *testing.T) {
	p := newProgram()
	for i := range 3 {
		at := float64(i) * 2000
		p.call("cudaLaunchKernel", at+10, 5).work(7, "gemm", at+20, 500)
		p.call("cudaLaunchKernel", at+30, 5).work(20, "nccl", at+522, 900)
		p.call("cudaLaunchKernel", at+50, 5).work(7, "adam", at+1425, 500).call("cudaDeviceSynchronize", at+60, 1870)
	}
	g := p.graph(t, 0, 2000, 4000, 6000)
	if got := after(t, g, "collectives=overlapped"); got < 1070 || got > 1300 { // the kernels, and what is left of the last collective
		t.Errorf("overlapped: a step of %.1f µs", got)
	}
	near(t, "twice as fast", after(t, g, "collectives=0.5"), 2000-450)
}

// A part of a convolution on a stream of its own begins when the work of another stream has ended, or while that still keeps the
// GPU busy. It comes sooner when that does, though the last work of its own stream ended long before.
func TestOtherStream(t *testing.T) {
	for _, tt := range []struct {
		name string
		lag  float64 // between the two
	}{{"behind it", 20}, {"beside it", -40}} {
		p := newProgram()
		for i := range 3 {
			at := float64(i) * 2000
			p.call("cudaLaunchKernel", at+10, 5).work(7, "gemm", at+20, 900)
			p.call("cudaLaunchKernel", at+20, 5).work(8, "fft", at+920+tt.lag, 500)
			p.call("cudaLaunchKernel", at+30, 5).work(7, "adam", at+1440+tt.lag, 400).call("cudaDeviceSynchronize", at+40, 1810+tt.lag)
		}
		g := p.graph(t, 0, 2000, 4000, 6000)
		near(t, tt.name, after(t, g, "kernel:gemm=0.1"), 2000-810)
	}
}

// A launch that blocks because the queue is full goes on when the GPU does: kernels of half the time halve the step.
func TestFullQueue(t *testing.T) {
	p := newProgram()
	const kernels, room = 900, 300
	for k := range kernels {
		start, dur := float64(k)/100, 0.01
		if k >= room { // it waits for the kernel that many before
			start, dur = 300*float64(k-room)+11, 300
		}
		p.call("cudaLaunchKernel", start, dur).work(7, "gemm", 10+300*float64(k), 299)
	}
	const gpu = 10 + 300*kernels
	g := p.graph(t, 0, 300*(kernels-1-room)+312) // the host is done long before the GPU
	near(t, "half", after(t, g, "kernel:gemm=0.5"), gpu/2)
}

func TestCalibration(t *testing.T) {
	p := newProgram()
	for k := range 400 {
		p.call("cudaLaunchKernel", 10+20*float64(k), 5).work(7, "add", 20+20*float64(k), 2)
	}
	g := p.graph(t, 0, 2000, 4000, 6000, 8000)
	free, err := g.NewModel(2e6, nil)
	if err != nil {
		t.Fatal(err)
	}
	graphs, _ := Ask("launch=compile")
	if q, err := free.Predict(graphs); err != nil || q.Known() || q.Note == "" {
		t.Errorf("a figure without calibration: %+v, %v", q, err)
	}
	m, err := g.NewModel(2e6, &Untraced{StepNS: 1e6, DataNS: -1})
	if err != nil {
		t.Fatal(err)
	}
	if f := m.HostFactor(); f < 0.45 || f > 0.55 {
		t.Errorf("a host factor of %.2f", f)
	}
	if q, err := m.Predict(graphs); err != nil || !q.Known() || q.StepNS >= 1e6 || q.IntervalNS[0] > q.StepNS || q.IntervalNS[1] < q.StepNS {
		t.Errorf("%+v, %v", q, err)
	}
	if _, err := g.NewModel(2e6, &Untraced{StepNS: math.NaN(), DataNS: -1}); err == nil {
		t.Error("a step of NaN")
	}
}

func TestAsk(t *testing.T) {
	for text, wrong := range map[string]string{
		"loader=free,optimizer=fused": "", "loader=16": "", "host:aten::linear=0.5": "", "collectives=0.5": "",
		"":                     "is not KEY=VALUE",
		"loader":               "is not KEY=VALUE",
		"loader=0":             "a number of workers",
		"loader=free,loader=8": "twice",
		"speed=fast":           "cannot be asked about",
		"optimizer=quick":      "use foreach or fused",
		"kernel:x=-1":          "from 0 to 100",
		"kernel:x=NaN":         "from 0 to 100",
		"kernel:=1":            "cannot be asked about",
	} {
		if _, err := Ask(text); (err == nil) != (wrong == "") || err != nil && !strings.Contains(err.Error(), wrong) {
			t.Errorf("%q: %v, want %q", text, err, wrong)
		}
	}
}

func FuzzAsk(f *testing.F) {
	for _, s := range []string{"loader=free,optimizer=fused", "kernel:a=1e9", "host:=", "collectives=+Inf", "a=b=c,,"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		set, err := Ask(text)
		if (err == nil) != (len(set) > 0) {
			t.Errorf("%q: %v, %v", text, set, err)
		}
		for _, r := range set {
			if again, err := Ask(r.Name()); err != nil || len(again) != 1 {
				t.Errorf("%q is not asked as %q: %v", text, r.Name(), err)
			}
		}
	})
}
