package plot

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// palettes reads the light and the dark palette and page colours out of plot.css.
func palettes(t *testing.T) map[string]map[string]string {
	t.Helper()
	light, rest, ok := strings.Cut(CSS, "@media (prefers-color-scheme: dark)")
	dark, printed, ok2 := strings.Cut(rest, "@media print")
	if !ok || !ok2 {
		t.Fatal("plot.css has lost a palette")
	}
	printed, _, _ = strings.Cut(printed, ".plot")
	out := map[string]map[string]string{}
	for name, css := range map[string]string{"light": light, "dark": dark, "print": printed} {
		out[name] = map[string]string{}
		for _, m := range regexp.MustCompile(`--plot-(\w+): (#\w+)`).FindAllStringSubmatch(css, -1) {
			out[name][m[1]] = m[2]
		}
	}
	return out
}

// linear are the three parts of a colour as light.
func linear(t *testing.T, hex string) (c [3]float64) {
	t.Helper()
	digits := hex[1:]
	if len(digits) == 3 {
		digits = strings.Repeat(digits[:1], 2) + strings.Repeat(digits[1:2], 2) + strings.Repeat(digits[2:], 2)
	}
	for i := range c {
		v, err := strconv.ParseUint(digits[2*i:2*i+2], 16, 8)
		if err != nil {
			t.Fatalf("%s is not a colour", hex)
		}
		f := float64(v) / 255
		if f <= 0.04045 {
			c[i] = f / 12.92
		} else {
			c[i] = math.Pow((f+0.055)/1.055, 2.4)
		}
	}
	return c
}

func luminance(c [3]float64) float64 { return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2] }

// contrast is WCAG's ratio.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(linear(t, a)), luminance(linear(t, b))
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// sights are how colours look to colour-blind people (Machado, Oliveira and Fernandes 2009, full severity).
var sights = map[string][3][3]float64{
	"normal": {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protan": {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deutan": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritan": {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

// lab places a colour where distances are about as large as they look (CIE 1976).
func lab(c [3]float64) [3]float64 {
	f := func(v float64) float64 {
		if v > 0.008856 {
			return math.Cbrt(v)
		}
		return 7.787*v + 16.0/116
	}
	x := f((0.4124*c[0] + 0.3576*c[1] + 0.1805*c[2]) / 0.95047)
	y := f(luminance(c))
	z := f((0.0193*c[0] + 0.1192*c[1] + 0.9505*c[2]) / 1.08883)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

func TestPaletteForColourBlindReaders(t *testing.T) {
	for name, colors := range palettes(t) {
		for sight, matrix := range sights {
			var seen [][3]float64
			for i := range len(fallback) {
				c := linear(t, colors[strconv.Itoa(i)])
				var s [3]float64
				for row := range matrix {
					s[row] = min(max(matrix[row][0]*c[0]+matrix[row][1]*c[1]+matrix[row][2]*c[2], 0), 1)
				}
				seen = append(seen, lab(s))
			}
			for i := range seen {
				for j := range i {
					distance := math.Hypot(math.Hypot(seen[i][0]-seen[j][0], seen[i][1]-seen[j][1]), seen[i][2]-seen[j][2])
					if distance < 18 {
						t.Errorf("%s, %s: colours %d and %d look alike (distance %.1f)", name, sight, j, i, distance)
					}
				}
			}
		}
	}
}

func TestContrast(t *testing.T) {
	all := palettes(t)
	for name, colors := range all {
		for i := range len(fallback) {
			if c := contrast(t, colors[strconv.Itoa(i)], colors["page"]); c < 3 {
				t.Errorf("%s: colour %d has contrast %.2f to the page", name, i, c)
			}
		}
		for _, ink := range []string{"ink", "soft"} {
			if c := contrast(t, colors[ink], colors["page"]); c < 4.5 {
				t.Errorf("%s: %s has contrast %.2f to the page", name, ink, c)
			}
		}
	}
	for i, want := range fallback {
		n := strconv.Itoa(i)
		if all["light"][n] != want || all["print"][n] != want {
			t.Errorf("colour %d: %s without a style sheet, %s on a light page, %s in print", i, want, all["light"][n], all["print"][n])
		}
	}
}
