package web

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// press types a key as a keyboard does: the text follows only where the page lets it.
func (b *browser) press(p input.DispatchKeyEventParams) {
	b.t.Helper()
	b.do("press "+p.Key, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		p.Type = "keyDown"
		if _, err := cdp.Call(ctx, t, input.DispatchKeyEvent, p); err != nil {
			return err
		}
		p.Type, p.Text, p.Commands = "keyUp", "", nil
		_, err := cdp.Call(ctx, t, input.DispatchKeyEvent, p)
		return err
	}))
}

// TestTimelineKeys searches, marks and fits with the keyboard, and copies a table.
func TestTimelineKeys(t *testing.T) {
	b := openBrowser(t, Options{Traces: []string{filepath.Join("..", "..", "testdata", "traces", "fixed.pt.trace.json.gz")}})
	b.do("open the trace", chromedp.Click(`#table-traces a`), chromedp.WaitVisible(`.verdict`))
	b.do("its timeline", chromedp.Click(`//nav//a[contains(., "Timeline")]`), chromedp.WaitVisible(`.canvas canvas[tabindex]`))
	b.settled()

	b.press(input.DispatchKeyEventParams{Key: "/", Code: "Slash", Text: "/", WindowsVirtualKeyCode: 191})
	if got := b.text(`document.activeElement.placeholder + '|' + document.activeElement.value`); got != "Find  /|" {
		t.Errorf("/ leads to %q", got)
	}
	b.do("a name that nothing has", chromedp.SendKeys(`.bar input`, "nosuchname"), chromedp.WaitVisible(`//p[contains(., "No name matches")]`))
	b.text(`(i => { i.value = 'gemm'; i.dispatchEvent(new Event('input', {bubbles: true})) })(document.querySelector('.bar input'))`)
	b.do("another name", chromedp.WaitVisible(`#table-found tbody tr`), chromedp.Click(`#table-found tbody button`), chromedp.WaitVisible(`.drawer .detail`))

	b.text(`document.activeElement.blur()`)
	m := input.DispatchKeyEventParams{Key: "m", Code: "KeyM", Text: "m", WindowsVirtualKeyCode: 77}
	b.press(m)
	b.do("mark the event", chromedp.WaitVisible(`#table-sel tbody tr`))
	b.await(`((v, q) => v.selected && Math.round(v.range[0]) === v.selected.start_ns && q.has('select') && !q.has('event'))(saturateTimeline, new URLSearchParams(location.search))`)
	b.press(input.DispatchKeyEventParams{Key: "f", Code: "KeyF", Text: "f", WindowsVirtualKeyCode: 70})
	b.await(`(v => v.to - v.from < 1.2 * (v.range[1] - v.range[0]) && v.from < v.range[0] && v.to > v.range[1])(saturateTimeline)`)

	b.do("copy", chromedp.Click(`#table-sel .tools button`), chromedp.WaitVisible(`//div[@id="table-sel"]//button[text()="Copied"]`))
	b.text(`(i => { i.id = 'pasted'; document.querySelector('.drawer').append(i); i.focus() })(document.createElement('textarea'))`)
	b.press(input.DispatchKeyEventParams{Key: "v", Code: "KeyV", Modifiers: 2, WindowsVirtualKeyCode: 86, Commands: []string{"paste"}})
	rows := strings.Split(b.text(`document.getElementById('pasted').value`), "\n")
	if len(rows) < 4 || rows[0] != "Where,Name,Time,Count,Longest" || strings.Count(rows[1], ",") < 4 {
		t.Errorf("the copied table is %q", rows)
	}
	b.text(`navigator.clipboard.writeText = () => Promise.reject(new Error('refused'))`)
	b.await(`document.querySelector('#table-sel .tools button').innerText === 'Copy CSV'`)
	b.do("copy where the clipboard is refused", chromedp.Click(`#table-sel .tools button`), chromedp.WaitVisible(`//div[@id="table-sel"]//button[text()="Saved sel.csv"]`))

	b.do("choose an event of the range", chromedp.Click(`#table-sel tbody button`), chromedp.WaitVisible(`.drawer .detail`))
	b.await(`((v, q) => !v.range && !q.has('select') && q.has('event'))(saturateTimeline, new URLSearchParams(location.search))`)
}

// TestTraceWithoutGPU opens a trace of a program that ran on the CPU: each pane has something to say.
func TestTraceWithoutGPU(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cpu.pt.trace.json")
	trace := `{"schemaVersion": 1, "traceEvents": [
{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 7, "tid": 7, "ts": 0, "dur": 1000},
{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#2", "pid": 7, "tid": 7, "ts": 1000, "dur": 1000},
{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 7, "tid": 7, "ts": 100, "dur": 300},
{"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 7, "tid": 7, "ts": 500, "dur": 100},
{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 7, "tid": 7, "ts": 1100, "dur": 400}
]}`
	if err := os.WriteFile(path, []byte(trace), 0o644); err != nil {
		t.Fatal(err)
	}
	b := openBrowser(t, Options{Traces: []string{path}})
	b.do("open the trace", chromedp.Click(`#table-traces a`), chromedp.WaitVisible(`.verdict.unsure`))
	b.shot("cpu-overview")
	if got := b.text(`[...document.querySelectorAll('#table-operators tr')].map(r => [...r.children].map(c => c.innerText.trim()).slice(0, 2).join(' ')).join('; ')`); got != "Operator Host self ▼; aten::mm 700 µs; aten::add 100 µs" {
		t.Errorf("the overview lists %q", got)
	}
	id := b.text(`location.pathname.split('/')[2]`)
	for pane, want := range map[string]string{
		"steps": "no GPU work", "kernels": "no GPU work", "copies": "No copies", "communication": "no collectives", "memory": "profile_memory=True", "findings": "No findings",
	} {
		b.do(pane, chromedp.Navigate(b.server.base+"/trace/"+id+"/"+pane), chromedp.WaitVisible(`main h1`))
		if got := b.text(`document.querySelector('main').innerText`); !strings.Contains(got, want) {
			t.Errorf("%s does not say %q: %s", pane, want, got)
		}
	}
}
