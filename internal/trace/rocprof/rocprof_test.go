package rocprof_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"saturate/internal/trace"
	"saturate/internal/trace/rocprof"
)

// small.json is from testdata/small.py: two steps, with a copy, two kernels, a fill and four calls each.
func small(t testing.TB) []byte {
	text, err := os.ReadFile(filepath.Join("testdata", "small.json"))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestSmall(t *testing.T) {
	text := small(t)
	if !rocprof.Importer.Sniff(text) {
		t.Error("it is not recognized")
	}
	tr, err := rocprof.Importer.Read(context.Background(), bytes.NewReader(text), trace.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	count := map[trace.Kind]int{}
	for id := range trace.EventID(tr.Len()) {
		count[tr.Kind(id)]++
		if !tr.Kind(id).Work() {
			continue
		}
		if call, ok := tr.Launch(id); !ok || !strings.HasPrefix(tr.Name(call), "hip") {
			t.Errorf("%s has no call", tr.Name(id))
		}
		if tr.TrackOf(id).Device != 1 {
			t.Errorf("%s lies on %s", tr.Name(id), tr.TrackOf(id))
		}
	}
	if count[trace.Kernel] != 4 || count[trace.Memcpy] != 2 || count[trace.Memset] != 2 || count[trace.Runtime] != 8 || count[trace.Annotation] != 2 {
		t.Errorf("%v", count)
	}
	m := tr.Meta()
	if len(m.GPUs) != 1 || m.GPUs[0].Name != "AMD Instinct MI300X" || m.GPUs[0].SMs != 304 || m.GPUs[0].Memory != 206141652992 || m.Host != "node-7" {
		t.Errorf("%+v", m)
	}
	if len(tr.StepMarkers()) != 2 {
		t.Errorf("%d steps", len(tr.StepMarkers()))
	}
	for id := range tr.OfKind(trace.Kernel) {
		if c := tr.Config(id); c == nil || c.Grid != [3]int32{10, 2, 1} || c.Block[0] != 256 || c.Registers != 48 || c.SharedMemory != 512 {
			t.Errorf("%+v", c)
		}
	}
	for id := range tr.OfKind(trace.Memcpy) {
		if n, _ := tr.Int(id, trace.Bytes); tr.Name(id) != "Memcpy HtoD (Host -> Device)" || n != 4096 || tr.Duration(id) != 40_000 {
			t.Errorf("%s of %d bytes", tr.Name(id), n)
		}
	}
}

// A file that is cut off gives what is whole, or an error; one value may not take all memory.
func TestCut(t *testing.T) {
	text := small(t)
	for cut := 0; cut < len(text)-2; cut += 37 {
		tr, err := rocprof.Importer.Read(context.Background(), bytes.NewReader(text[:cut]), trace.ReadOptions{})
		if err == nil && !tr.Quality().Truncated {
			t.Errorf("cut at %d of %d: nothing is said", cut, len(text))
		}
	}
	long := `{"rocprofiler-sdk-tool": [{"strings": {"marker_api": [{"key": 1, "value": "` + strings.Repeat("x", 3<<20) + `"}]}}]}`
	if _, err := rocprof.Importer.Read(context.Background(), strings.NewReader(long), trace.ReadOptions{MaxEvent: 1 << 20}); err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("%v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(small(f))
	f.Add([]byte(`{"rocprofiler-sdk-tool": [{"buffer_records": {"hip_api": [{"kind": -1}]}}]}`))
	f.Fuzz(func(_ *testing.T, text []byte) {
		_, _ = rocprof.Importer.Read(context.Background(), bytes.NewReader(text), trace.ReadOptions{})
	})
}
