package web

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"saturate/internal/report"
	"saturate/internal/report/plot"
	"saturate/internal/run"
)

// axe is the checker of accessibility that browsers' tools use.
func axe(t *testing.T) string {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "axe.min.js.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	code, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(code)
}

// check runs axe on what the browser shows.
func (b *browser) check(name, code string) {
	b.t.Helper()
	b.do("axe", chromedp.Evaluate[chromedp.Void](code+";0"))
	found := b.text(`axe.run(document, {resultTypes: ['violations']}).then(r => r.violations.filter(v => v.impact === 'serious' || v.impact === 'critical')
		.map(v => v.impact + ' ' + v.id + ': ' + v.nodes.slice(0, 3).map(n => n.html.slice(0, 160) + ' ' + (n.any[0]?.message ?? '')).join(' | ')).join('\n'))`)
	if found != "" {
		b.t.Errorf("%s:\n%s", name, found)
	}
}

// TestAccessible: axe finds nothing serious on the panes, light or dark, wide or narrow.
func TestAccessible(t *testing.T) {
	root := t.TempDir()
	r, err := run.Create(root, "train", run.Options{Command: []string{"python", "train.py"}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		if err := r.Step(liveStep(i, 0.1)); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Save(run.FlameFile, "stacks", []byte(`{"name":"all","s":10,"calls":[{"name":"train","path":"train.py","line":3,"s":7,"calls":[{"name":"load","path":"data.py","line":9,"s":5}]},{"name":"decode","library":true,"s":3}]}`)); err != nil {
		t.Fatal(err)
	}
	done, err := r.Finish(0)
	if err != nil {
		t.Fatal(err)
	}
	b := openBrowser(t, Options{Folders: []string{root}, Traces: []string{filepath.Join("..", "..", "testdata", "traces", "compiled.pt.trace.json.gz")}})
	code := axe(t)
	b.check("home", code)
	id := b.text(`document.querySelector('#table-traces a').getAttribute('href').split('/')[2]`)
	paths := []string{"/run/" + done.ID, "/run/" + done.ID + "/loading", "/trace/" + id, "/trace/" + id + "/timeline", "/trace/" + id + "/findings"}
	if os.Getenv("SATURATE_ACCEPT") != "" { // the others are made of the same tables and plots
		paths = append(paths, "/run/"+done.ID+"/steps", "/run/"+done.ID+"/environment")
		for _, pane := range []string{"/steps", "/kernels", "/operators", "/copies", "/communication", "/memory"} {
			paths = append(paths, "/trace/"+id+pane)
		}
	}
	for i, path := range paths {
		if i%2 == 1 {
			b.size(400, 800, "dark")
		} else {
			b.size(1280, 800, "light")
		}
		b.do(path, chromedp.Navigate(b.server.base+path), chromedp.WaitVisible(`main h1`))
		b.check(path, code)
		if strings.HasSuffix(path, "loading") {
			b.shot("flame")
		}
	}
}

// TestReportInBrowser: the file that `-o report.html` writes sorts and filters under its own policy.
func TestReportInBrowser(t *testing.T) {
	table := &report.Table{Columns: []report.Column{{Name: "Kernel"}, {Name: "Time", Right: true}}, Rows: [][]string{
		{"gemm", "3.10 ms"}, {"add", "90 µs"}, {"copy", "1.20 s"}, {"mul", "12 ms"}, {"sum", "1 ns"}, {"exp", "4 ms"}, {"log", "5 ms"}, {"relu", "6 ms"}, {"norm", "7 ms"},
	}}
	var page bytes.Buffer
	err := report.Render(&page, report.Report{Command: "report", Title: "A run", Summary: []string{"It is slow."}, Blocks: []report.Block{
		{Heading: "Kernels", Table: table},
		{Heading: "Steps", Plot: plot.Histogram{Heading: "Steps", Axis: "time", Noun: "step", Unit: "s", Values: []float64{1, 2, 2, 3}}},
	}}, "html", report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, page.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	b := openBrowser(t, Options{Folders: []string{t.TempDir()}})
	b.file = "file://" + file
	b.do("open the file", chromedp.Navigate(b.file), chromedp.WaitVisible(`//th//button`))
	b.do("sort", chromedp.Click(`//th//button[contains(., "Time")]`))
	if got := b.text(`[...document.querySelectorAll('tbody th')].map(c => c.textContent).join(' ')`); got != "copy mul norm relu log exp gemm add sum" {
		t.Errorf("sorted by time: %s", got)
	}
	b.do("filter", chromedp.SendKeys(`//input`, "gemm"))
	b.await(`document.querySelector('.count').textContent === '1 of 9'`)
	if got := b.text(`document.querySelector('h2 .anchor').getAttribute('href')`); got != "#kernels" {
		t.Errorf("the anchor is %s", got)
	}
	b.shot("report")
	b.check("report.html", axe(t))
}
