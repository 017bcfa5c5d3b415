package view

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"saturate/internal/analyze"
	"saturate/internal/trace/open"
)

// TestWindow: whatever a trace's names are, the picture is whole, stays within its borders, and says why the GPU was
// idle.
func TestWindow(t *testing.T) {
	for _, name := range []string{"starved", "fixed"} {
		path := filepath.Join("..", "..", "testdata", "traces", name+".pt.trace.json.gz")
		traces, err := open.Read(context.Background(), []string{path}, open.Options{})
		if err != nil {
			t.Fatal(err)
		}
		a, err := analyze.Everything(context.Background(), traces, analyze.Options{Step: -1, Top: -1, Rank: -1})
		if err != nil {
			t.Fatal(err)
		}
		p := OfWindow(traces[0], a)
		svg := p.SVG()
		if len(svg) > 400<<10 || !bytes.Contains(svg, []byte("GPU 0 idle")) || !strings.Contains(p.Label, name) {
			t.Errorf("%s: %d bytes, %s", name, len(svg), p.Label)
		}
		for _, s := range p.Shapes {
			if s.X < 0 || s.X+s.W > float64(p.Width)+0.1 || s.Y < 0 || s.Y+s.H > float64(p.Height)+0.1 || s.W < 0 || s.H < 0 {
				t.Errorf("%s: %+v is outside", name, s)
			}
		}
	}
}
