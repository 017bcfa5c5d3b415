package open

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"saturate/internal/trace"
)

// sound is a small trace: one step with four operators, each launching a kernel of 10 µs
// 20 µs after its start, and a copy.
func sound() string {
	var s strings.Builder
	s.WriteString(`{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "GPU", "numSms": 132}],
  "baseTimeNanoseconds": 1790857026000000000, "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8},
  "traceEvents": [
  {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#7", "pid": 1875, "tid": 1875, "ts": 3844927690000.000, "dur": 1000.000, "args": {"External id": 1}},
`)
	for i := range 4 {
		at := 3844927690100 + 200*i
		fill := strings.NewReplacer("OP", fmt.Sprint(at), "CALL", fmt.Sprint(at+3), "RUN", fmt.Sprint(at+20), "EXTERNAL", fmt.Sprint(10+i), "CORRELATION", fmt.Sprint(500+i))
		_, _ = fill.WriteString(&s, `  {"ph": "X", "cat": "cpu_op", "name": "aten::mul", "pid": 1875, "tid": 1875, "ts": OP.000, "dur": 50.500, "args": {"External id": EXTERNAL, "Input Dims": [[2, 3], []], "Input type": ["float", "Scalar"]}},
  {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1875, "tid": 1875, "ts": CALL.000, "dur": 5.250, "args": {"External id": EXTERNAL, "cbid": 211, "correlation": CORRELATION}},
  {"ph": "s", "id": CORRELATION, "pid": 1875, "tid": 1875, "ts": CALL.000, "cat": "ac2g", "name": "ac2g"},
  {"ph": "X", "cat": "kernel", "name": "mul_kernel<float>", "pid": 0, "tid": 7, "ts": RUN.000, "dur": 10.001, "args": {"External id": EXTERNAL, "device": 0, "stream": 7, "correlation": CORRELATION, "grid": [1, 1, 1], "block": [128, 1, 1]}},
  {"ph": "f", "id": CORRELATION, "pid": 0, "tid": 7, "ts": RUN.000, "cat": "ac2g", "name": "ac2g", "bp": "e"},
`)
	}
	s.WriteString(`  {"ph": "X", "cat": "cuda_runtime", "name": "cudaMemcpyAsync", "pid": 1875, "tid": 1875, "ts": 3844927690902.000, "dur": 6.000, "args": {"correlation": 600}},
  {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD (Pageable -> Device)", "pid": 0, "tid": 7, "ts": 3844927690910.000, "dur": 4.000, "args": {"device": 0, "stream": 7, "correlation": 600, "bytes": 4096, "memory bandwidth (GB/s)": 1.024}},
  {"ph": "M", "name": "process_name", "pid": 1875, "tid": 0, "ts": 3844927690000.000, "args": {"name": "python3"}},
  {"ph": "M", "name": "thread_name", "pid": 0, "tid": 7, "ts": 3844927690000.000, "args": {"name": "stream 7 "}}
  ],
  "traceName": "small.json"
}`)
	return s.String()
}

// answer is what a reader must get out of a broken trace.
type answer struct {
	kernels, ops int
	busy         int64 // ns
	dropped      int
	repaired     int
	unlinked     int
	truncated    bool
	note         string // a part of one of the notes
	fails        string // a part of the error, where nothing can be read
}

var whole = answer{kernels: 4, ops: 4, busy: 4*10001 + 4000}

func (a answer) but(change func(*answer)) answer {
	change(&a)
	return a
}

// change replaces the n-th occurrence of old, which must be there.
func change(n int, old, new string) func(string) []byte {
	return func(s string) []byte {
		at := 0
		for range n {
			next := strings.Index(s[at:], old)
			if next < 0 {
				panic("not in the trace: " + old)
			}
			at += next + len(old)
		}
		at -= len(old)
		return []byte(s[:at] + new + s[at+len(old):])
	}
}

func changeAll(old, new string) func(string) []byte {
	return func(s string) []byte {
		if !strings.Contains(s, old) {
			panic("not in the trace: " + old)
		}
		return []byte(strings.ReplaceAll(s, old, new))
	}
}

func gz(s string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(s))
	_ = z.Close()
	return b.Bytes()
}

// stored is a gzip file without compression, so that where it is cut does not depend on
// the compressor.
func stored(s string) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.NoCompression)
	_, _ = z.Write([]byte(s))
	_ = z.Close()
	return b.Bytes()
}

// broken are the inputs on which other readers were seen to fail.
var broken = []struct {
	name string
	file string // its name, where it matters
	make func(sound string) []byte
	want answer
}{
	{name: "sound", make: func(s string) []byte { return []byte(s) }, want: whole},
	{
		name: "truncated JSON", make: func(s string) []byte { return []byte(s[:strings.LastIndex(s, `"stream": 7`)]) },
		want: whole.but(func(a *answer) {
			a.busy = 4 * 10001
			a.truncated, a.note = true, "ends in the middle of event 23 (byte "
		}),
	},
	{
		name: "truncated gzip", file: "a.json.gz", make: func(s string) []byte { return stored(s)[:4000] },
		want: whole.but(func(a *answer) { a.busy = 4 * 10001; a.truncated, a.note = true, "unexpected EOF" }),
	},
	{
		name: "bare inf", make: change(1, `"memory bandwidth (GB/s)": 1.024`, `"memory bandwidth (GB/s)": inf`), want: whole,
	},
	{
		name: "bare N/A", make: change(1, `"memory bandwidth (GB/s)": 1.024`, `"memory bandwidth (GB/s)": N/A`), want: whole,
	},
	{
		name: "Infinity as a duration", make: change(1, `"dur": 10.001`, `"dur": Infinity`),
		want: whole.but(func(a *answer) { a.busy -= 10001; a.repaired = 1; a.note = "without a duration" }),
	},
	{
		name: "NaN as a time", make: change(1, `"ts": 3844927690120.000`, `"ts": NaN`),
		want: whole.but(func(a *answer) {
			a.kernels, a.dropped = 3, 1
			a.busy -= 10001
			a.note = "1 event with a start time that is not a number, first at event 5 (byte "
		}),
	},
	{name: "unescaped quote in a name", make: change(2, `mul_kernel<float>`, `mul_kernel<"float">`), want: whole},
	{
		name: "unescaped quotes that look like the end of a name", make: change(2, `mul_kernel<float>`, `mul("a", "b")`),
		want: whole.but(func(a *answer) {
			a.kernels, a.dropped = 3, 1
			a.busy -= 10001
			a.note = "not readable as JSON, first at event 10 (byte "
		}),
	},
	{name: "control character", make: change(1, `mul_kernel<float>`, "mul_\x00kernel\x1b\n<float>"), want: whole},
	{name: "invalid UTF-8", make: change(1, `mul_kernel<float>`, "mul_\xff\xfekernel"), want: whole},
	{name: "bad backslash", make: change(1, `mul_kernel<float>`, `C:\mul\kernel\u12`), want: whole},
	{name: "trailing comma in an object", make: changeAll(`"block": [128, 1, 1]}`, `"block": [128, 1, 1],}`), want: whole},
	{name: "trailing comma in the array", make: change(1, "}}\n  ],", "}},\n  ],"), want: whole},
	{
		name: "top-level array", make: func(s string) []byte {
			return []byte(s[strings.Index(s, "[\n") : strings.LastIndex(s, "]")+1])
		},
		want: whole,
	},
	{name: "times as strings", make: change(1, `"ts": 3844927690120.000`, `"ts": "3844927690120.000"`), want: whole},
	{name: "durations as strings", make: changeAll(`"dur": 10.001`, `"dur": "10.001"`), want: whole},
	{
		name: "metadata only", make: func(s string) []byte { return []byte(s[:strings.Index(s, `"traceEvents"`)] + `"traceName": "x"}`) },
		want: answer{fails: `JSON without "traceEvents"`},
	},
	{
		name: "no GPU", make: func(s string) []byte {
			var kept []string
			for _, line := range strings.Split(s, "\n") {
				if !strings.Contains(line, `"pid": 0`) {
					kept = append(kept, line)
				}
			}
			return []byte(strings.Join(kept, "\n"))
		},
		want: answer{ops: 4},
	},
	{name: "no events", make: func(string) []byte { return []byte(`{"traceEvents": []}`) }, want: answer{}},
	{
		name: "kernels at time 0", make: func(s string) []byte {
			zero := `  {"ph": "X", "cat": "kernel", "name": "lost", "pid": 0, "tid": 7, "ts": 0, "dur": 0, "args": {"device": 0, "stream": 7}},` + "\n"
			return change(1, "\"traceEvents\": [\n", "\"traceEvents\": [\n"+strings.Repeat(zero, 50))(s)
		},
		want: whole.but(func(a *answer) { a.dropped = 50; a.note = "50 events far in time from all others" }),
	},
	{
		name: "one kernel of 570 years", make: change(1, `"dur": 10.001`, `"dur": 18000000000000000`),
		want: whole.but(func(a *answer) {
			a.kernels, a.dropped = 3, 1
			a.busy -= 10001
			a.note = "longer than the recording"
		}),
	},
	{
		name: "one kernel of 3 hours", make: change(1, `"dur": 10.001`, `"dur": 1.08e10`),
		want: whole.but(func(a *answer) {
			a.kernels, a.dropped = 3, 1
			a.busy -= 10001
			a.note = "longer than the recording"
		}),
	},
	{name: "kernels without stream", make: changeAll(`"device": 0, "stream": 7, `, ``), want: whole},
	{
		name: "kernels without correlation, linked by external id and arrows", make: func(s string) []byte {
			return []byte(strings.ReplaceAll(s, `"stream": 7, "correlation": `, `"stream": 7, "nothing": `))
		},
		want: whole.but(func(a *answer) { a.unlinked = 1 }), // the copy has neither
	},
	{name: "byte order mark", make: func(s string) []byte { return []byte("\xEF\xBB\xBF" + s) }, want: whole},
	{name: "gzip named .json", file: "a.json", make: func(s string) []byte { return gz(s) }, want: whole},
	{name: "plain named .gz", file: "a.json.gz", make: func(s string) []byte { return []byte(s) }, want: whole},
	{
		name: "category names of 2021", make: func(s string) []byte {
			return []byte(strings.NewReplacer(`"cat": "kernel"`, `"cat": "Kernel"`, `"cat": "gpu_memcpy"`, `"cat": "Memcpy"`,
				`"cat": "cpu_op"`, `"cat": "Operator"`, `"cat": "cuda_runtime"`, `"cat": "Runtime"`, `"tid": 7`, `"tid": "stream 7"`,
				`"device": 0, "stream": 7, `, ``).Replace(s))
		},
		want: whole,
	},
	{
		name: "negative duration", make: change(1, `"dur": 10.001`, `"dur": -3`),
		want: whole.but(func(a *answer) { a.busy -= 10001; a.repaired = 1; a.note = "negative duration" }),
	},
	{
		name: "starts and ends apart", make: func(s string) []byte {
			b := strings.Replace(s, `{"ph": "X", "cat": "cpu_op", "name": "aten::mul", "pid": 1875, "tid": 1875, "ts": 3844927690100.000, "dur": 50.500`,
				`{"ph": "E", "pid": 1875, "tid": 1875, "ts": 3844927690150.500}, {"ph": "B", "cat": "cpu_op", "name": "aten::mul", "pid": 1875, "tid": 1875, "ts": 3844927690100.000`, 1)
			return []byte(b)
		},
		want: whole,
	},
	{
		name: "a start without an end", make: change(1, `{"ph": "X", "cat": "cpu_op"`, `{"ph": "B", "cat": "cpu_op"`),
		want: whole.but(func(a *answer) { a.repaired = 1; a.note = "without an end" }),
	},
	{name: "unknown category", make: change(1, `"cat": "cuda_runtime"`, `"cat": "something_new"`), want: whole},
	{
		name: "args nested deeply", make: change(1, `"grid": [1, 1, 1]`, `"deep": `+strings.Repeat(`{"a": [`, 10000)+strings.Repeat("]}", 10000)+`, "grid": [1, 1, 1]`),
		want: whole,
	},
	{name: "duplicate keys", make: change(1, `"dur": 10.001,`, `"dur": 99, "dur": 10.001,`), want: whole},
	{
		name: "events of other shapes", make: change(1, "\"traceEvents\": [\n", "\"traceEvents\": [\nnull, 12, \"text\", [1, [2]], {},\n"),
		want: whole.but(func(a *answer) { a.dropped = 4; a.note = "4 events not an object" }),
	},
	{
		name: "a bracket missing", make: change(2, `"grid": [1, 1, 1]`, `"grid": [1, 1, 1, "x": 0`),
		want: whole.but(func(a *answer) {
			a.kernels, a.dropped = 3, 1
			a.busy -= 10001
			a.note = "1 event not readable as JSON, first at event 10 (byte "
		}),
	},
	{
		name: "a brace missing", make: change(2, `"grid": [1, 1, 1]`, `"odd": {"a": {"b": 1}, "grid": [1, 1, 1]`),
		want: whole.but(func(a *answer) {
			a.kernels, a.dropped = 3, 1
			a.busy -= 10001
			a.note = "1 event not readable as JSON, first at event 10 (byte "
		}),
	},
	{
		name: "a bracket too many", make: change(2, `"grid": [1, 1, 1]`, `"grid": [[1, 1, 1]`),
		want: whole.but(func(a *answer) {
			a.kernels, a.dropped = 3, 1
			a.busy -= 10001
			a.note = "1 event not readable as JSON, first at event 10 (byte "
		}),
	},
	{
		name: "two traces in one file", make: func(s string) []byte { return []byte(s + "\n" + strings.ReplaceAll(s, "38449276", "38449277")) },
		want: answer{kernels: 8, ops: 8, busy: 2 * whole.busy},
	},
	{name: "text behind the trace", make: func(s string) []byte { return []byte(s + "\nDone.") }, want: whole.but(func(a *answer) { a.note = "is not part of the trace" })},
	{name: "several gzip members", make: func(s string) []byte { return append(gz(s[:1000]), gz(s[1000:])...) }, want: whole},
	{name: "empty file", make: func(string) []byte { return nil }, want: answer{fails: "is empty"}},
	{name: "only white space", make: func(string) []byte { return []byte("  \n\n ") }, want: answer{fails: "not a trace: the file is blank"}},
	{name: "execution trace", file: "et.json", make: func(string) []byte {
		return []byte(`{"schema": "1.1.1-chakra.0.0.4", "pid": 7, "time": "2026-11-16", "start_ts": 1, "nodes": [{"id": 2, "name": "aten::mm"}]}`)
	}, want: answer{fails: "execution trace"}},
	{name: "flight recorder", file: "fr.json", make: func(string) []byte {
		return []byte(`{"version": "2.5", "pg_config": {"0": {"name": "0", "desc": "default_pg"}}, "pg_status": {}, "entries": [{"frames": []}]}`)
	}, want: answer{fails: "flight recorder"}},
	{name: "Nsight's database", file: "report.sqlite", make: func(string) []byte { return []byte("SQLite format 3\x00\x10\x00") }, want: answer{fails: "Nsight Systems"}},
	{name: "tar", make: func(string) []byte { return append(append([]byte("a.json"), make([]byte, 251)...), "ustar  \x00"...) }, want: answer{fails: "a tar archive"}},
	{name: "zip", make: func(string) []byte { return []byte("PK\x03\x04\x14") }, want: answer{fails: "unpack it"}},
	{name: "memory snapshot", make: func(string) []byte { return []byte("\x80\x04\x95") }, want: answer{fails: "memory snapshot"}},
	{name: "UTF-16", make: func(string) []byte { return []byte("\xff\xfe{\x00") }, want: answer{fails: "UTF-16"}},
	{name: "random bytes", make: func(string) []byte { return []byte("\x8f\x03\x00\xe1nonsense\x17") }, want: answer{fails: "not a trace"}},
	{name: "HTML", make: func(string) []byte { return []byte("<html>404</html>") }, want: answer{fails: "the server sent a page"}},
	{name: "other JSON", make: func(string) []byte { return []byte(`{"weights": [1, 2, {"a": "}"}]}`) }, want: answer{fails: `JSON without "traceEvents"`}},
	{name: "gzip header alone", make: func(s string) []byte { return gz(s)[:10] }, want: answer{fails: "cannot be read"}},
	{name: "half a gzip header", make: func(s string) []byte { return gz(s)[:5] }, want: answer{fails: "damaged gzip file"}},
	{name: "breaks off before the events", make: func(s string) []byte { return []byte(s[:120]) }, want: answer{fails: "before its events"}},
	{
		name: "breaks off behind the events", make: func(s string) []byte { return []byte(s[:len(s)-10]) },
		want: whole.but(func(a *answer) { a.truncated = true; a.note = "after its events" }),
	},
}

func TestBroken(t *testing.T) {
	for _, test := range broken {
		t.Run(test.name, func(t *testing.T) {
			name := test.file
			if name == "" {
				name = "trace.json"
			}
			path := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(path, test.make(sound()), 0o600); err != nil {
				t.Fatal(err)
			}
			traces, err := Read(context.Background(), []string{path}, Options{})
			if test.want.fails != "" {
				if err == nil || !strings.Contains(err.Error(), test.want.fails) || !strings.Contains(err.Error(), path) {
					t.Fatalf("error %v, want one that names the file and says %q", err, test.want.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			check(t, traces[0], test.want)
		})
	}
}

func check(t *testing.T, tr *trace.Trace, want answer) {
	t.Helper()
	q := tr.Quality()
	got := answer{dropped: q.Dropped, repaired: q.Repaired, unlinked: q.Unlinked, truncated: q.Truncated}
	for id := range tr.OfKind(trace.Kernel, trace.Memcpy, trace.Memset) {
		got.busy += tr.Duration(id)
		if tr.Kind(id) == trace.Kernel {
			got.kernels++
		}
		if _, ok := tr.Launch(id); !ok && want.unlinked == 0 && !want.truncated {
			t.Errorf("%s is not linked to what launched it", tr.Name(id))
		}
		if track := tr.TrackOf(id); track.Device != 0 || track.Stream != 7 {
			t.Errorf("%s lies on %v", tr.Name(id), track)
		}
	}
	for range tr.OfKind(trace.CPUOp) {
		got.ops++
	}
	noted := want.note == ""
	for _, n := range q.Notes {
		if want.note != "" && strings.Contains(n.String(), want.note) {
			noted = true
		}
	}
	if !noted || (want.note == "" && len(q.Notes) > 0) {
		t.Errorf("notes %v, want one with %q", q.Notes, want.note)
	}
	want.note = ""
	if got != want {
		t.Errorf("got  %+v\nwant %+v\nnotes %v", got, want, q.Notes)
	}
}

// TestEveryCut cuts a trace everywhere. All events that are whole must be there.
func TestEveryCut(t *testing.T) {
	s := sound()
	first := strings.Index(s, `"traceEvents": [`) + len(`"traceEvents": [`)
	for n := first; n < len(s); n += 3 {
		tr, err := From(context.Background(), strings.NewReader(s[:n]), Options{Workers: 1})
		if err != nil {
			t.Fatalf("cut at byte %d: %v", n, err)
		}
		kernels := 0
		for range tr.OfKind(trace.Kernel) {
			kernels++
		}
		if want := strings.Count(s[:n], `"block": [128, 1, 1]}}`); kernels != want {
			t.Fatalf("cut at byte %d: %d kernels, want %d", n, kernels, want)
		}
		if !tr.Quality().Truncated {
			t.Fatalf("cut at byte %d, but not truncated", n)
		}
	}
}
