package analyze

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"saturate/internal/trace"
	"saturate/internal/trace/open"
)

// The expected values come from testdata/traces/hta_answers.json; the README beside it
// says how they were made. "reference" is exact arithmetic in integer nanoseconds written
// independently of this project; hta_noround is HTA 0.6.1 with its rounding turned off.

const traceDir = "../../testdata/traces"

var torchTraces = []string{"starved", "fixed", "compiled", "launchbound"}

// loaded keeps the traces that tests share: reading is most of the time.
var loaded = struct {
	sync.Mutex
	of map[string]*trace.Trace
}{of: map[string]*trace.Trace{}}

func load(t testing.TB, name string) *trace.Trace {
	t.Helper()
	loaded.Lock()
	defer loaded.Unlock()
	if tr := loaded.of[name]; tr != nil {
		return tr
	}
	path := filepath.Join(traceDir, name)
	if filepath.Ext(name) == "" {
		path += ".pt.trace.json.gz"
	}
	traces, err := open.Read(context.Background(), []string{path}, open.Options{})
	if err != nil {
		t.Fatal(err)
	}
	loaded.of[name] = traces[0]
	return traces[0]
}

func analysed(t testing.TB, name string, opt Options) Analysis {
	t.Helper()
	a, err := Everything(context.Background(), []*trace.Trace{load(t, name)}, opt)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func viewOf(t testing.TB, tr *trace.Trace, opt Options) *view {
	t.Helper()
	v, err := newView(tr, opt)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

type answers struct {
	Raw struct {
		Full      reference `json:"full"`
		HTAWindow reference `json:"hta_window"`
	} `json:"reference"`
	HTA struct {
		Temporal []map[string]float64 `json:"temporal_breakdown"`
		Idle     [2][]struct {
			Stream   int64   `json:"stream"`
			Category string  `json:"idle_category"`
			Time     float64 `json:"idle_time"`
			Count    float64 `json:"count"`
		} `json:"idle_time_breakdown"`
		Launch map[string]struct {
			N       int     `json:"n"`
			Host    float64 `json:"cpu_dur_sum"`
			GPU     float64 `json:"gpu_dur_sum"`
			Short   int     `json:"n_short(gpu<cpu)"`
			Slow    int     `json:"n_runtime>50us"`
			Delayed int     `json:"n_launch_delay>100us"`
			Delay   map[string]float64
		} `json:"cuda_kernel_launch_stats"`
		Queue []map[string]float64 `json:"queue_length_summary"`
	} `json:"hta_noround"`
}

type reference struct {
	Events  int     `json:"n_gpu_events"`
	Kernels int     `json:"n_kernels"`
	Span    float64 `json:"span_us"`
	Busy    float64 `json:"busy_us"`
	Idle    float64 `json:"idle_us"`
	Compute float64 `json:"compute_us"`
	Comm    float64 `json:"comm_us"`
	Memory  float64 `json:"mem_us"`
	Sum     float64 `json:"kernel_sum_us"`
	Streams map[string]struct {
		US map[string]float64 `json:"us"`
		N  map[string]int     `json:"n"`
	} `json:"idle_by_stream_HTA_rules"`
	Gaps   int     `json:"n_gaps"`
	MaxGap float64 `json:"max_gap_us"`
	Copies []struct {
		Name  string  `json:"name"`
		N     int     `json:"n"`
		US    float64 `json:"us"`
		Bytes int64   `json:"bytes"`
	} `json:"memcpy"`
	Top []struct {
		Name string  `json:"name"`
		N    int     `json:"n"`
		US   float64 `json:"us"`
	} `json:"top_kernels"`
}

func expected(t testing.TB, name string) answers {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(traceDir, "hta_answers.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Traces map[string]answers `json:"traces"`
	}
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	a, ok := all.Traces[name]
	if !ok {
		t.Fatalf("hta_answers.json has no %s", name)
	}
	return a
}

// near requires a time in ns to be within some ns of one in µs.
func near(t *testing.T, what string, got int64, wantUS, within float64) {
	t.Helper()
	if d := math.Abs(float64(got) - wantUS*1000); d > within {
		t.Errorf("%s is %d ns, want %.3f µs: %.0f ns apart", what, got, wantUS, d)
	}
}

func checkSpan(t *testing.T, got Span, want reference) {
	t.Helper()
	near(t, "span", got.SpanNS, want.Span, 2)
	near(t, "busy", got.BusyNS, want.Busy, 2)
	near(t, "idle", got.IdleNS, want.Idle, 2)
	near(t, "compute", got.ComputeNS, want.Compute, 2)
	near(t, "communication", got.CommunicationNS, want.Comm, 2)
	near(t, "memory", got.MemoryNS, want.Memory, 2)
	near(t, "kernel sum", got.KernelSumNS, want.Sum, 2)
	if got.Kernels != want.Kernels {
		t.Errorf("%d kernels, want %d", got.Kernels, want.Kernels)
	}
}

func TestSpanEqualsTheReference(t *testing.T) {
	for _, name := range torchTraces {
		t.Run(name, func(t *testing.T) {
			want := expected(t, name).Raw.Full
			a := analysed(t, name, Options{Step: -1, Rank: -1, Top: -1})
			if len(a.GPUs) != 1 {
				t.Fatalf("%d GPUs, want 1", len(a.GPUs))
			}
			g := a.GPUs[0]
			checkSpan(t, g.Span, want)

			var idle int64
			for _, c := range g.IdleByCause {
				idle += c.NS
			}
			if idle != g.Span.IdleNS {
				t.Errorf("the causes add up to %d ns, the idle time is %d ns", idle, g.Span.IdleNS)
			}
			if len(g.GapLengths) != want.Gaps {
				t.Errorf("%d gaps, want %d", len(g.GapLengths), want.Gaps)
			}
			near(t, "longest gap", g.LongestGaps[0].NS(), want.MaxGap, 1)

			for _, c := range want.Copies {
				found := false
				for _, x := range a.Transfers {
					e := readEnds(c.Name, "")
					if kind := e.kind(); x.Kind == "fill" && c.Name == "Memset (Device)" || x.Kind == kind && x.Memory == e.memory() && c.Name != "Memset (Device)" {
						found = true
						near(t, c.Name, x.TotalNS, c.US, 2)
						if x.Count != c.N || x.Bytes != c.Bytes {
							t.Errorf("%s: %d of %d B, want %d of %d B", c.Name, x.Count, x.Bytes, c.N, c.Bytes)
						}
					}
				}
				if !found {
					t.Errorf("%s is not among the transfers", c.Name)
				}
			}
			kernels := map[string]Kernel{}
			for _, k := range a.Kernels {
				kernels[k.Name] = k
			}
			for _, k := range want.Top {
				if got, ok := kernels[k.Name]; ok { // copies are in that list too
					near(t, k.Name, got.TotalNS, k.US, 2)
					if got.Count != k.N {
						t.Errorf("%s: %d times, want %d", k.Name, got.Count, k.N)
					}
				}
			}
		})
	}
}

// The steps' parts add up to the steps, and they are what they are made of.
func TestStepsAddUp(t *testing.T) {
	for _, name := range append(torchTraces, "jax/vm.trace.json.gz", "jax/vm.xplane.pb") {
		a := analysed(t, name, All)
		if len(a.Steps) == 0 {
			t.Errorf("%s: no steps", name)
		}
		for _, s := range append(a.Steps, Mean(a.Steps)) {
			var sum int64
			for _, p := range s.Parts() {
				if p.NS < 0 {
					t.Errorf("%s step %d: %s is %d ns", name, s.Number, p.Name, p.NS)
				}
				sum += p.NS
			}
			if sum != s.NS() {
				t.Errorf("%s step %d: the parts add up to %d ns, the step takes %d ns", name, s.Number, sum, s.NS())
			}
		}
	}
}
