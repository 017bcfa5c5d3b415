package chrome

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"saturate/internal/trace"
)

// fingerprint lists everything a trace says, so that two can be compared.
func fingerprint(t *trace.Trace) []string {
	var list []string
	for i := range t.Len() {
		id := trace.EventID(i)
		var s strings.Builder
		track := t.TrackOf(id)
		fmt.Fprintf(&s, "%s %d %d %v %s", track, track.PID, track.TID, t.Kind(id), describe(t, id))
		for _, a := range trace.Attrs() {
			if v, ok := t.Int(id, a); ok && !a.IsText() {
				fmt.Fprintf(&s, " %s=%d", a, v)
			} else if ok {
				fmt.Fprintf(&s, " %s=%q", a, t.Text(id, a))
			}
		}
		if p := t.Parent(id); p != trace.None {
			fmt.Fprintf(&s, " in %s", describe(t, p))
		}
		if l, ok := t.Launch(id); ok {
			fmt.Fprintf(&s, " by %s", describe(t, l))
		}
		if l, ok := t.Forward(id); ok {
			fmt.Fprintf(&s, " of %s", describe(t, l))
		}
		list = append(list, s.String())
	}
	slices.Sort(list)
	for _, n := range t.Quality().Notes {
		list = append(list, n.String())
	}
	return list
}

func same(t *testing.T, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d lines, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("got  %s\nwant %s", got[i], want[i])
		}
	}
}

// events of the compiled trace: enough of them for many chunks, few enough to be quick.
func someEvents(t testing.TB) string {
	data := load(t, "compiled.pt.trace.json.gz")
	end := bytes.LastIndex(data[:3<<20], []byte("\n  },\n"))
	head := string(data[:end]) + "\n  }\n"
	// and some GPU work with its arrows
	gpu := bytes.Index(data, []byte(`"cat": "kernel"`))
	from := bytes.LastIndex(data[:gpu], []byte("\n  {\n"))
	to := from + bytes.LastIndex(data[from:from+1<<20], []byte("\n  },\n"))
	return head + "," + string(data[from:to]) + "\n  }\n],\n\"distributedInfo\": {\"rank\": 5, \"world_size\": 16}}"
}

// TestChunks reads a trace in chunks of all sorts of sizes, by one worker or several,
// from readers that give much or little, and expects the same trace.
func TestChunks(t *testing.T) {
	text := someEvents(t)
	want := fingerprint(readText(t, text))
	if len(want) < 5000 {
		t.Fatalf("only %d events", len(want))
	}
	for _, size := range []int{700, 4096, 33333, 1 << 20, 24 << 20} {
		for _, workers := range []int{1, 3} {
			tr, err := readChunks(context.Background(), iotest.HalfReader(strings.NewReader(text)), trace.ReadOptions{Workers: workers}, size)
			if err != nil {
				t.Fatal(err)
			}
			same(t, fingerprint(tr), want)
			if tr.Meta().Rank != 5 || tr.Meta().World != 16 {
				t.Errorf("rank %d of %d: what stands behind the events is lost", tr.Meta().Rank, tr.Meta().World)
			}
		}
	}
}

// TestMisleadingNames reads names that look like the beginning of events, so that chunks
// are cut inside them.
func TestMisleadingNames(t *testing.T) {
	var s strings.Builder
	s.WriteString(`[`)
	for i := range 300 {
		trap := strings.Repeat(`\"}},\n  {\"ph\": {\"}, {`, i%40)
		fmt.Fprintf(&s, `{"ph": "X", "cat": "cpu_op", "name": "op%d", "pid": 1, "tid": 1, "ts": %d, "dur": 1, "args": {"x": "}, {%s", "y": [{"ph": 1}, {"ph": 2}]}},`+"\n", i, 10*i, trap)
	}
	text := strings.TrimSuffix(s.String(), ",\n") + `]`
	want := fingerprint(readText(t, text))
	for _, size := range []int{64, 100, 257, 1000, 5000} {
		tr, err := readChunks(context.Background(), strings.NewReader(text), trace.ReadOptions{Workers: 2}, size)
		if err != nil {
			t.Fatal(err)
		}
		if tr.Len() != 300 || tr.Quality().Dropped != 0 {
			t.Fatalf("chunks of %d bytes: %d events, %+v", size, tr.Len(), tr.Quality())
		}
		same(t, fingerprint(tr), want)
	}
}

// TestShuffled reads events in another order and expects the same trace.
func TestShuffled(t *testing.T) {
	text := someEvents(t)
	from, to := strings.Index(text, `"traceEvents": [`)+len(`"traceEvents": [`), strings.LastIndex(text, `],`)
	events := strings.Split(text[from:to], "\n  },\n")
	for i := range events {
		events[i] = strings.TrimSuffix(strings.Trim(strings.TrimSpace(events[i]), ","), "}") + "}"
		if strings.Count(events[i], "{") > strings.Count(events[i], "}") {
			events[i] += "}"
		}
	}
	put := func() string { return text[:from] + strings.Join(events, ",") + text[to:] }
	want := fingerprint(readText(t, put()))
	random := rand.New(rand.NewPCG(1, 2))
	random.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
	got := fingerprint(readText(t, put()))
	same(t, got, want)
}

func TestMeta(t *testing.T) {
	m := readText(t, string(load(t, "compiled.pt.trace.json.gz"))).Meta()
	if m.Base != 1790857026000000000 || m.Format != "chrome" || m.Rank != -1 || m.Settings["record_shapes"] != "1" ||
		m.Versions["cuda_runtime_version"] != "13000" || m.TraceID != "DA79F46DCB15445D918791BFA2A64F9C" {
		t.Errorf("%+v", m)
	}
	want := trace.GPU{
		Name: "NVIDIA H200", Memory: 150109880320, Major: 9, SMs: 132, WarpSize: 32, ThreadsPerBlock: 1024, ThreadsPerSM: 2048,
		RegistersPerBlock: 65536, RegistersPerSM: 65536, SharedPerBlock: 49152, SharedPerBlockOptIn: 232448, SharedPerSM: 233472,
	}
	if len(m.GPUs) != 1 || m.GPUs[0] != want {
		t.Errorf("%+v", m.GPUs)
	}
}

// TestLabels reads the names of processes and threads, memory and counters.
func TestLabels(t *testing.T) {
	tr := readText(t, `{"traceEvents": [
		{"ph": "X", "cat": "cpu_op", "name": "op", "pid": 12, "tid": 13, "ts": 1, "dur": 100},
		{"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 12, "tid": 13, "ts": 20,
		 "args": {"Total Reserved": 2048, "Total Allocated": 1000, "Bytes": -24, "Addr": 140000000000000, "Device Id": 1, "Device Type": 1}},
		{"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 12, "tid": 13, "ts": 10,
		 "args": {"Bytes": 1024, "Addr": 5, "Device Id": -1, "Device Type": 0}},
		{"ph": "C", "name": "util", "pid": "GPU 0 Counters", "ts": 5, "args": {"sm": 0.5, "": 3, "bad": "N/A"}},
		{"ph": "M", "name": "process_name", "pid": 12, "args": {"name": "python"}},
		{"ph": "M", "name": "process_labels", "pid": 12, "args": {"labels": "CPU"}},
		{"ph": "M", "name": "thread_name", "pid": 12, "tid": 13, "args": {"name": "worker \"1\" "}},
		{"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "pid": "Spans", "tid": "PyTorch Profiler", "ts": 0, "dur": 500}
	]}`)
	if got := tr.Track(0); got.Process != "python" || got.Thread != `worker "1"` || got.Label != "CPU" || got.PID != 12 || got.TID != 13 {
		t.Errorf("%+v", got)
	}
	want := []trace.MemoryChange{
		{Time: 10000, Bytes: 1024, Address: 5, Allocated: -1, Reserved: -1, Device: -1},
		{Time: 20000, Bytes: -24, Address: 140000000000000, Allocated: 1000, Reserved: 2048, Device: 1, OnGPU: true},
	}
	if !slices.Equal(tr.Memory(), want) {
		t.Errorf("memory %+v", tr.Memory())
	}
	if c := tr.Counters(); len(c) != 2 || tr.String(c[0].Series) != "util/sm" || c[0].Value != 0.5 || tr.String(c[1].Series) != "util" || c[1].Value != 3 {
		t.Errorf("counters %+v", c)
	}
	if w := tr.Window(); w != (trace.Window{Start: 1000, End: 101000}) {
		t.Errorf("window %v: the profiler's own frame does not count", w)
	}
}

// TestProcessNumberOfAGPU keeps a process apart from the GPU of the same number.
func TestProcessNumberOfAGPU(t *testing.T) {
	tr := readText(t, `[
		{"ph": "X", "cat": "cpu_op", "name": "op", "pid": 1, "tid": 7, "ts": 0, "dur": 100},
		{"ph": "X", "cat": "kernel", "name": "k", "pid": 1, "tid": 7, "ts": 50, "dur": 100, "args": {"device": 1, "stream": 7}},
		{"ph": "X", "cat": "cpu_op", "name": "triton", "pid": 1, "tid": 7, "ts": 20, "dur": 10, "args": {"stream": 0}}
	]`)
	if len(tr.Tracks()) != 2 || tr.Track(0).Len() != 2 || tr.Track(1).Domain != trace.Stream {
		t.Fatalf("%+v", tr.Tracks())
	}
	if d := tr.Devices(); len(d) != 1 || d[0] != 1 || tr.DeviceEvents(1) != 1 {
		t.Errorf("devices %v", d)
	}
}

func TestROCm(t *testing.T) {
	tr := readText(t, `[
		{"ph": "X", "cat": "cuda_runtime", "name": "hipLaunchKernel", "pid": 9, "tid": 9, "ts": 0, "dur": 5, "args": {"correlation": 1}},
		{"ph": "X", "cat": "kernel", "name": "Cijk_Ailk", "pid": 0, "tid": 0, "ts": 10, "dur": 5, "args": {"device": 0, "stream": 0, "correlation": 1}},
		{"ph": "X", "cat": "kernel", "name": "__amd_rocclr_copyBuffer.kd", "pid": 0, "tid": 0, "ts": 20, "dur": 5, "args": {"stream": 0}},
		{"ph": "X", "cat": "kernel", "name": "MEMORY_COPY_HOST_TO_DEVICE", "pid": 0, "tid": 0, "ts": 30, "dur": 5, "args": {"stream": 0}},
		{"ph": "X", "cat": "kernel", "name": "__amd_rocclr_fillBufferAligned", "pid": 0, "tid": 0, "ts": 40, "dur": 5, "args": {"stream": 0}}
	]`)
	var kinds []trace.Kind
	for id := range tr.OnDevice(0, tr.Window()) {
		kinds = append(kinds, tr.Kind(id))
	}
	if want := []trace.Kind{trace.Kernel, trace.Memcpy, trace.Memcpy, trace.Memset}; !slices.Equal(kinds, want) {
		t.Errorf("%v, want %v", kinds, want)
	}
}

// Two lines that ONNX Runtime 1.31 wrote with enable_profiling.
func TestONNXRuntime(t *testing.T) {
	tr := readText(t, `[
		{"cat" : "Session","pid" :15230,"tid" :15230,"dur" :5349,"ts" :559,"ph" : "X","name" :"model_run","args" : {}},
		{"cat" : "Node","pid" :15230,"tid" :15230,"dur" :298,"ts" :6195,"ph" : "X","name" :"mm_kernel_time","args" : {"provider" : "CPUExecutionProvider","input_type_shape" : [{"float":[64,256]}]}}
	]`)
	for id := range trace.EventID(tr.Len()) {
		if want := map[string]trace.Kind{"model_run": trace.Annotation, "mm_kernel_time": trace.CPUOp}[tr.Name(id)]; tr.Kind(id) != want {
			t.Errorf("%s is a %s", tr.Name(id), tr.Kind(id))
		}
	}
}

// TestBlocks reads inputs that repeat, that are the beginning of other inputs, that have
// other args between them, and numbers that begin alike.
func TestBlocks(t *testing.T) {
	inputs := []string{
		`"Input type": ["a"], "Input Dims": [[1]]`,
		`"Input type": ["a"], "Input Dims": [[1]], "Concrete Inputs": ["5"]`,
		`"Input type": ["a"], "Input Dims": [[1]], "other": [1], "Concrete Inputs": ["6"]`,
		`"Input type": ["a"], "other": {"a": 1}, "Input Dims": [[2, 3]]`,
		`"Input Dims": [[1]]`,
		`"registers per thread": 1, "grid": [1, 2, 3]`,
		`"grid": [1, 2, 3], "registers per thread": 1`,
		`"grid": [1, 2, 3], "registers per thread": 16`,
		`"grid": [1, 2, 3], "stream": 3, "registers per thread": 17`,
	}
	want := []string{
		"[[1]] [a] []", "[[1]] [a] [5]", "[[1]] [a] [6]", "[[2 3]] [a] []", "[[1]] [] []", "1 [1 2 3]", "1 [1 2 3]", "16 [1 2 3]", "17 [1 2 3]",
	}
	random := rand.New(rand.NewPCG(7, 8))
	picks := make([]int, 300)
	var s strings.Builder
	for i := range picks {
		picks[i] = random.IntN(len(inputs))
		fmt.Fprintf(&s, `{"ph": "X", "cat": "cpu_op", "name": "op", "pid": 1, "tid": 1, "ts": %d, "dur": 1, "args": {%s}},`, 2*i, inputs[picks[i]])
	}
	tr := readText(t, "["+s.String()+"]")
	for i := range tr.Len() {
		id := trace.EventID(i)
		got := ""
		if in := tr.Inputs(id); in != nil {
			got = fmt.Sprint(in.Dims, " ", in.Types, " ", in.Values)
		}
		if c := tr.Config(id); c != nil {
			got += fmt.Sprint(c.Registers, " ", c.Grid)
		}
		if want := want[picks[i]]; got != want {
			t.Fatalf("event %d: %s, want %s", i, got, want)
		}
	}
}

// endless is a file that never ends: a beginning, and then one text over and over.
type endless struct {
	begin  io.Reader
	repeat string
	left   int64
}

func (e *endless) Read(p []byte) (int, error) {
	if n, err := e.begin.Read(p); err == nil {
		return n, nil
	}
	if e.left <= 0 {
		return 0, io.EOF
	}
	n := 0
	for n+len(e.repeat) <= len(p) {
		n += copy(p[n:], e.repeat)
	}
	if n == 0 {
		n = copy(p, e.repeat)
	}
	e.left -= int64(n)
	return n, nil
}

// TestOneEndlessValue reads a string, a nest and a metadata value that do not end. What
// comes before is kept, and memory stays bounded by the option.
func TestOneEndlessValue(t *testing.T) {
	const event = `{"ph": "X", "cat": "cpu_op", "name": "op", "pid": 1, "tid": 1, "ts": 1, "dur": 1}`
	for name, test := range map[string]struct{ begin, repeat string }{
		"string":               {`[` + event + `, {"ph": "X", "name": "`, "abcdefgh"},
		"nest":                 {`[` + event + `, {"ph": "X", "args": `, `{"a":[`},
		"metadata":             {`{"traceEvents": [` + event + `], "stackFrames": {"a": "`, "abcdefgh"},
		"number":               {`[` + event + `, {"ph": "X", "ts": `, "99999999"},
		"string full of traps": {`[` + event + `, {"ph": "X", "name": "`, `\"}, {\"ph\": `},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			r := &endless{strings.NewReader(test.begin), test.repeat, 24 << 20}
			tr, err := read(context.Background(), r, trace.ReadOptions{MaxEvent: 1 << 20, Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			if tr.Len() != 1 || len(tr.Quality().Notes) == 0 {
				t.Errorf("%d events, %v", tr.Len(), tr.Quality().Notes)
			}
			if grown := int64(after.Sys) - int64(before.Sys); grown > 24<<20 {
				t.Errorf("memory grew by %d MB", grown>>20)
			}
		})
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r := &endless{strings.NewReader("["), `{"ph": "X", "name": "a", "ts": 1},`, 1 << 40}
	if _, err := read(ctx, r, trace.ReadOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestReaderFails keeps what came before a broken disk or connection.
func TestReaderFails(t *testing.T) {
	text := someEvents(t)
	cut := len(text) / 3
	r := io.MultiReader(strings.NewReader(text[:cut]), iotest.ErrReader(errors.New("disk on fire")))
	tr, err := read(context.Background(), r, trace.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	q := tr.Quality()
	if !q.Truncated || tr.Len() < 1000 || !strings.Contains(q.Notes[0].String(), "disk on fire") {
		t.Errorf("%d events, %+v", tr.Len(), q)
	}
}

// FuzzRead feeds anything. It must not panic, and chunks of another size must not change
// what is read.
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		`{"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1.5, "dur": 2, "args": {"stream": 7, "grid": [1, 2, 3]}}], "a": {"b": "}"}}`,
		`[{"ph": "B", "name": "a", "ts": 1}, {"ph": "E", "ts": 2}, {"ph": "C", "name": "c", "ts": 1, "args": {"x": 1}}`,
		`{"traceEvents":[{"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:GPU:0"}},{"ph":"X","pid":1,"tid":14,"ts":1,"dur":1,"name":"fusion","args":{"correlation_id":"3"}},{}]}`,
		`{"traceEvents": [{"ph": "X", "name": "a"b", "ts": "1", "dur": NaN, "args": {"Input Dims": [[1], [[2], [3]]], "x": 1, "Input type": ["f"]}}, {"ph": "s", "cat": "ac2g", "id": 1, "ts": 1}`,
		"\xEF\xBB\xBF[{\"ph\": \"i\", \"name\": \"[memory]\", \"ts\": 1, \"args\": {\"Bytes\": 5}}, \"\\u12\", [[], {",
	} {
		f.Add([]byte(s), uint16(40))
	}
	f.Fuzz(func(t *testing.T, data []byte, size uint16) {
		a, errA := readChunks(context.Background(), bytes.NewReader(data), trace.ReadOptions{Workers: 1}, 1<<20)
		b, errB := readChunks(context.Background(), bytes.NewReader(data), trace.ReadOptions{Workers: 2}, 16+int(size))
		if (errA == nil) != (errB == nil) {
			t.Fatalf("%v, but in chunks %v", errA, errB)
		}
		if errA != nil {
			return
		}
		if a.Quality().Dropped == 0 && !a.Quality().Truncated && b.Len() != a.Len() {
			t.Fatalf("%d events, but in chunks %d", a.Len(), b.Len())
		}
	})
}
