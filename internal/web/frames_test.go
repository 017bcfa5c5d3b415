package web

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// TestFrameCost prints the CPU time that the browser needs for a frame while a trace is panned, with and without its
// rectangles:
//
//	SATURATE_BIG=big.json SATURATE_CACHE=folder SATURATE_VERSION=of-who-filled-it go test ./internal/web -run TestFrameCost -v
func TestFrameCost(t *testing.T) {
	path := os.Getenv("SATURATE_BIG")
	if path == "" {
		t.Skip("set SATURATE_BIG to a large trace")
	}
	chrome, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no chromium on this machine")
	}
	m := newMeasured(t, chrome)
	defer m.end()
	server, end := m.serve(Options{Traces: []string{path}, Cache: os.Getenv("SATURATE_CACHE"), Version: os.Getenv("SATURATE_VERSION")})
	defer end()
	m.server = server
	m.do("open", chromedp.Navigate(server.Link("/")), chromedp.WaitVisible(`#table-traces a`))
	id := m.text(`document.querySelector('#table-traces a').getAttribute('href').split('/')[2]`)
	m.do("timeline", chromedp.Navigate(server.base+"/trace/"+id+"/timeline"))
	const settled, frames = `document.querySelector('.canvas canvas[tabindex]')?.dataset.pending === '0'`, 60
	m.wait(settled)
	for _, part := range []float64{1, 0.01, 0.0001} {
		for _, way := range []struct{ name, prepare string }{
			{"all", `delete v.painter.group`}, {"without rectangles", `v.painter.group = () => {}`},
		} {
			m.text(fmt.Sprintf(`(v => { %s; const s = v.outline.span_ns; v.show(s * 0.4, s * (0.4 + %g)); return 1 })(saturateTimeline)`, way.prepare, part))
			time.Sleep(time.Second)
			m.wait(settled)
			before := browserCPU()
			m.text(fmt.Sprintf(`(v => { window.panned = false; let i = 0; const f = () => { v.pan(i %% 2 ? 0.02 : -0.02); if (++i < %d) requestAnimationFrame(f); else window.panned = true }; f(); return 1 })(saturateTimeline)`, frames))
			m.wait(`window.panned`)
			t.Logf("%g of the trace, %s: %.1f ms of CPU time a frame, %s draws, %s rectangles", part, way.name, (browserCPU()-before).Seconds()*1e3/frames,
				m.text(`saturateTimeline.over.dataset.draws`), m.text(`[...saturateTimeline.groups.values()].reduce((n, g) => n + g.drawn.n, 0)`))
		}
	}
}
