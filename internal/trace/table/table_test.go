package table

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	other "github.com/parquet-go/parquet-go"

	"saturate/internal/parquet"
	"saturate/internal/trace"
	"saturate/internal/trace/open"
)

func compiled(t *testing.T) *trace.Trace {
	t.Helper()
	traces, err := open.Read(context.Background(), []string{"../../../testdata/traces/compiled.pt.trace.json.gz"}, open.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return traces[0]
}

func TestTables(t *testing.T) {
	tr := compiled(t)
	var events, kernels bytes.Buffer
	if err := parquet.WriteTable(&events, Events(tr, tr.Window())); err != nil {
		t.Fatal(err)
	}
	if err := parquet.WriteTable(&kernels, Kernels(tr, tr.Window())); err != nil {
		t.Fatal(err)
	}
	gotEvents, err := other.Read[Event](bytes.NewReader(events.Bytes()), int64(events.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var total, sum int64
	for i := range tr.Len() {
		total += tr.Duration(trace.EventID(i))
	}
	launched := 0
	for _, e := range gotEvents {
		id := trace.EventID(e.ID)
		sum += e.Duration
		if e.Name != tr.Name(id) || e.Start != tr.Start(id) || (e.Stream != nil) != tr.Kind(id).OnGPU() {
			t.Fatalf("%+v is not event %d", e, id)
		}
		if e.Launch != nil {
			launched++
		}
	}
	frames := 3 // the profiler's own, outside the window of the others
	if len(gotEvents) < tr.Len()-frames || launched != tr.DeviceEvents(0) {
		t.Errorf("%d events, %d launched; want %d, %d", len(gotEvents), launched, tr.Len(), tr.DeviceEvents(0))
	}
	if sum != total {
		t.Errorf("durations add up to %d, want %d", sum, total)
	}
	gotKernels, err := other.Read[Kernel](bytes.NewReader(kernels.Bytes()), int64(kernels.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if len(gotKernels) != 8545 {
		t.Errorf("%d kernels", len(gotKernels))
	}
	steps := map[int64]int{}
	for _, k := range gotKernels {
		if k.Call == nil || !strings.Contains(*k.Call, "Launch") && !strings.Contains(*k.Call, "Mem") {
			t.Fatalf("%+v", k)
		}
		if k.Kind == "kernel" && (k.GridX == nil || *k.GridX < 1) {
			t.Fatalf("%+v", k)
		}
		if k.Step != nil {
			steps[*k.Step]++
		}
	}
	if len(steps) != 6 {
		t.Errorf("kernels in %d steps", len(steps))
	}
}

type full struct{ left int }

func (f *full) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errors.New("disk full")
	}
	return len(p), nil
}

func TestWriterFails(t *testing.T) {
	tr := compiled(t)
	for _, room := range []int{0, 10, 10000} {
		if err := parquet.WriteTable(&full{room}, Kernels(tr, tr.Window())); err == nil || !strings.Contains(err.Error(), "disk full") {
			t.Errorf("room for %d bytes: error %v", room, err)
		}
	}
	if err := parquet.WriteTable(io.Discard, Kernels(tr, trace.Window{})); err != nil {
		t.Errorf("an empty table: %v", err)
	}
}

// TestOtherReaders reads the tables with what users have.
func TestOtherReaders(t *testing.T) {
	python := os.Getenv("SATURATE_TEST_PYTHON")
	if python == "" {
		t.Skip("SATURATE_TEST_PYTHON is not set")
	}
	tr := compiled(t)
	path := filepath.Join(t.TempDir(), "kernels.parquet")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := parquet.WriteTable(f, Kernels(tr, tr.Window())); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	var sum int64
	for _, ev := range tr.OnDevice(0, tr.Window()) {
		sum += ev.Duration()
	}
	want := fmt.Sprint(tr.DeviceEvents(0), " ", sum)
	for module, code := range map[string]string{
		"pyarrow": "import pyarrow.parquet as p; t = p.read_table(f); print(t.num_rows, sum(t['duration_ns'].to_pylist()))",
		"pandas":  "import pandas; t = pandas.read_parquet(f); print(len(t), t.duration_ns.sum())",
		"duckdb":  "import duckdb; print(*duckdb.sql(f\"select count(*), sum(duration_ns)::bigint from '{f}'\").fetchall()[0])",
	} {
		t.Run(module, func(t *testing.T) {
			if exec.Command(python, "-c", "import "+module).Run() != nil {
				t.Skipf("%s has no %s", python, module)
			}
			out, err := exec.Command(python, "-c", "f = "+fmt.Sprintf("%q", path)+"\n"+code).CombinedOutput()
			if err != nil || strings.TrimSpace(string(out)) != want {
				t.Errorf("%s%v, want %s", out, err, want)
			}
		})
	}
}
