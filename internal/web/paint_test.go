package web

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestFirstPaint measures how soon the page of a cached trace is there: the first paint, and the paint of the answer,
// both as Chromium counts them from the start of the navigation. The server is a new one, which has only the cache.
//
//	SATURATE_FIGURES=paint.json go test ./internal/web -run TestFirstPaint
func TestFirstPaint(t *testing.T) {
	file := os.Getenv("SATURATE_FIGURES")
	if file == "" {
		t.Skip("set SATURATE_FIGURES to the file for the figures")
	}
	type paint struct {
		Trace         string  `json:"trace"`
		FirstPaintMS  float64 `json:"first_contentful_paint_ms"`
		AnswerMS      float64 `json:"largest_contentful_paint_ms"`
		TimelineMS    float64 `json:"timeline_drawn_ms"`
		LoadAverage   string  `json:"load_average"`
		AnswerPresent bool    `json:"answer_present"`
	}
	var list []paint
	cache := t.TempDir()
	for _, name := range []string{"starved.pt.trace.json.gz", "launchbound.pt.trace.json.gz"} {
		for round := range 4 { // the first fills the cache
			b := openBrowser(t, Options{Traces: []string{filepath.Join("..", "..", "testdata", "traces", name)}, Cache: cache})
			id := b.text(`document.querySelector('#table-traces a').getAttribute('href').split('/')[2]`)
			if round == 0 {
				b.do("import", chromedp.Navigate(b.server.base+"/trace/"+id), chromedp.WaitVisible(`.verdict`))
				continue
			}
			b.do("the overview", chromedp.Navigate(b.server.base+"/trace/"+id), chromedp.WaitVisible(`.verdict`))
			b.text(`new Promise(done => setTimeout(done, 500))`) // the paint is told a moment later
			p := paint{Trace: name, LoadAverage: load(), AnswerPresent: b.text(`!!document.querySelector('.verdict')`) == "true"}
			told := b.text(`new Promise(done => new PerformanceObserver(l => done(JSON.stringify([performance.getEntriesByName('first-contentful-paint')[0].startTime,
				l.getEntries().at(-1).startTime]))).observe({type: 'largest-contentful-paint', buffered: true}))`)
			var times [2]float64
			if err := json.Unmarshal([]byte(told), &times); err != nil {
				t.Fatal(err)
			}
			p.FirstPaintMS, p.AnswerMS = times[0], times[1]
			b.do("the timeline", chromedp.Navigate(b.server.base+"/trace/"+id+"/timeline"), chromedp.WaitVisible(`.canvas canvas[tabindex]`))
			b.settled()
			if err := json.Unmarshal([]byte(b.text(`performance.now()`)), &p.TimelineMS); err != nil {
				t.Fatal(err)
			}
			list = append(list, p)
		}
	}
	out, err := json.MarshalIndent(list, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s", out)
	if err := os.WriteFile(file, append(out, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}
