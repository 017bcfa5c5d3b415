package open

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"saturate/internal/trace"
)

const folder = "../../../testdata/traces/"

// reference is the exact answer that was computed from the raw JSON by other means.
type reference struct {
	Events    int     `json:"n_gpu_events"`
	Kernels   int     `json:"n_kernels"`
	Span      float64 `json:"span_us"`
	Busy      float64 `json:"busy_us"`
	KernelSum float64 `json:"kernel_sum_us"`
	First     int64   `json:"first_gpu_ts_ns"`
	Last      int64   `json:"last_gpu_end_ns"`
	Streams   map[string]struct {
		Overlapping int `json:"overlapping_pairs"`
	} `json:"idle_by_stream_HTA_rules"`
}

// TestReference compares the GPU work of all real traces with the exact reference.
func TestReference(t *testing.T) {
	data, err := os.ReadFile(folder + "hta_answers.json")
	if err != nil {
		t.Fatal(err)
	}
	var answers struct {
		Traces map[string]struct {
			File      string
			Reference struct{ Full reference }
		}
	}
	if err := json.Unmarshal(data, &answers); err != nil {
		t.Fatal(err)
	}
	if len(answers.Traces) != 4 {
		t.Fatalf("%d traces", len(answers.Traces))
	}
	for name, a := range answers.Traces {
		t.Run(name, func(t *testing.T) {
			tr := readOne(t, folder+a.File)
			want := a.Reference.Full
			var busy, kernelSum int64
			kernels := 0
			window := tr.DeviceWindow(0)
			end := window.Start
			for _, ev := range tr.OnDevice(0, window) {
				if ev.Kind == trace.Kernel {
					kernels++
					kernelSum += ev.Duration()
				}
				busy += max(0, ev.End-max(end, ev.Start))
				end = max(end, ev.End)
			}
			if tr.DeviceEvents(0) != want.Events || kernels != want.Kernels {
				t.Errorf("%d GPU events, %d kernels; want %d, %d", tr.DeviceEvents(0), kernels, want.Events, want.Kernels)
			}
			if window.Start != want.First || window.End != want.Last {
				t.Errorf("window %v, want %d to %d", window, want.First, want.Last)
			}
			for what, pair := range map[string][2]int64{
				"span": {window.Length(), nanos(want.Span)}, "busy": {busy, nanos(want.Busy)}, "sum of kernels": {kernelSum, nanos(want.KernelSum)},
			} {
				if pair[0] != pair[1] {
					t.Errorf("%s %d ns, want %d", what, pair[0], pair[1])
				}
			}
			if q := tr.Quality(); q.Overlapping != want.Streams["0/7"].Overlapping || q.Unlinked != 0 || q.Dropped != 0 || q.Repaired != 0 || len(q.Notes) != 0 {
				t.Errorf("%+v, want %d overlapping", q, want.Streams["0/7"].Overlapping)
			}
			if perEvent := float64(tr.Bytes()) / float64(tr.Len()); perEvent > 60 {
				t.Errorf("%.1f bytes an event", perEvent)
			}
			launches(t, tr)
		})
	}
}

func nanos(us float64) int64 { return int64(math.Round(us * 1000)) }

// launches checks that all GPU work comes from a call that began before it and was meant
// to start something.
func launches(t *testing.T, tr *trace.Trace) {
	for id := range tr.OfKind(trace.Kernel, trace.Memcpy, trace.Memset) {
		call, ok := tr.Launch(id)
		if !ok {
			continue
		}
		name := tr.Name(call)
		if !tr.Kind(call).API() || !strings.Contains(name, "Launch") && !strings.Contains(name, "Memcpy") && !strings.Contains(name, "Memset") {
			t.Fatalf("%s was launched by %s", tr.Name(id), name)
		}
		if tr.Start(call) > tr.Start(id) {
			t.Fatalf("%s starts before its launch", tr.Name(id))
		}
	}
}

func readOne(t testing.TB, paths ...string) *trace.Trace {
	t.Helper()
	traces, err := Read(context.Background(), paths, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return traces[0]
}

// TestJAX expects the same events from both files of a run.
func TestJAX(t *testing.T) {
	text, proto := readOne(t, folder+"jax/vm.trace.json.gz"), readOne(t, folder+"jax/vm.xplane.pb")
	if text.Meta().Format != "chrome" || proto.Meta().Format != "xplane" {
		t.Fatal(text.Meta().Format, proto.Meta().Format)
	}
	type event struct {
		thread, name, copied, op       string
		kind                           trace.Kind
		start, dur, correlation, bytes int64
	}
	count := map[event]int{}
	for sign, tr := range map[int]*trace.Trace{1: text, -1: proto} {
		for i := range tr.Len() {
			id := trace.EventID(i)
			e := event{
				thread: tr.TrackOf(id).Thread, name: tr.Name(id), kind: tr.Kind(id), start: tr.Start(id), dur: tr.Duration(id),
				copied: tr.Text(id, trace.CopyKind), op: tr.Text(id, trace.HLOOp) + " " + tr.Text(id, trace.HLOModule),
			}
			e.correlation, _ = tr.Int(id, trace.Correlation)
			e.bytes, _ = tr.Int(id, trace.Bytes)
			count[e] += sign
		}
	}
	for e, n := range count {
		if n != 0 {
			t.Errorf("%+d %+v", n, e)
		}
	}
	if text.Len() != 3912 || len(text.StepMarkers()) != 8 || len(proto.StepMarkers()) != 8 {
		t.Errorf("%d events, %d and %d steps", text.Len(), len(text.StepMarkers()), len(proto.StepMarkers()))
	}
	for _, tr := range []*trace.Trace{text, proto} {
		w := tr.DeviceWindow(0)
		if tr.DeviceEvents(0) != 2624 || (w.Length()+50)/100 != 17519382 || tr.Quality().Unlinked != 0 {
			t.Errorf("%d GPU events over %d ns, %+v", tr.DeviceEvents(0), w.Length(), tr.Quality())
		}
	}
	if m := proto.Meta(); m.Versions["jax_version"] != "0.11.2" || m.Base == 0 || m.GPUs[0].Name != "NVIDIA H200" || m.GPUs[0].SMs != 132 {
		t.Errorf("%+v", m)
	}
	if m := proto.Memory(); len(m) != 512 || m[0].Bytes == 0 {
		t.Errorf("%d changes of memory", len(m))
	}
}
