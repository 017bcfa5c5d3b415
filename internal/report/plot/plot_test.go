package plot

import (
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"saturate/internal/human"
)

var update = flag.Bool("update", false, "write the golden files anew")

// drawing is what every plot of this package can do.
type drawing interface {
	Title() string
	SVG() string
	Draw(width int) string
	Text() string
	Lines(width int) []string
}

func noise(seed uint64, n int, median, spread float64) []float64 {
	random := rand.New(rand.NewPCG(seed, 11))
	values := make([]float64, n)
	for i := range values {
		values[i] = median * (1 + spread*random.NormFloat64())
	}
	return values
}

func samples() map[string]drawing {
	before, after := noise(1, 60, 1.42, 0.03), noise(2, 40, 0.61, 0.05)
	return map[string]drawing{
		"strip": Strip{
			Heading: "Every step", Axis: "time per step", Unit: "s", Noun: "step", Confidence: 0.95,
			Series: []Series{{Name: "before", Values: before, Low: 1.41, High: 1.43}, {Name: "after", Values: after, Low: 0.6, High: 0.62}},
		},
		"strip-outliers": Strip{
			Heading: "A slow start", Axis: "time per step", Unit: "s", Noun: "step",
			Series: []Series{{Name: "run", Values: append([]float64{31.4, 4.2, math.NaN()}, after...)}},
		},
		"trend": Trend{
			Heading: "Steps", Axis: "time per step", Unit: "s", Noun: "step", First: 10,
			Series: []Series{{Name: "before", Values: append([]float64{9, math.NaN()}, before...)}, {Name: "after", Values: after}},
			Bands:  []Band{{Name: "warm-up", From: 10, To: 12}},
		},
		"flame": Flame{
			Heading: "Which calls the time goes to", Remark: "Wider is longer.",
			Calls: []Call{
				{Name: "waiting for data", Share: 0.66, Calls: []Call{
					{Name: "torch.utils.data.dataloader.__next__", Note: "torch/utils/data/dataloader.py:733", Share: 0.65, Foreign: true, Calls: []Call{
						{Name: "collate", Note: "collate.py:30", Share: 0.6, Calls: []Call{{Name: "BPE.encode", Note: "collate.py:14", Share: 0.47}}},
						{Name: "<&'\">", Note: "evil.py:1", Share: 0.04},
					}},
				}},
				{Name: "forward", Share: 0.3},
				{Name: "other", Share: 0.03, Calls: []Call{{Name: "more than its caller", Share: 0.5}, {Name: "none", Share: math.NaN()}}},
			},
		},
		"flame-empty": Flame{Heading: "Nothing"},
		"stack": Stack{
			Heading: "Where a step goes", Axis: "time per step", Unit: "s",
			Bars: []Bar{
				{"before", []Part{{"data", 0.866}, {"h2d", 0.021}, {"forward", 0.176}, {"backward", 0.284}, {"optimizer", 0.052}, {"other", 0.021}}},
				{"after", []Part{{"data", 0.055}, {"h2d", 0.006}, {"forward", 0.181}, {"backward", 0.297}, {"optimizer", 0.056}, {"evaluation", math.NaN()}}},
			},
		},
		"histogram": Histogram{Heading: "Step times", Axis: "time per step", Unit: "s", Noun: "step", Values: noise(4, 500, 0.012, 0.1)},
		"histogram-log": Histogram{
			Heading: "Gaps", Axis: "length of a gap", Unit: "s", Noun: "gap", Log: true,
			Values: []float64{0, 1e-6, 3e-6, 4e-5, 5e-5, 6e-5, 2e-4, 0.3},
		},
		"curves": Curves{
			Heading: "Time against length", X: Axis{Name: "sequence", Ticks: []float64{512, 1024, 2048}}, Y: Axis{Name: "time of a call", Unit: "s"},
			Curves: []Curve{
				{Name: "torch bf16, level 0", Points: []Point{{512, 0.0012, "1.2 ms"}, {1024, 0.0049, "4.9 ms"}, {2048, 0.0203, "20.3 ms"}}},
				{Name: "torch bf16, level 3", Points: []Point{{512, 0.0004, ""}, {1024, 0.0011, ""}, {2048, math.NaN(), ""}}},
			},
		},
		"curves-roof": Curves{
			Heading: "Roofline", X: Axis{Name: "FLOP a byte"}, Y: Axis{Name: "speed", Unit: "FLOP/s"},
			Curves: []Curve{
				{Name: "measured roof", Kind: Limit, Points: []Point{{1, 4e12, ""}, {180, 7.2e14, ""}, {1000, 7.2e14, ""}}},
				{Name: "the maker's", Kind: Claim, Points: []Point{{1, 4.8e12, ""}, {206, 9.89e14, ""}, {1000, 9.89e14, ""}}},
				{Name: "Softmax", Kind: Spots, Points: []Point{{1.25, 3.9e12, "Softmax, 78% of the roof"}}},
				{Name: "QKV projection", Kind: Spots, Points: []Point{{341, 6.1e14, "QKV projection"}}},
			},
		},
		"waterfall": Waterfall{
			Heading: "What each repair saves", Axis: "time per step", Unit: "s", From: "before", To: "after", Start: 1.42,
			Changes: []Change{
				{Name: "offline features", Delta: -0.61, Note: "−0.63…−0.59 s"},
				{Name: "bf16", Delta: 0.08, Note: "slower", Dropped: true},
				{Name: "a repair with a name so long that it cannot stand beside its figures on one line of a narrow drawing", Delta: -0.2},
				{Name: "unmeasured", Delta: math.NaN()},
			},
		},
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got); run with -update and look at the change\n%s", path, diff)
	}
}

func TestGolden(t *testing.T) {
	for name, p := range samples() {
		t.Run(name, func(t *testing.T) {
			// One element a line, so that a change can be read.
			golden(t, name+".svg", strings.ReplaceAll(p.SVG(), "><", ">\n<")+"\n")
			golden(t, name+".txt", strings.Join(p.Lines(80), "\n")+"\n\n"+p.Text()+"\n")
		})
	}
}

// odd are values that a measurement may hand over.
func odd() map[string][]float64 {
	return map[string][]float64{
		"none": nil, "one": {0.5}, "two": {1, 2}, "zeros": {0, 0, 0}, "equal": {3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3},
		"no number": {math.NaN()}, "some no number": {1, math.NaN(), 2, math.Inf(1), math.Inf(-1)}, "negative": {-3, -1, -2}, "mixed": {-1, 1},
		"huge": {1e300, -1e300, math.MaxFloat64}, "tiny": {1e-300, 2e-300, 5e-324}, "nearly equal": {1, 1 + 1e-15, 1 + 2e-15},
		"far out":     append(noise(6, 50, 1, 0.01), 1e12),
		"mostly zero": {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1},
	}
}

func TestOddValues(t *testing.T) {
	for name, values := range odd() {
		start, parts, changes, points := 1.0, []Part{}, []Change{}, []Point{}
		if len(values) > 0 {
			start = values[0]
		}
		for i, v := range values[:min(len(values), 100)] {
			parts = append(parts, Part{fmt.Sprint("part ", i), v})
			changes = append(changes, Change{Name: fmt.Sprint("change ", i), Delta: v})
			points = append(points, Point{v, v, name}, Point{1, v, name})
		}
		for _, p := range []drawing{
			Strip{Unit: "s", Series: []Series{{Name: name, Values: values}, {Name: "other", Values: []float64{1}}}},
			Strip{Unit: "s", Series: []Series{{Name: name, Values: values, Low: -1, High: 1}}},
			Trend{Unit: "s", Series: []Series{{Name: name, Values: values}}, Bands: []Band{{"b", -5, 1 << 40}}},
			Stack{Unit: "s", Bars: []Bar{{name, parts}, {"empty", nil}}},
			Histogram{Unit: "s", Values: values},
			Histogram{Unit: "s", Values: values, Log: true},
			Curves{Y: Axis{Unit: "s"}, Curves: []Curve{{Name: name, Points: points}, {Name: "spots", Kind: Spots, Points: points}, {Name: "limit", Kind: Limit}}},
			Waterfall{Unit: "s", Start: start, Changes: changes},
			Strip{},
			Curves{},
			Trend{},
			Stack{},
			Histogram{},
			Waterfall{},
			Waterfall{Start: math.NaN()},
		} {
			t.Run(fmt.Sprintf("%T/%s", p, name), func(t *testing.T) {
				checkSVG(t, p.Draw(340))
				if text := p.Text(); text == "" || strings.Contains(text, "\n") {
					t.Errorf("Text() = %q", text)
				}
				for _, l := range p.Lines(60) {
					if strings.Contains(l, "\n") || strings.Contains(l, "NaN") {
						t.Errorf("line %q", l)
					}
				}
			})
		}
	}
}

func checkSVG(t *testing.T, svg string) {
	t.Helper()
	if len(svg) > 120_000 {
		t.Errorf("%d bytes", len(svg))
	}
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("%v in %.500s", err, svg)
		}
		if e, ok := token.(xml.StartElement); ok {
			for _, a := range e.Attr {
				if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") || strings.Contains(a.Value, "e+") {
					t.Errorf("%s: %s=%q", e.Name.Local, a.Name.Local, a.Value)
				}
				if a.Name.Local == "width" || a.Name.Local == "height" {
					if v, err := strconv.ParseFloat(a.Value, 64); err != nil || v < 0 {
						t.Errorf("%s: %s=%q", e.Name.Local, a.Name.Local, a.Value)
					}
				}
			}
		}
	}
}

func TestThinningIsSaid(t *testing.T) {
	values := noise(5, 1_000_000, 0.5, 0.1)
	values[123_456] = 7
	series := []Series{{Name: "a", Values: values}}
	for _, p := range []drawing{Strip{Noun: "step", Series: series}, Trend{Noun: "step", Series: series}} {
		svg := p.SVG()
		checkSVG(t, svg)
		if !strings.Contains(svg, "of 1,000,000 steps drawn") {
			t.Errorf("%T does not say that it is thinned", p)
		}
	}
	checkSVG(t, Histogram{Values: values}.SVG())
	kept := thinExtremes(values, 700)
	spike := false
	for _, i := range kept {
		spike = spike || values[i] == 7
	}
	if !spike {
		t.Error("thinning lost the largest value")
	}
	sorted, _ := sortedFinite(values)
	thin := thinRanks(sorted, 1500)
	if thin[0] != sorted[0] || thin[len(thin)-1] != 7 || math.Abs(median(thin)-median(sorted)) > 1e-3 {
		t.Error("thinning changed the distribution")
	}
}

// box is about the room that a text takes.
type box struct {
	text                     string
	left, right, top, bottom float64
}

// boxes reads the texts out of a drawing.
func boxes(t *testing.T, svg string) (all []box, width, height float64) {
	t.Helper()
	var doc struct {
		Width  float64 `xml:"width,attr"`
		Height float64 `xml:"height,attr"`
		Texts  []struct {
			X      float64 `xml:"x,attr"`
			Y      float64 `xml:"y,attr"`
			Size   float64 `xml:"font-size,attr"`
			Anchor string  `xml:"text-anchor,attr"`
			Text   string  `xml:",chardata"`
			Span   string  `xml:"tspan"`
		} `xml:"text"`
	}
	if err := xml.Unmarshal([]byte(svg), &doc); err != nil {
		t.Fatal(err)
	}
	for _, e := range doc.Texts {
		// Common sans-serif fonts take about half their size for a character; the widest about 0.6.
		w := float64(human.Width(e.Text)) * e.Size * 0.58
		if e.Span != "" {
			w += 10 + float64(human.Width(e.Span))*smallFont*0.58
		}
		b := box{e.Text + e.Span, e.X, e.X + w, e.Y - 0.75*e.Size, e.Y + 0.2*e.Size}
		switch e.Anchor {
		case middle:
			b.left, b.right = e.X-w/2, e.X+w/2
		case end:
			b.left, b.right = e.X-w, e.X
		}
		all = append(all, b)
	}
	return all, doc.Width, doc.Height
}

func TestLabelsDoNotOverlap(t *testing.T) {
	for name, p := range samples() {
		for _, width := range []int{340, 720, 800} {
			all, w, h := boxes(t, p.Draw(width))
			for i, a := range all {
				if a.left < -1 || a.right > w+1 || a.top < -1 || a.bottom > h+1 {
					t.Errorf("%s at %d: %q leaves the drawing: %+v", name, width, a.text, a)
				}
				for _, b := range all[:i] {
					if a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom {
						t.Errorf("%s at %d: %q and %q overlap", name, width, a.text, b.text)
					}
				}
			}
		}
	}
}

func TestTicks(t *testing.T) {
	for _, test := range []struct {
		unit   string
		lo, hi float64
		want   string
	}{
		{"s", 0, 1.42, "0.0 0.5 1.0 1.5 s"},
		{"s", 0, 0.0031, "0 1 2 3 4 ms"},
		{"s", 0.0101, 0.0108, "10.0 10.2 10.4 10.6 10.8 ms"},
		{"B", 0, 9.8e9, "0 5 10 GB"},
		{"", 0, 3, "0 1 2 3"},
		{"", 0, 80_000, "0 20,000 40,000 60,000 80,000"},
		{"s", -0.5, 0.5, "−500 0 500 ms"},
		{"s", 5, 5, "0 2 4 6 8 s"},
	} {
		s := newScale(test.unit, test.lo, test.hi, 0, 100, 3)
		var got []string
		for _, v := range s.ticks {
			got = append(got, s.label(v))
		}
		if s.unit.Unit != "" {
			got = append(got, s.unit.Unit)
		}
		if g := strings.Join(got, " "); g != test.want {
			t.Errorf("%g…%g %s: %s, want %s", test.lo, test.hi, test.unit, g, test.want)
		}
		if s.at(s.lo) != 0 || s.at(s.hi) != 100 {
			t.Errorf("%g…%g: the ends lie at %g and %g", test.lo, test.hi, s.at(s.lo), s.at(s.hi))
		}
	}
}
