package web

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	cdpruntime "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"saturate/internal/analyze"
	"saturate/internal/device"
	"saturate/internal/progress"
	"saturate/internal/report"
	"saturate/internal/run"
	"saturate/internal/trace/open"
	"saturate/internal/view"
)

// browser is one tab of a real Chromium on a real server.
type browser struct {
	t      *testing.T
	ctx    context.Context
	server *Server
	file   string // another page that the test opens
	shots  string // where screenshots go; empty without
}

// started is the browser that all tests share, each in a tab of its own; servers have different ports, so nothing else
// is shared.
var started struct {
	once sync.Once
	ctx  context.Context
	err  error
	end  []func()
}

func chromium(t *testing.T, path string) context.Context {
	t.Helper()
	started.once.Do(func() {
		allocator, endAllocator := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:],
			chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.Flag("headless", "new"), chromedp.Flag("disable-background-networking", true),
			chromedp.Flag("disable-component-update", true), chromedp.Flag("use-angle", "swiftshader"), chromedp.Flag("enable-unsafe-swiftshader", true),
			chromedp.Flag("disable-gpu", false), chromedp.Flag("hide-scrollbars", true), chromedp.WindowSize(1440, 900))...)
		ctx, endBrowser := chromedp.NewContext(allocator)
		started.ctx, started.end = ctx, []func(){endBrowser, endAllocator}
		started.err = chromedp.Do(ctx)
	})
	if started.err != nil {
		t.Fatal(started.err)
	}
	return started.ctx
}

func TestMain(m *testing.M) {
	code := m.Run()
	for _, end := range started.end {
		end()
	}
	os.Exit(code)
}

// openBrowser serves a library and opens it by its link. It skips where there is no Chromium.
func openBrowser(t *testing.T, opt Options) *browser {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a browser")
	}
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no chromium on this machine")
	}
	server, stop := (&browser{t: t}).serve(opt)
	tab, endTab := chromedp.NewContext(chromium(t, path))
	b := &browser{t: t, ctx: tab, server: server, shots: os.Getenv("SATURATE_SHOTS")}
	t.Cleanup(func() {
		endTab()
		stop()
	})
	b.do("start")
	b.watch()
	if b.shots == "" {
		b.size(1000, 700, "light") // drawn in software: a small window is faster
	}
	b.do("open", chromedp.Navigate(server.Link("/")), chromedp.WaitVisible("main h1"))
	return b
}

// serve serves a library until stop is called.
func (b *browser) serve(opt Options) (*Server, func()) {
	b.t.Helper()
	opt.Show = func(runs []run.Run) (report.Report, error) { return view.OfRuns(runs), nil }
	opt.Compare = view.CompareRuns
	opt.CompareTraces = func(ctx context.Context, before, after []string) (report.Report, error) {
		var sides [2]analyze.Analysis
		for i, paths := range [][]string{before, after} {
			traces, err := open.Read(ctx, paths, open.Options{})
			if err != nil {
				return report.Report{}, err
			}
			if sides[i], err = analyze.Everything(ctx, traces, analyze.All); err != nil {
				return report.Report{}, err
			}
		}
		return view.CompareTraces(analyze.Compare(sides[0], sides[1])), nil
	}
	if opt.Cache == "" {
		opt.Cache = b.t.TempDir()
	}
	library, err := NewLibrary(opt)
	if err != nil {
		b.t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.t.Fatal(err)
	}
	server, err := New(library, listener)
	if err != nil {
		b.t.Fatal(err)
	}
	serving, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- server.Serve(serving, listener) }()
	return server, func() {
		stop()
		if err := <-done; err != nil {
			b.t.Error(err)
		}
		library.Close()
	}
}

type step = chromedp.Action[chromedp.Void]

// watch fails the test when the page throws, or asks another server for something.
func (b *browser) watch() {
	go func() {
		for e, err := range chromedp.Events(b.ctx, cdpruntime.ExceptionThrown) {
			if err != nil {
				return
			}
			b.t.Errorf("the page threw: %+v", e.ExceptionDetails)
		}
	}()
	go func() {
		for e, err := range chromedp.Events(b.ctx, network.RequestWillBeSent) {
			if err != nil {
				return
			}
			if !strings.HasPrefix(e.Request.URL, b.server.base) && (b.file == "" || !strings.HasPrefix(e.Request.URL, b.file)) && !strings.HasPrefix(e.Request.URL, "data:") {
				b.t.Errorf("a request leaves the page: %s", e.Request.URL)
			}
		}
	}()
}

// do runs actions, or ends the test with what the page shows.
func (b *browser) do(what string, actions ...step) {
	b.t.Helper()
	limited, end := b.ctx, func() {}
	if len(actions) > 0 { // the first call starts the browser, which ends with its context
		limited, end = context.WithTimeout(b.ctx, 20*time.Second)
	}
	defer end()
	if err := chromedp.Do(limited, actions...); err != nil {
		late, end := context.WithTimeout(b.ctx, 2*time.Second)
		defer end()
		text, _ := chromedp.Run(late, chromedp.Evaluate[string](`location.href + '\n' + document.body.innerText.slice(0, 1500)`))
		b.t.Fatalf("%s: %v\n%s", what, err, text)
	}
}

// text is what an expression gives.
func (b *browser) text(expression string) (out string) {
	b.t.Helper()
	limited, end := context.WithTimeout(b.ctx, 20*time.Second)
	defer end()
	out, err := chromedp.Run(limited, chromedp.Evaluate[string]("Promise.resolve("+expression+").then(String)", chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return out
}

// await waits until an expression is true.
func (b *browser) await(expression string) {
	b.t.Helper()
	b.do("wait for "+expression, chromedp.Poll[chromedp.Void](expression, chromedp.WithPollingInterval(30*time.Millisecond)))
}

// size sets the window and the color scheme.
func (b *browser) size(width, height int64, scheme string) {
	b.t.Helper()
	b.do("resize", chromedp.EmulateViewport(width, height), chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		return err
	}))
}

// shot keeps a picture of the window, where somebody wants to look at it.
func (b *browser) shot(name string) {
	b.t.Helper()
	if b.shots == "" {
		return
	}
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(b.shots, name+".png"), png, 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// settled waits until the timeline has all its tiles.
func (b *browser) settled() {
	b.t.Helper()
	b.await(`document.querySelector('.canvas canvas[tabindex]')?.dataset.pending === '0'`)
	b.text(`new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))`)
}

// TestTraceInBrowser opens a trace and uses it as a person would.
func TestTraceInBrowser(t *testing.T) {
	b := openBrowser(t, Options{Traces: []string{filepath.Join("..", "..", "testdata", "traces", "starved.pt.trace.json.gz")}})
	if got := b.text(`location.hash + document.cookie`); got != "" {
		t.Errorf("the token or the session is in reach of scripts: %q", got)
	}
	b.shot("home")
	b.do("open the trace", chromedp.Click(`#table-traces a`), chromedp.WaitVisible(`.verdict`))
	b.shot("overview")

	b.do("kernels", chromedp.Click(`//nav//a[contains(., "Kernels")]`), chromedp.WaitVisible(`#table-kernels`))
	b.shot("kernels")
	first := `document.querySelector('#table-kernels tbody tr td').innerText`
	byTotal := b.text(first)
	b.do("sort by count", chromedp.Click(`//th//button[contains(., "Count")]`))
	b.await(`document.querySelector('th[aria-sort=descending]')?.innerText.startsWith('Count')`)
	counts := b.text(`[...document.querySelectorAll('#table-kernels tbody tr')].map(r => Number(r.children[3].innerText.replace(/,/g, ''))).every((v, i, l) => !i || l[i-1] >= v)`)
	if counts != "true" {
		t.Error("the kernels are not sorted by count")
	}
	if b.text(`location.search`) != "?kernels.sort=Count%3Adown" {
		t.Errorf("the order is not in the address: %s", b.text(`location.search`))
	}
	all := b.text(`document.querySelectorAll('#table-kernels tbody tr').length`)
	b.do("filter", chromedp.SendKeys(`#table-kernels input`, "gemm"))
	b.await(`document.querySelectorAll('#table-kernels tbody tr').length < ` + all)
	if got := b.text(`[...document.querySelectorAll('#table-kernels tbody tr')].every(r => r.innerText.toLowerCase().includes('gemm'))`); got != "true" {
		t.Error("the filter shows rows without the word")
	}
	_ = byTotal

	b.do("steps", chromedp.Click(`//nav//a[contains(., "Steps")]`), chromedp.WaitVisible(`#table-steps tbody a`))
	b.shot("steps")
	b.do("follow a link to a step", chromedp.Click(`#table-steps tbody tr:nth-child(2) a`), chromedp.WaitVisible(`.canvas canvas[tabindex]`))
	b.settled()
	b.shot("timeline-step")
	if b.text(`saturateTimeline.placed.length > 3`) != "true" {
		t.Error("the timeline has no tracks")
	}
	before := b.text(`document.querySelector('.canvas canvas[tabindex]').dataset.to - document.querySelector('.canvas canvas[tabindex]').dataset.from`)
	b.text(`dispatchEvent(new KeyboardEvent('keydown', {code: 'KeyW', key: 'w', bubbles: true}))`)
	b.await(`(d => d.to - d.from < ` + before + ` / 3)(document.querySelector('.canvas canvas[tabindex]').dataset)`)
	b.text(`dispatchEvent(new KeyboardEvent('keyup', {code: 'KeyW', key: 'w'}))`)
	b.settled()
	b.shot("timeline-zoomed")
	if b.text(`new URLSearchParams(location.search).has('from')`) != "true" {
		t.Error("the part in sight is not in the address")
	}
	b.text(`(async () => { const r = await fetch('/api/trace/' + location.pathname.split('/')[2], {headers: {'X-Saturate': localStorage['saturate-key']}}); window.longest = (await r.json()).kernels[0].name })()`)
	id := b.text(`location.pathname.split('/')[2]`)
	name := b.text(`encodeURIComponent(longest)`)
	b.do("its timeline", chromedp.Navigate(b.server.base+"/trace/"+id+"/timeline?find="+name), chromedp.WaitVisible(`.drawer .detail`))
	b.settled()
	b.shot("timeline-event")
	detail := b.text(`document.querySelector('.drawer').innerText`)
	for _, want := range []string{"Launched by", "Operator"} {
		if !strings.Contains(detail, want) {
			t.Errorf("the details of a kernel lack %q:\n%s", want, detail)
		}
	}
	b.do("all", chromedp.Click(`//button[text()="All"]`))
	b.settled()
	if got := b.text(`(v => v.over.dataset.draws <= v.placed.length && v.over.dataset.draws > 3)(saturateTimeline)`); got != "true" {
		t.Errorf("a frame is not one draw a track group: %s draws", b.text(`saturateTimeline.over.dataset.draws`))
	}
	if got := b.text(`(async v => { const before = v.uploads; v.pan(0.001); await new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r))); return v.uploads - before })(saturateTimeline)`); got != "0" {
		t.Errorf("panning a little uploads %s groups again", got)
	}
	b.shot("timeline-all")
	b.do("select a range", chromedp.MouseEvent(chromedp.MousePressed, 600, 300, chromedp.ButtonLeft), chromedp.MouseEvent(chromedp.MouseMoved, 700, 300, chromedp.ButtonLeft),
		chromedp.MouseEvent(chromedp.MouseMoved, 800, 300, chromedp.ButtonLeft), chromedp.MouseEvent(chromedp.MouseReleased, 800, 300, chromedp.ButtonLeft), chromedp.WaitVisible(`#table-sel tbody tr`))
	b.shot("timeline-range")
	for _, pane := range []string{"operators", "copies", "communication", "memory", "findings"} {
		b.do(pane, chromedp.Navigate(fmt.Sprintf("%s/trace/%s/%s", b.server.base, id, pane)), chromedp.WaitVisible(`main h1`))
		b.shot(pane)
	}
	for _, look := range []struct {
		name          string
		width, height int64
		scheme        string
	}{{"dark", 1440, 900, "dark"}, {"400", 400, 800, "light"}, {"400-dark", 400, 800, "dark"}, {"4k", 3840, 2160, "light"}} {
		panes := []string{"overview", "kernels", "timeline", "steps", "operators", "copies", "communication", "memory", "findings"}
		if b.shots == "" && look.name != "400" {
			continue // for people to look at; a large window takes seconds to draw in software
		}
		b.size(look.width, look.height, look.scheme)
		for _, pane := range panes {
			b.do(pane, chromedp.Navigate(fmt.Sprintf("%s/trace/%s/%s", b.server.base, id, pane)), chromedp.WaitVisible(`main h1`))
			if pane == "timeline" {
				b.settled()
			}
			if got := b.text(`document.documentElement.scrollWidth <= innerWidth`); got != "true" {
				t.Errorf("%s at %d px is wider than the window", pane, look.width)
			}
			b.shot(pane + "-" + look.name)
		}
	}
}

// TestRunsInBrowser watches a Run that is being made until it ends, and compares two.
func TestRunsInBrowser(t *testing.T) {
	root := t.TempDir()
	made := func(name string, data float64) run.Run {
		r, err := run.Create(root, name, run.Options{Command: []string{"python", "train.py"}})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 30 {
			if err := r.Step(liveStep(i, data)); err != nil {
				t.Fatal(err)
			}
		}
		done, err := r.Finish(0)
		if err != nil {
			t.Fatal(err)
		}
		return done
	}
	before := made("before", 0.30)
	note := "8 workers, <b>no</b> cache"
	if err := before.Label([]string{"baseline"}, nil, &note); err != nil {
		t.Fatal(err)
	}
	made("after", 0.02)
	r, err := run.Create(root, "live", run.Options{Command: []string{"python", "train.py"}})
	if err != nil {
		t.Fatal(err)
	}
	journal := &progress.Journal{Folder: t.TempDir(), Command: "mel"}
	task := (&progress.Display{Journal: journal}).Start("building", "files", 200)
	task.Set(50)
	b := openBrowser(t, Options{Folders: []string{root}, Live: []string{journal.Folder}, GPUs: func(context.Context) []device.GPUNow {
		return []device.GPUNow{{Index: 0, Name: "NVIDIA H200", Busy: 0.37, Used: 60 << 30, Memory: 140 << 30, Watts: 412}}
	}})
	b.await(`document.querySelectorAll('#table-runs tbody tr').length === 3`)
	b.await(`document.querySelector('.jobs')?.innerText.includes('50 of 200 files')`)
	b.await(`document.querySelector('.gpus')?.innerText.includes('busy 37%') && document.querySelector('.gpus').innerText.includes('60.0 GiB of 140 GiB')`)
	b.await(`document.querySelector('#table-runs').innerText.includes('8 workers, <b>no</b> cache')`)
	journal.Result(progress.Result{Name: "SAT201 more workers", Outcome: "kept", Before: 0.45, After: 0.21, Why: "2.1× faster in 3 pairs"})
	b.await(`document.querySelector('.ladder')?.innerText.includes('450 ms → 210 ms')`)
	journal.Result(progress.Result{Name: "SAT305 bfloat16", Outcome: "dropped", Before: 0.21, After: 0.22, Why: "slower"})
	b.await(`document.querySelectorAll('.ladder li').length === 2`)
	b.shot("runs")
	task.Done()
	journal.Close()
	b.await(`document.querySelector('.jobs .state')?.innerText === 'ended' && document.querySelectorAll('.ladder li').length === 2`)
	b.do("open the running one", chromedp.Click(`//a[text()="live"]`), chromedp.WaitVisible(`//p[contains(., "Waiting for the first step")]`))
	for i := range 12 {
		if err := r.Step(liveStep(i, 0.1)); err != nil {
			t.Fatal(err)
		}
	}
	b.await(`document.querySelector('.figures dd')?.innerText === '12'`)
	b.shot("live")
	for i := range 8 {
		if err := r.Step(liveStep(12+i, 0.1)); err != nil {
			t.Fatal(err)
		}
	}
	b.await(`document.querySelector('.figures dd')?.innerText === '20'`)
	if _, err := r.Finish(0); err != nil {
		t.Fatal(err)
	}
	b.await(`document.querySelector('.kicker .state')?.innerText === 'complete'`)
	b.shot("live-ended")

	b.do("back to the list", chromedp.Click(`.brand`), chromedp.WaitVisible(`#table-runs`))
	at := `document.querySelector('#table-runs').getBoundingClientRect().top + scrollY`
	place := b.text(at)
	b.do("choose two", chromedp.Click(`input[aria-label^="Compare before"]`), chromedp.WaitVisible(`//button[contains(., "Compare 1 run")]`))
	if moved := b.text(at); moved != place {
		t.Errorf("a choice moves the table from %s to %s", place, moved)
	}
	b.do("choose two", chromedp.Click(`input[aria-label^="Compare after"]`),
		chromedp.Click(`//button[contains(., "Compare 2 runs")]`), chromedp.WaitVisible(`#table-compared`))
	b.shot("compare")
	if got := b.text(`document.querySelector('#table-compared tbody').innerText.replace(/\s+/g, ' ')`); !strings.Contains(got, "before") || !strings.Contains(got, "×") {
		t.Errorf("the comparison shows %q", got)
	}
	if got := b.text(`document.querySelector('.inner').innerText`); !strings.Contains(got, "×") {
		t.Errorf("the comparison has no verdict: %q", got)
	}
	b.size(400, 800, "dark")
	b.shot("compare-400-dark")
	b.await(`document.documentElement.scrollWidth <= innerWidth`) // plots follow a moment later
}

// TestTracesSideBySide compares two traces from the list.
func TestTracesSideBySide(t *testing.T) {
	folder := filepath.Join("..", "..", "testdata", "traces")
	b := openBrowser(t, Options{Traces: []string{filepath.Join(folder, "starved.pt.trace.json.gz"), filepath.Join(folder, "fixed.pt.trace.json.gz")}})
	b.do("choose", chromedp.Click(`input[aria-label^="Compare starved"]`), chromedp.Click(`input[aria-label^="Compare fixed"]`),
		chromedp.Click(`//button[contains(., "Compare 2 traces")]`), chromedp.WaitVisible(`.inner .verdict`))
	b.shot("traces")
	shown := b.text(`document.querySelector('main').innerText`)
	for _, want := range []string{"before starved", "after fixed", "What a step is made of", "Kernels"} {
		if !strings.Contains(shown, want) {
			t.Errorf("the comparison lacks %q:\n%s", want, shown)
		}
	}
	b.do("swap", chromedp.Click(`//button[text()="Swap"]`))
	b.await(`document.querySelector('main')?.innerText.includes('before fixed')`)
}

func liveStep(i int, data float64) run.Step {
	loss := run.Number(2.5 - float64(i)*0.01)
	wobble := float64(i%5) * 0.002
	return run.Step{Index: i, Seconds: 0.15 + data + wobble, Samples: 8, Loss: &loss, Parts: []run.Part{
		{Name: "data", Seconds: data + wobble}, {Name: "forward", Seconds: 0.05}, {Name: "backward", Seconds: 0.08}, {Name: "optimizer", Seconds: 0.01},
	}}
}
