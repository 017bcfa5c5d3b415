package perfetto_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"saturate/internal/trace"
	"saturate/internal/trace/perfetto"
)

// small.pftrace is from testdata/small.py: two steps, with a copy, two kernels that overlap and three calls each, and
// two slices of a program.
func small(t testing.TB) []byte {
	text, err := os.ReadFile(filepath.Join("testdata", "small.pftrace"))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

const base = 63_857_000_000_000

func TestSmall(t *testing.T) {
	text := small(t)
	if !perfetto.Importer.Sniff(text) || !perfetto.Importer.Sniff(text[:20]) {
		t.Error("it is not recognized")
	}
	tr, err := perfetto.Importer.Read(context.Background(), bytes.NewReader(text), trace.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	count, starts := map[string]int{}, map[string]int64{}
	for id := range trace.EventID(tr.Len()) {
		name := tr.Kind(id).String() + " " + tr.Name(id)
		count[name]++
		if _, known := starts[name]; !known {
			starts[name] = tr.Start(id) - base
		}
		if !tr.Kind(id).Work() {
			continue
		}
		if call, ok := tr.Launch(id); !ok || !strings.HasPrefix(tr.Name(call), "hip") {
			t.Errorf("%s has no call", tr.Name(id))
		}
		if tr.TrackOf(id).Device != 2 {
			t.Errorf("%s lies on %s", tr.Name(id), tr.TrackOf(id))
		}
	}
	for name, want := range map[string]struct {
		count int
		start int64
	}{
		"kernel Cijk_Ailk_Bljk_BBS": {2, 100_000}, "kernel relu(float*)": {2, 140_000}, "gpu_memcpy MEMORY_COPY_HOST_TO_DEVICE": {2, 20_000},
		"cuda_runtime hipMemcpyAsync": {2, 10_000}, "cuda_runtime hipLaunchKernel": {4, 40_000}, "user_annotation train_step": {1, 300_000}, "user_annotation data": {1, 310_000},
	} {
		if count[name] != want.count || starts[name] != want.start {
			t.Errorf("%d times %s, the first at %d; want %d, at %d", count[name], name, starts[name], want.count, want.start)
		}
	}
	for id := range tr.OfKind(trace.Kernel) {
		if want := map[string]int64{"relu(float*)": 80_000}[tr.Name(id)]; want > 0 && tr.Duration(id) != want {
			t.Errorf("%s takes %d", tr.Name(id), tr.Duration(id))
		}
	}
	for id := range tr.OfKind(trace.Annotation) {
		if want := map[string]int64{"train_step": 100_000, "data": 40_000}[tr.Name(id)]; tr.Duration(id) != want {
			t.Errorf("%s takes %d, want %d", tr.Name(id), tr.Duration(id), want)
		}
	}
	if q := tr.Quality(); q.Dropped > 0 || q.Repaired > 0 {
		t.Errorf("%+v", q)
	}
}

// A file that is cut off gives what is whole, or an error.
func TestCut(t *testing.T) {
	text := small(t)
	whole := 0
	for cut := 0; cut < len(text); cut += 7 {
		tr, err := perfetto.Importer.Read(context.Background(), bytes.NewReader(text[:cut]), trace.ReadOptions{})
		if err == nil && tr.Quality().Truncated {
			whole++
		}
	}
	if whole < 50 {
		t.Errorf("only %d cuts are noticed", whole)
	}
	if _, err := perfetto.Importer.Read(context.Background(), bytes.NewReader(text), trace.ReadOptions{MaxEvent: 10}); err == nil {
		t.Error("packets of any size are read")
	}
}

func FuzzRead(f *testing.F) {
	f.Add(small(f))
	f.Add(small(f)[:200])
	f.Fuzz(func(_ *testing.T, text []byte) {
		perfetto.Importer.Sniff(text)
		_, _ = perfetto.Importer.Read(context.Background(), bytes.NewReader(text), trace.ReadOptions{})
	})
}
