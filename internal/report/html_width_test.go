package report

import (
	"bytes"
	"context"
	"encoding/json"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// measured is how a browser shows a table: the edges of its frame, and how wide the frame and what is in it are.
type measured struct{ Left, Right, Frame, Content int }

const measuring = `<script>
const all = [...document.querySelectorAll(".scroll")].map(e => ({Left: Math.round(e.getBoundingClientRect().left),
  Right: Math.round(e.getBoundingClientRect().right), Frame: e.clientWidth, Content: e.scrollWidth}));
document.body.innerHTML = "<pre id=out></pre>"; document.getElementById("out").textContent = JSON.stringify(all);
</script></body>`

// browse shows a report in a window of that width.
func browse(t *testing.T, r Report, width string) (tables []measured) {
	t.Helper()
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("how wide a table is, a browser decides, and chromium is not installed")
	}
	var page bytes.Buffer
	if err := Render(&page, r, "html", Options{}); err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile(`<meta http-equiv="Content-Security-Policy"[^>]*>`).ReplaceAllString(page.String(), "")
	dir, err := os.MkdirTemp("", "page") // not the test's own: the browser may still write while it ends
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "page.html")
	if err := os.WriteFile(path, []byte(strings.Replace(shown, "</body>", measuring, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	dom, err := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars",
		"--user-data-dir="+dir, "--window-size="+width+",900", "--dump-dom", "file://"+path).Output()
	out := regexp.MustCompile(`(?s)<pre id="out">(.*?)</pre>`).FindSubmatch(dom)
	if err != nil || out == nil {
		t.Skipf("chromium does not run here: %v", err)
	}
	if err := json.Unmarshal([]byte(html.UnescapeString(string(out[1]))), &tables); err != nil {
		t.Fatal(err)
	}
	return tables
}

// A table hides no column that the window has room for, and stays inside the window.
func TestNoColumnHides(t *testing.T) {
	table := func(columns int, first, rest string) Block {
		b := Block{Heading: "Steps", Table: &Table{Columns: []Column{{Name: "run"}}, Rows: [][]string{{first}}}}
		for range columns - 1 {
			b.Table.Columns, b.Table.Rows[0] = append(b.Table.Columns, Column{Name: "mean ± sd", Right: true}), append(b.Table.Rows[0], rest)
		}
		return b
	}
	r := Report{Title: "Widths", Blocks: []Block{
		table(3, "short", "1"),                              // as wide as the column
		table(9, "examples.mnist_classifier", "12.4 ± 6.5"), // goes on to the right
		table(15, "go fp32 2×256×512, 8 heads", "14.82"),    // and to the left
		table(60, "too much for any window", "12.4 ± 6.5"),  // scrolls
	}}
	for _, width := range []struct {
		text   string
		pixels int
		fit    int // tables that hide nothing
	}{{"1280", 1280, 3}, {"800", 800, 1}} {
		tables := browse(t, r, width.text)
		if len(tables) != 4 {
			t.Fatalf("%d tables", len(tables))
		}
		for i, m := range tables {
			if hides := m.Content > m.Frame; hides == (i < width.fit) && (i < width.fit || i == 3) {
				t.Errorf("%s px, table %d: hides %v: %+v", width.text, i, hides, m)
			}
			if m.Left < 0 || m.Right > width.pixels {
				t.Errorf("%s px, table %d leaves the window: %+v", width.text, i, m)
			}
		}
		if tables[0].Left != tables[1].Left {
			t.Errorf("%s px: a table that needs the right side alone moves to the left: %+v", width.text, tables)
		}
	}
}

func TestLongHTML(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "train": "", "examples.mnist_classifier": "", "not shown": "",
		"faster in 2 of 2 pairs":               ` class="text"`,
		"runs/train/7a7a6350-36df-446b-a367-c": ` class="text long"`,
	} {
		if got := string(longHTML(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
