package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"saturate/internal/analyze"
	"saturate/internal/trace/chrome"
	"saturate/internal/trace/open"
)

// The added rows hold the whole critical path, and a file that has them is explained as the one it was made from.
func TestExportLanes(t *testing.T) {
	ctx := context.Background()
	traces, err := open.Read(ctx, []string{filepath.Join("..", "..", "testdata", "traces", "compiled.pt.trace.json.gz")}, open.Options{})
	if err != nil {
		t.Fatal(err)
	}
	opt := analyze.All
	opt.Top = -1
	before, err := analyze.Everything(ctx, traces, opt)
	if err != nil {
		t.Fatal(err)
	}
	lanes := exportLanes(before)
	if len(lanes) != 2 || lanes[0].Name != "critical path" || lanes[1].Name != "GPU 0 idle" {
		t.Fatalf("%d lanes", len(lanes))
	}
	var path, idle int64
	for i, s := range lanes[0].Spans {
		path += s.Length()
		if i > 0 && s.Start < lanes[0].Spans[i-1].End {
			t.Fatalf("piece %d of the path overlaps the one before", i)
		}
	}
	for _, s := range lanes[1].Spans {
		idle += s.Length()
	}
	if n := int64(len(before.Steps)); path/n != before.CriticalPath.TotalNS || idle != before.GPUs[0].Span.IdleNS {
		t.Errorf("the path is %d long, the gaps %d", path, idle)
	}
	var file bytes.Buffer
	if err := chrome.Export(&file, traces[0], traces[0].Window(), lanes...); err != nil {
		t.Fatal(err)
	}
	written := filepath.Join(t.TempDir(), "again.json")
	if err := os.WriteFile(written, file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	again, err := open.Read(ctx, []string{written}, open.Options{})
	if err != nil {
		t.Fatal(err)
	}
	after, err := analyze.Everything(ctx, again, opt)
	if err != nil {
		t.Fatal(err)
	}
	if after.Verdict != before.Verdict || after.CriticalPath.TotalNS != before.CriticalPath.TotalNS || len(after.Findings) != len(before.Findings) {
		t.Errorf("%+v, want %+v", after.Verdict, before.Verdict)
	}
	file.Reset()
	if err := chrome.Export(&file, again[0], again[0].Window()); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(file.Bytes(), []byte("critical path")) {
		t.Error("lanes of an earlier export are written again")
	}
}
