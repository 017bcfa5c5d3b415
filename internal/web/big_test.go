package web

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// TestBigTrace measures the page on a trace that is named, and keeps the figures:
//
//	SATURATE_BIG=big.json SATURATE_CACHE=folder SATURATE_VERSION=of-who-filled-it SATURATE_FIGURES=browser.json go test ./internal/web -run TestBigTrace
//
// Chromium draws in software there, without a GPU.
func TestBigTrace(t *testing.T) {
	path := os.Getenv("SATURATE_BIG")
	if path == "" {
		t.Skip("set SATURATE_BIG to a large trace")
	}
	b := openBrowser(t, Options{Traces: []string{path}, Cache: os.Getenv("SATURATE_CACHE"), Version: os.Getenv("SATURATE_VERSION")})
	id := b.text(`document.querySelector('#table-traces a').getAttribute('href').split('/')[2]`)
	wait := func(expression string) {
		limited, end := context.WithTimeout(b.ctx, 20*time.Minute)
		defer end()
		if err := chromedp.Do(limited, chromedp.Poll[chromedp.Void](expression, chromedp.WithPollingInterval(20*time.Millisecond), chromedp.WithPollingTimeout(0))); err != nil {
			t.Fatal(err)
		}
	}
	b.do("import", chromedp.Navigate(b.server.base+"/trace/"+id))
	wait(`document.querySelector('.verdict')`)
	figures := map[string]any{"load_average": load()}
	timed := func(name string, f func()) {
		began := time.Now()
		f()
		figures[name] = time.Since(began).Seconds()
	}
	timed("overview_s", func() {
		b.do("overview", chromedp.Navigate(b.server.base+"/trace/"+id))
		wait(`document.querySelector('.verdict')`)
	})
	timed("timeline_s", func() {
		b.do("timeline", chromedp.Navigate(b.server.base+"/trace/"+id+"/timeline"), chromedp.WaitVisible(`.canvas canvas[tabindex]`))
		b.settled()
	})
	b.shot("big-timeline")
	timed("longest_gap_s", func() {
		b.do("overview", chromedp.Navigate(b.server.base+"/trace/"+id), chromedp.WaitVisible(`#table-gaps tbody a`))
		b.do("the longest gap", chromedp.Click(`#table-gaps tbody tr:first-child a`), chromedp.WaitVisible(`.canvas canvas[tabindex]`))
		b.settled()
	})
	b.shot("big-gap")
	// Pan and zoom all over the trace, a frame at a time.
	before := browserCPU()
	b.text(`(done => {
		const v = saturateTimeline, span = v.outline.span_ns, gaps = []
		v.frames.length = 0
		let i = 0, last = performance.now(), seed = 1
		const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647
		const step = () => {
			const now = performance.now()
			gaps.push(now - last)
			last = now
			if (i % 60 === 0) { const w = span * Math.pow(10, -6 * random()), at = random() * (span - w); v.show(at, at + w) }
			else if (i % 60 > 40) v.zoom(0.97)
			else v.pan(0.01)
			if (++i > 600) done(JSON.stringify({gaps, frames: v.frames, requests: v.requests}))
			else requestAnimationFrame(step)
		}
		requestAnimationFrame(step)
	})(text => { window.measured = text })`)
	wait(`window.measured`)
	frames := b.text(`measured`)
	var seen struct{ Gaps, Frames, Requests []float64 }
	if err := json.Unmarshal([]byte(frames), &seen); err != nil {
		t.Fatal(err)
	}
	figures["between_frames_ms"], figures["drawing_ms"], figures["tile_requests_ms"] = spread(seen.Gaps[1:]), spread(seen.Frames), spread(seen.Requests)
	figures["cpu_ms_a_frame"] = (browserCPU() - before).Seconds() * 1e3 / float64(len(seen.Gaps)) // of the browser, which draws in software
	figures["uploads"] = json.Number(b.text(`saturateTimeline.uploads`))
	figures["js_heap_bytes"] = json.Number(b.text(`performance.memory.usedJSHeapSize`))
	figures["draw_calls"] = json.Number(b.text(`document.querySelector('.canvas canvas[tabindex]').dataset.draws`))
	out, err := json.MarshalIndent(figures, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s", out)
	if file := os.Getenv("SATURATE_FIGURES"); file != "" {
		if err := os.WriteFile(file, append(out, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func load() string {
	data, _ := os.ReadFile("/proc/loadavg")
	return string(data)
}

func spread(values []float64) map[string]float64 {
	sorted := slices.Sorted(slices.Values(values))
	if len(sorted) == 0 {
		return nil
	}
	at := func(q float64) float64 { return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))] }
	return map[string]float64{"n": float64(len(sorted)), "p50": at(0.5), "p95": at(0.95), "p99": at(0.99), "max": at(1)}
}
