package nsys_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"saturate/internal/trace"
	"saturate/internal/trace/nsys"
)

// small.sqlite is from testdata/small.py: three steps, with a call, a kernel, a copy and a fill each.
func TestSmall(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "small.sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	if !nsys.Importer.Sniff(text) {
		t.Error("it is not recognized")
	}
	for _, opt := range []trace.ReadOptions{{}, {File: bytes.NewReader(text), Size: int64(len(text))}} {
		tr, err := nsys.Importer.Read(context.Background(), bytes.NewReader(text), opt)
		if err != nil {
			t.Fatal(err)
		}
		count := map[trace.Kind]int{}
		for id := range trace.EventID(tr.Len()) {
			count[tr.Kind(id)]++
			if !tr.Kind(id).Work() {
				continue
			}
			call, ok := tr.Launch(id)
			if !ok || !tr.Kind(call).API() {
				t.Errorf("%s has no call", tr.Name(id))
			}
		}
		if count[trace.Kernel] != 300 || count[trace.Memcpy] != 3 || count[trace.Memset] != 3 || count[trace.Runtime] != 306 || count[trace.Annotation] != 3 || count[trace.CPUOp] != 300 {
			t.Errorf("%v", count)
		}
		if m := tr.Meta(); m.Base != 1_790_000_000_000_000_000 || len(m.GPUs) != 1 || m.GPUs[0].SMs != 132 || len(tr.StepMarkers()) != 3 {
			t.Errorf("%+v, %d steps", m, len(tr.StepMarkers()))
		}
		for id := range tr.OfKind(trace.Memcpy) {
			if n, _ := tr.Int(id, trace.Bytes); tr.Name(id) != "Memcpy HtoD (Pageable -> Device)" || n != 4096 {
				t.Errorf("%s of %d bytes", tr.Name(id), n)
			}
		}
		for id := range tr.OfKind(trace.Kernel) {
			if c := tr.Config(id); c == nil || c.Grid != [3]int32{10, 2, 1} || c.Registers != 32 {
				t.Errorf("%+v", c)
			}
			if tr.Name(id) != "gemm(float*)" {
				t.Error(tr.Name(id))
			}
		}
	}
}

// A database that is cut off gives what is whole, or an error.
func TestCut(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "small.sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	for cut := 0; cut < len(text); cut += 1777 {
		tr, err := nsys.Importer.Read(context.Background(), bytes.NewReader(text[:cut]), trace.ReadOptions{})
		if err == nil && !tr.Quality().Truncated {
			t.Errorf("cut at %d of %d: nothing is said", cut, len(text))
		}
	}
}

func FuzzRead(f *testing.F) {
	text, err := os.ReadFile(filepath.Join("testdata", "small.sqlite"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add(text[:4096])
	f.Fuzz(func(_ *testing.T, text []byte) {
		_, _ = nsys.Importer.Read(context.Background(), bytes.NewReader(text), trace.ReadOptions{})
	})
}
