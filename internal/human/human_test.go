package human

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestValue(t *testing.T) {
	for _, test := range []struct {
		value float64
		unit  string
		want  string
	}{
		{1.4249, "s", "1.42 s"},
		{0.6131, "s", "613 ms"},
		{0.0000124, "s", "12.4 µs"},
		{3e-9, "s", "3.00 ns"},
		{0.9999, "s", "1.00 s"},
		{59.94, "s/it", "59.9 s/it"},
		{0.0123, "s/it", "12.3 ms/it"},
		{5400, "s", "5,400 s"},
		{0, "s", "0 s"},
		{-0.5, "s", "−500 ms"},
		{math.NaN(), "s", "–"},
		{math.Inf(1), "s", "∞ s"},
		{math.Inf(-1), "s", "−∞ s"},
		{1e300, "s", "1.00e+300 s"},
		{1e-300, "s", "0.0000 ns"},
		{150754820096, "B", "151 GB"},
		{2.15e10, "B/s", "21.5 GB/s"},
		{999.6e9, "B", "1.00 TB"},
		{12, "B", "12 B"},
		{9.89e14, "FLOP/s", "989 TFLOP/s"},
		{26.13, "samples/s", "26.1 samples/s"},
		{12345.6, "samples/s", "12,346 samples/s"},
		{1204, "", "1,204"},
		{0.0012345, "", "0.0012"},
		{42, "%", "42%"},
	} {
		if got := Value(test.value, test.unit); got != test.want {
			t.Errorf("Value(%g, %q) = %q, want %q", test.value, test.unit, got, test.want)
		}
	}
}

func TestScaleWritesAlike(t *testing.T) {
	s := NewScale("s", 1.42, 0.6131, math.NaN(), 0)
	if a, b := s.Value(1.42), s.Value(0.6131); a != "1.420 s" || b != "0.613 s" {
		t.Errorf("%s and %s", a, b)
	}
}

func TestSharesAndRatios(t *testing.T) {
	for got, want := range map[string]string{
		Percent(0.57):                 "57%",
		Percent(0.0042):               "0.4%",
		Percent(0.00001):              "<0.1%",
		Percent(0):                    "0%",
		Percent(0.05):                 "5%",
		Percent(0.081):                "8.1%",
		Percent(0.997):                "99.7%",
		Percent(1):                    "100%",
		Percent(12.5):                 "1,250%",
		Percent(math.NaN()):           "–",
		Change(0.43):                  "−57.0%",
		Change(1.02):                  "+2.0%",
		Change(0.99999):               "+0.0%",
		Change(13):                    "+1,200.0%",
		Change(math.Inf(1)):           "–",
		Times(2.327):                  "2.33×",
		Times(23.27):                  "23.3×",
		Times(1234.5):                 "1,234×",
		Times(math.NaN()):             "–",
		Range(12.54, 20.93):           "12.5–20.9×",
		Range(1.001, 1.002):           "1.00–1.00×",
		Range(1, math.NaN()):          "–",
		Faster(1, 4):                  "up to 4× faster",
		Faster(1.05, 1.5):             "1.05–1.5× faster",
		Faster(1, 10):                 "up to 10× faster",
		Faster(1.25, 1.25):            "1.25× faster",
		Faster(2, 1200):               "2–1,200× faster",
		Plural(1, "step"):             "1 step",
		Plural(0, "batch", "batches"): "0 batches",
		Plural(1000000, "step"):       "1,000,000 steps",
		Bytes(int64(1520000000)):      "1.52 GB",
		Memory(int64(1520000000)):     "1.42 GiB",
		Memory(12):                    "12 B",
		Count(int64(1204331)):         "1,204,331",
		Count(-1234):                  "−1,234",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestWidth(t *testing.T) {
	for s, want := range map[string]int{
		"": 0, "abc": 3, "日本": 4, "ｗｉｄｅ": 8, "e\u0301": 1, "한국": 4, "שלום": 4, "🚀": 2, "█▁─×µ": 5, "a\u200bb": 2,
	} {
		if got := Width(s); got != want {
			t.Errorf("Width(%q) = %d, want %d", s, got, want)
		}
	}
	if got := PadRight("日本", 6) + "|" + PadLeft("é", 3) + "|" + PadLeft("long", 2); got != "日本  |  é|long" {
		t.Errorf("%q", got)
	}
}

func TestClip(t *testing.T) {
	for _, test := range []struct {
		s     string
		width int
		want  string
	}{{"short", 5, "short"}, {"longer", 5, "long…"}, {"日本語", 5, "日本…"}, {"日本語", 4, "日…"}, {"ab", 1, "…"}, {"ab", 0, ""}} {
		if got := Clip(test.s, test.width); got != test.want {
			t.Errorf("Clip(%q, %d) = %q, want %q", test.s, test.width, got, test.want)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, test := range []struct {
		s     string
		width int
		want  string
	}{
		{"one two three", 7, "one two|three"},
		{"one two three", 0, "one two three"},
		{"abcdefgh ij", 3, "abc|def|gh|ij"},
		{"日本語日本語", 4, "日本|語日|本語"},
		{"a\n\nb", 10, "a||b"},
		{"", 5, ""},
		{"日", 1, "日"},
	} {
		if got := strings.Join(Wrap(test.s, test.width), "|"); got != test.want {
			t.Errorf("Wrap(%q, %d) = %q, want %q", test.s, test.width, got, test.want)
		}
	}
}

func TestClean(t *testing.T) {
	for s, want := range map[string]string{
		"plain\ttext\n":     "plain\ttext\n",
		"\x1b[31m":          `\x1b[31m`,
		"a\x00b\x7fc\u0085": `a\x00b\x7fc\x85`,
		"evil\u202etxt":     `evil\u202etxt`,
		"\U000E0041":        `\U000e0041`,
		"\xff":              "\uFFFD",
		"dos\r\nline\rback": "dos\nline" + `\x0dback`,
		"two\u2028lines":    "two lines",
		"שלום, مرحبا, 日本, 👩‍💻": "שלום, مرحبا, 日本, 👩‍💻",
	} {
		if got := Clean(s); got != want {
			t.Errorf("Clean(%q) = %q, want %q", s, got, want)
		}
	}
	if got := Line("a\nb\tc\n\nd"); got != "a b c d" {
		t.Errorf("%q", got)
	}
}

// FuzzText holds what every renderer relies on: clean text stays clean, and no line is wider than asked.
func FuzzText(f *testing.F) {
	for _, s := range []string{"", "plain words", "\x1b[2J日本語 \xff\u202e", strings.Repeat("x", 50)} {
		f.Add(s, 10)
	}
	f.Fuzz(func(t *testing.T, s string, width int) {
		clean := Clean(s)
		if !utf8.ValidString(clean) || strings.ContainsFunc(clean, Hidden) || Clean(clean) != clean {
			t.Fatalf("Clean(%q) = %q", s, clean)
		}
		if width < 2 || width > 1000 {
			return
		}
		for _, l := range Wrap(clean, width) {
			if Width(l) > width {
				t.Fatalf("line %q of Wrap(%q, %d) is %d wide", l, s, width, Width(l))
			}
		}
		if c := Clip(clean, width); Width(c) > width {
			t.Fatalf("Clip(%q, %d) = %q", s, width, c)
		}
	})
}

func TestDuration(t *testing.T) {
	for seconds, want := range map[float64]string{0.84: "0.8 s", 89: "89.0 s", 678: "11.3 min", 5399: "90.0 min", 20160: "5.6 h"} {
		if got := Duration(seconds); got != want {
			t.Errorf("%g s: %q, want %q", seconds, got, want)
		}
	}
}

// TestClipWide: a character of two columns does not make a clipped string wider than asked.
func TestClipWide(t *testing.T) {
	for _, s := range []string{"誀0", "誀誀", "0誀誀", "a誀b"} {
		for width := range 5 {
			if got := Clip(s, width); Width(got) > width {
				t.Errorf("Clip(%q, %d) = %q, %d wide", s, width, got, Width(got))
			}
		}
	}
}
