package web

import (
	"bufio"
	"context"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"saturate/internal/report"
	"saturate/internal/run"
	"saturate/internal/trace/snapshot"
	"saturate/internal/view"
)

// TestLinksOutAreNotFollowed: a link in a folder of Runs or traces that leads elsewhere is not shown.
func TestLinksOutAreNotFollowed(t *testing.T) {
	outside, inside := t.TempDir(), t.TempDir()
	secret := filepath.Join(outside, "secret.json")
	if err := os.WriteFile(secret, []byte(`{"traceEvents": []}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(inside, "a.pt.trace.json")); err != nil {
		t.Skip("no links here")
	}
	if err := os.WriteFile(filepath.Join(inside, "b.pt.trace.json"), []byte(`{"traceEvents": []}`), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := run.Create(outside, "train", run.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Finish(0); err != nil {
		t.Fatal(err)
	}
	runs := t.TempDir()
	if err := os.Symlink(filepath.Dir(r.Dir()), filepath.Join(runs, "train_x")); err != nil {
		t.Fatal(err)
	}
	s := testServer(t, Options{Folders: []string{runs}, Traces: []string{inside}})
	_, _, body := send(s, request(s, "GET", "/api/index", "", openSession(t, s)...))
	var index struct {
		Runs   []struct{ Name string }
		Traces []struct{ Name string }
	}
	if err := json.Unmarshal([]byte(body), &index); err != nil {
		t.Fatal(err)
	}
	if len(index.Runs) != 0 || len(index.Traces) != 1 || index.Traces[0].Name != "b.pt.trace.json" {
		t.Errorf("shown: %s", body)
	}
}

// TestNamedFileIsNoTrace: what a named file is shows at the start, not in the browser.
func TestNamedFileIsNoTrace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table.parquet")
	if err := os.WriteFile(path, []byte("PAR1 and more"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := NewLibrary(Options{Traces: []string{path}}); err == nil || !strings.Contains(err.Error(), "not a trace: this is a Parquet file") {
		t.Errorf("the error is %v", err)
	}
}

// TestCaptures: captures of CUDA graphs are read with the trace, and another capture is another import.
func TestCaptures(t *testing.T) {
	folder := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	trace, bad := write("replay.json", `{"traceEvents": []}`), write("capture.json", `{"nothing": 1}`)
	l, err := NewLibrary(Options{Traces: []string{trace}, Capture: []string{bad}, Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	items := l.traces(nil)
	i := l.get(items[0])
	if <-i.ready; i.err == nil || !strings.Contains(i.err.Error(), bad) {
		t.Errorf("the error is %v", i.err)
	}
	other, err := NewLibrary(Options{Traces: []string{trace}, Capture: []string{trace}})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if other.captured == l.captured || l.captured == "" {
		t.Error("two captures have one place in the cache")
	}
	if _, err := NewLibrary(Options{Capture: []string{filepath.Join(folder, "missing.json")}}); err == nil {
		t.Error("a missing capture is not an error")
	}
}

// TestTraceAnswers asks for everything about a trace: counted from its beginning, whole, and again from the disk.
func TestTraceAnswers(t *testing.T) {
	cache := t.TempDir()
	for _, round := range []string{"imported", "from the disk"} {
		s := testServer(t, Options{Cache: cache, Traces: []string{filepath.Join("..", "..", "testdata", "traces", "compiled.pt.trace.json.gz")}})
		session := openSession(t, s)
		get := func(path string) (int, string) {
			code, _, body := send(s, request(s, "GET", path, "", session...))
			for code == 202 {
				code, _, body = send(s, request(s, "GET", path, "", session...))
			}
			return code, body
		}
		start, err := s.library.Start()
		if err != nil || !strings.HasPrefix(start, "/trace/") {
			t.Fatalf("%s: starts with %q, %v", round, start, err)
		}
		base := "/api" + start
		var a struct {
			Window struct {
				Start int64 `json:"start_ns"`
			}
			Kernels []struct{ Name string }
		}
		if code, body := get(base); code != 200 || json.Unmarshal([]byte(body), &a) != nil || a.Window.Start > 1e9 || len(a.Kernels) < 5 {
			t.Fatalf("%s: %d %.200s", round, code, body)
		}
		var found struct {
			Hits []struct {
				Name    string
				Longest int
			}
		}
		if code, body := get(base + "/find?q=" + url.QueryEscape(a.Kernels[0].Name[:8])); code != 200 || json.Unmarshal([]byte(body), &found) != nil || len(found.Hits) == 0 {
			t.Errorf("%s: find: %d %.200s", round, code, body)
		}
		for path, want := range map[string]int{
			"/tiles?q=0.30.0": 422, "/tiles?q=0.1.0": 200, "/tiles?q=1": 422, "/tiles?q=-1.0.0": 422, "/tiles?q=0.0.99999999999999": 422,
			"/event/0": 200, "/event/4294967295": 422, "/event/x": 404, "/select?from=0&to=1000000": 200, "/select?from=5&to=5": 422, "/names?q=1,x,99999999": 200,
		} {
			if code, body := get(base + path); code != want {
				t.Errorf("%s: %s: %d %.200s", round, path, code, body)
			}
		}
		entries, err := os.ReadDir(cache)
		if err != nil || len(entries) != 1 {
			t.Errorf("%s: the cache holds %v, %v", round, entries, err)
		}
	}
}

// TestFolderOfAll: a project's folder has its Runs, traces and memory snapshots; what a Run keeps beside them does not count as a trace.
func TestFolderOfAll(t *testing.T) {
	project := t.TempDir()
	write := func(name, from, text string) {
		path := filepath.Join(project, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		data := []byte(text)
		if from != "" {
			var err error
			if data, err = os.ReadFile(from); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("runs/train/1/run.json", "", `{}`)
	write("runs/train/1/findings.json", "", `[]`)
	write("runs/train/1/profiler_traces/rank0_1.pt.trace.json", "", `{"traceEvents": []}`)
	write("runs/train/1/profiler_traces/rank0_2.pt.trace.json", "", `{"traceEvents": []}`)
	write("runs/train/1/profiler_traces/rank1_1.pt.trace.json", "", `{"traceEvents": []}`)
	write("runs/train/1/profiler_traces/rank1_2.pt.trace.json", "", `{"traceEvents": []}`)
	write("oom.pickle", filepath.Join("..", "trace", "snapshot", "testdata", "h200.pickle"), "")
	write("model.pickle", "", "\x80\x04\x95 something else")
	s := testServer(t, Options{Traces: []string{project}, Snapshot: func(_ context.Context, path string) (report.Report, []snapshot.Answer, error) {
		f, err := os.Open(path)
		if err != nil {
			return report.Report{}, nil, err
		}
		defer f.Close()
		read, err := snapshot.Read(bufio.NewReader(f))
		if err != nil {
			return report.Report{}, nil, err
		}
		return view.OfSnapshot(path, read.Explain(), 10), read.Explain(), nil
	}})
	session := openSession(t, s)
	_, _, body := send(s, request(s, "GET", "/api/index", "", session...))
	var index struct {
		Traces, Snapshots []struct {
			ID, Name string
			Ranks    int
		}
	}
	if err := json.Unmarshal([]byte(body), &index); err != nil {
		t.Fatal(err)
	}
	if len(index.Traces) != 5 || index.Traces[0].Ranks != 2 || !strings.HasSuffix(index.Traces[0].Name, "profiler_traces: 2 ranks, 2 recordings each") {
		t.Errorf("traces: %s", body)
	}
	if len(index.Snapshots) != 1 || index.Snapshots[0].Name != "oom.pickle" {
		t.Fatalf("snapshots: %s", body)
	}
	code, _, body := send(s, request(s, "GET", "/api/snapshot/"+index.Snapshots[0].ID, "", session...))
	for code == 202 {
		code, _, body = send(s, request(s, "GET", "/api/snapshot/"+index.Snapshots[0].ID, "", session...))
	}
	var page snapshotPage
	if err := json.Unmarshal([]byte(body), &page); err != nil || code != 200 {
		t.Fatalf("%d %v: %.300s", code, err, body)
	}
	curve := page.GPUs[0].Curve
	if len(curve) < 10 || len(curve) > 500 || page.GPUs[0].OOM == nil || !strings.Contains(page.Report.Summary[0], "runs_out.py:20 forward") {
		t.Errorf("%d points, %q", len(curve), page.Report.Summary)
	}
	most := int64(0)
	for _, p := range curve {
		most = max(most, p.Bytes)
	}
	if most != page.GPUs[0].PeakBytes {
		t.Errorf("the curve's highest point is %d, the peak %d", most, page.GPUs[0].PeakBytes)
	}
	if code, _, _ := send(s, request(s, "GET", "/api/snapshot/000000000000", "", session...)); code != 404 {
		t.Errorf("an unknown snapshot: %d", code)
	}
}
