package bench

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// amount writes a number with the prefix that suits it: 34.4 GB, 989 TFLOP/s.
func amount(v float64, unit string) string {
	prefixes := []string{"", "k", "M", "G", "T", "P"}
	i := 0
	for math.Abs(v) >= 999.5 && i < len(prefixes)-1 {
		v, i = v/1000, i+1
	}
	return digits(v) + " " + prefixes[i] + unit
}

// digits keeps three that count.
func digits(v float64) string {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	decimals := max(0, 2-int(math.Floor(math.Log10(math.Abs(v)))))
	return strconv.FormatFloat(v, 'f', min(decimals, 6), 64)
}

// duration writes a time given in milliseconds.
func duration(ms float64) string {
	switch {
	case ms >= 1000:
		return digits(ms/1000) + " s"
	case ms >= 0.1:
		return digits(ms) + " ms"
	}
	return digits(1000*ms) + " µs"
}

func percent(share float64) string {
	if share != 0 && math.Abs(share) < 0.0995 {
		return fmt.Sprintf("%.1f%%", 100*share)
	}
	return fmt.Sprintf("%.0f%%", 100*share)
}

func times(ratio float64) string { return digits(ratio) + "×" }

// inBrackets adds names behind a sentence: " (heat, power brake)".
func inBrackets(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return " (" + strings.Join(names, ", ") + ")"
}
