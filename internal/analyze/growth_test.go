package analyze

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"saturate/internal/trace"
	"saturate/internal/trace/open"
)

// manyDevices is a trace in which each of n GPUs does one thing.
func manyDevices(tb testing.TB, n int) []*trace.Trace {
	tb.Helper()
	var b bytes.Buffer
	b.WriteString(`{"schemaVersion":1,"traceEvents":[`)
	for d := range n {
		fmt.Fprintf(&b, `{"ph":"X","cat":"kernel","name":"k","pid":%d,"tid":7,"ts":%d,"dur":5,"args":{"device":%d,"stream":7,"correlation":%d}},`+"\n", d, d*10, d, d)
		fmt.Fprintf(&b, `{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":999999,"tid":1,"ts":%d,"dur":2,"args":{"correlation":%d}},`+"\n", d*10-3, d)
	}
	b.WriteString(`{"ph":"X","cat":"cpu_op","name":"end","pid":999999,"tid":1,"ts":900000,"dur":1}]}`)
	t, err := open.From(tb.Context(), &b, open.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return []*trace.Trace{t}
}

// TestManyDevices: each GPU is compared with all that the host did, so their number is bounded, and the report says so.
func TestManyDevices(t *testing.T) {
	a, err := Everything(t.Context(), manyDevices(t, mostGPUs+44), Options{Top: 10, Rank: -1, Step: -1})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.GPUs) != mostGPUs || !strings.Contains(strings.Join(a.Quality.Notes, "; "), "the trace names 300 GPUs; the first 256 are analyzed") {
		t.Errorf("%d GPUs, notes %q", len(a.GPUs), a.Quality.Notes)
	}
	if a, err = Everything(t.Context(), manyDevices(t, 8), Options{Top: 10, Rank: -1, Step: -1}); err != nil || len(a.GPUs) != 8 || len(a.Quality.Notes) > 0 {
		t.Errorf("%d GPUs, notes %q, %v", len(a.GPUs), a.Quality.Notes, err)
	}
}

// TestLongNames: a name of megabytes is cut, and the trace's quality says so.
func TestLongNames(t *testing.T) {
	text := fmt.Sprintf(`{"traceEvents":[{"ph":"X","cat":"kernel","name":"%s","pid":0,"tid":7,"ts":1,"dur":5,"args":{"device":0,"stream":7}}]}`, strings.Repeat("é", 2<<20))
	read, err := open.From(t.Context(), strings.NewReader(text), open.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(read.Name(0)); n > trace.LongestName || n < trace.LongestName/2 {
		t.Errorf("the name has %d bytes", n)
	}
	if notes := fmt.Sprint(read.Quality().Notes); !strings.Contains(notes, "1 name was longer than 64 KiB and cut there") {
		t.Errorf("notes %s", notes)
	}
}
