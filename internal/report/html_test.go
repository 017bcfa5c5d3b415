package report

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"saturate/internal/report/plot"
)

// variables reads the colours of the light page, the dark page and the print.
func variables(css string) map[string]map[string]string {
	light, rest, _ := strings.Cut(css, "@media (prefers-color-scheme: dark)")
	dark, printed, _ := strings.Cut(rest, "@media print")
	printed, _, _ = strings.Cut(printed, "\n}\n")
	out := map[string]map[string]string{}
	for name, part := range map[string]string{"light": light, "dark": dark, "print": printed} {
		out[name] = map[string]string{}
		for _, m := range regexp.MustCompile(`--([\w-]+): #(\w+)`).FindAllStringSubmatch(part, -1) {
			if len(m[2]) == 3 {
				m[2] = regexp.MustCompile(".").ReplaceAllString(m[2], "$0$0")
			}
			out[name][m[1]] = m[2]
		}
	}
	return out
}

// luminance of a colour, as WCAG defines it.
func luminance(hex string) float64 {
	v, _ := strconv.ParseUint(hex, 16, 32)
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		c := float64(v>>(16-8*i)&0xff) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}

func TestPageContrast(t *testing.T) {
	plots := variables(plot.CSS)
	for name, colors := range variables(pageCSS) {
		for _, pair := range [][2]string{
			{"ink", "page"},
			{"soft", "page"},
			{"ink", "panel"},
			{"soft", "panel"},
			{"good", "page"},
			{"bad", "page"},
			{"unsure", "page"},
			{"accent", "page"},
			{"good", "panel"},
			{"bad", "panel"},
			{"accent", "panel"},
			{"ink", "good-panel"},
			{"ink", "bad-panel"},
			{"ink", "unsure-panel"},
			{"unsure", "unsure-panel"},
		} {
			a, b := luminance(colors[pair[0]]), luminance(colors[pair[1]])
			if colors[pair[0]] == "" || colors[pair[1]] == "" || (max(a, b)+0.05)/(min(a, b)+0.05) < 4.5 {
				t.Errorf("%s: %s on %s has too little contrast", name, pair[0], pair[1])
			}
		}
		if colors["page"] != plots[name]["plot-page"] {
			t.Errorf("%s: the page is #%s, but plots expect #%s", name, colors["page"], plots[name]["plot-page"])
		}
	}
}
