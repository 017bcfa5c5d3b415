package chrome

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"saturate/internal/trace"
)

func export(t *testing.T, tr *trace.Trace, w trace.Window) string {
	t.Helper()
	var b bytes.Buffer
	if err := Export(&b, tr, w); err != nil {
		t.Fatal(err)
	}
	if !json.Valid(b.Bytes()) {
		t.Fatal("the export is not JSON")
	}
	return b.String()
}

// TestExportAll writes whole traces and reads them back.
func TestExportAll(t *testing.T) {
	for _, name := range []string{"compiled.pt.trace.json.gz", "jax/vm.trace.json.gz"} {
		t.Run(name, func(t *testing.T) {
			tr := readText(t, string(load(t, name)))
			all := trace.Window{Start: -1 << 62, End: 1 << 62}
			again := readText(t, export(t, tr, all))
			same(t, fingerprint(again), fingerprint(tr))
			if again.Quality().Overlapping != tr.Quality().Overlapping || len(again.Flows()) != len(tr.Flows()) {
				t.Errorf("%+v, %d arrows; want %+v, %d", again.Quality(), len(again.Flows()), tr.Quality(), len(tr.Flows()))
			}
			if a, b := again.Meta(), tr.Meta(); a.Base != b.Base || !slices.Equal(a.GPUs, b.GPUs) || a.Name != b.Name {
				t.Errorf("%+v\nwant %+v", a, b)
			}
		})
	}
}

// TestExportWindow writes a part: what touches it is there and whole, the rest is not.
func TestExportWindow(t *testing.T) {
	tr := readText(t, string(load(t, "compiled.pt.trace.json.gz")))
	step := tr.StepMarkers()[2].Window
	cut := readText(t, export(t, tr, step))
	want := 0
	for i := range tr.Len() {
		if ev := tr.Event(trace.EventID(i)); ev.Start < step.End && (ev.End > step.Start || ev.Start >= step.Start) {
			want++
		}
	}
	if cut.Len() != want || want == 0 {
		t.Errorf("%d events, want %d", cut.Len(), want)
	}
	if got := cut.StepMarkers(); len(got) < 1 || !slices.ContainsFunc(got, func(s trace.StepMarker) bool { return s.Window == step }) {
		t.Errorf("steps %v, want one in %v", got, step)
	}
}

// TestExportNests checks what viewers need: no row has events that overlap without
// nesting, though the trace has.
func TestExportNests(t *testing.T) {
	tr := readText(t, string(load(t, "compiled.pt.trace.json.gz")))
	if tr.Quality().Overlapping == 0 {
		t.Fatal("the trace has no overlapping work")
	}
	var file struct {
		TraceEvents []struct {
			Ph       string
			Pid, Tid any
			Ts, Dur  json.Number
		} `json:"traceEvents"`
	}
	d := json.NewDecoder(strings.NewReader(export(t, tr, tr.Window())))
	d.UseNumber()
	if err := d.Decode(&file); err != nil {
		t.Fatal(err)
	}
	type span struct{ start, end int64 }
	open := map[[2]any][]span{}
	last := map[[2]any]int64{}
	for _, e := range file.TraceEvents {
		if e.Ph != "X" {
			continue
		}
		r := [2]any{e.Pid, e.Tid}
		s := span{exactNanos(string(e.Ts)), exactNanos(string(e.Ts)) + exactNanos(string(e.Dur))}
		if s.start < last[r] {
			t.Fatal("events of a row are not in order")
		}
		last[r] = s.start
		for n := len(open[r]); n > 0 && open[r][n-1].end <= s.start; n-- {
			open[r] = open[r][:n-1]
		}
		if n := len(open[r]); n > 0 && open[r][n-1].end < s.end {
			t.Fatalf("%v overlaps %v in row %v", s, open[r][n-1], r)
		}
		open[r] = append(open[r], s)
	}
}

func TestExportOddities(t *testing.T) {
	tr := readText(t, `{"distributedInfo": {"rank": 2, "world_size": 4, "backend": "nccl"}, "traceName": "a\"b", "traceEvents": [
		{"ph": "X", "cat": "new_thing", "name": "quote \" slash \\ tab \t", "pid": 1, "tid": 2, "ts": -1.5, "dur": 3},
		{"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1, "tid": 2, "ts": 0, "args": {"Bytes": 64, "Addr": 18446744073709551615, "Device Type": 1, "Total Allocated": 64}},
		{"ph": "C", "name": "util", "ts": 0.5, "args": {"sm": 0.25}},
		{"ph": "X", "cat": "cpu_op", "name": "cat", "pid": 1, "tid": 3, "ts": 1, "dur": 1, "args": {"Input Dims": [[[2], [3, 4]], []], "Input type": ["TensorList", "Scalar"], "Concrete Inputs": ["", "1"]}}
	]}`)
	again := readText(t, export(t, tr, trace.Window{Start: -10000, End: 10000}))
	same(t, fingerprint(again), fingerprint(tr))
	if !slices.Equal(again.Memory(), tr.Memory()) || len(again.Counters()) != 1 || again.Counters()[0].Value != 0.25 ||
		again.String(again.Counters()[0].Series) != "util/sm" {
		t.Errorf("%+v %+v", again.Memory(), again.Counters())
	}
	if m := again.Meta(); m.Rank != 2 || m.World != 4 || m.Backend != "nccl" || m.Name != `a"b` {
		t.Errorf("%+v", m)
	}
	var lists map[int][][]int64
	for id := range again.OfKind(trace.CPUOp) {
		lists = again.Inputs(id).Lists
	}
	if len(lists[0]) != 2 || !slices.Equal(lists[0][1], []int64{3, 4}) {
		t.Errorf("%v", lists)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestExportFails(t *testing.T) {
	tr := readText(t, `[{"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 2, "ts": 0, "dur": 3}]`)
	if err := Export(full{}, tr, tr.Window()); err == nil || err.Error() != "disk full" {
		t.Errorf("error %v", err)
	}
}

// Perfetto reads the numbers of threads as 32 bits without a sign; JAX's have 64, and ranges beside a stream need a
// row.
func TestExportThreadNumbers(t *testing.T) {
	tr := readText(t, `[
{"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": -8612937473531852869, "ts": 1, "dur": 1},
{"ph": "X", "cat": "cpu_op", "name": "b", "pid": 1, "tid": 8612937473531852869, "ts": 1, "dur": 1},
{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "dur": 2, "args": {"device": 0, "stream": 7}},
{"ph": "X", "cat": "gpu_user_annotation", "name": "r", "pid": 0, "tid": 7, "ts": 1, "dur": 9, "args": {"device": 0, "stream": 7}}]`)
	var written struct {
		TraceEvents []struct {
			Phase string  `json:"ph"`
			Name  string  `json:"name"`
			TID   float64 `json:"tid"`
		} `json:"traceEvents"`
	}
	if err := json.Unmarshal([]byte(export(t, tr, trace.Window{Start: -1 << 62, End: 1 << 62})), &written); err != nil {
		t.Fatal(err)
	}
	rows := map[float64]string{}
	for _, e := range written.TraceEvents {
		if e.TID < 0 || e.TID > 1<<32-1 {
			t.Errorf("%s has the thread %g", e.Name, e.TID)
		}
		if e.Phase == "X" {
			rows[e.TID] += e.Name
		}
	}
	if len(rows) != 4 {
		t.Errorf("rows %v, want one for each event", rows)
	}
}
