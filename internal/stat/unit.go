package stat

import (
	"math"
	"strconv"
	"strings"

	"golang.org/x/perf/benchunit"
)

// Better tells which way a unit improves: +1 when more is better (samples/s), -1 when
// less is (s/it, B), 0 when the unit does not tell.
func Better(unit string) int {
	top, bottom, _ := strings.Cut(unit, "/")
	switch {
	case bottom == "s" || bottom == "sec":
		return 1
	case isTime(unit) || top == "B":
		return -1
	}
	return 0
}

// Format writes a value with its unit for a reader: 0.0123 s/it becomes "12.30 ms/it",
// bytes get binary prefixes, anything else four significant digits.
func Format(value float64, unit string) string {
	top, bottom, rate := strings.Cut(unit, "/")
	if rate {
		bottom = "/" + bottom
	}
	switch {
	case !isFinite(value):
		return strings.TrimSpace(strconv.FormatFloat(value, 'g', -1, 64) + " " + unit)
	case value != 0 && (isTime(unit) && math.Abs(value) < 1000 || top == "B"):
		scaled := benchunit.Scale(value, benchunit.ClassOf(top))
		digits := strings.TrimRight(scaled, "numkKMGTiµ")
		return digits + " " + scaled[len(digits):] + top + bottom
	case math.Abs(value) >= 1000:
		return strings.TrimSpace(strconv.FormatFloat(value, 'f', 0, 64) + " " + unit)
	default:
		return strings.TrimSpace(strconv.FormatFloat(value, 'g', 4, 64) + " " + unit)
	}
}

// isTime reports whether the unit measures time: s, or s per something.
func isTime(unit string) bool {
	top, _, _ := strings.Cut(unit, "/")
	return top == "s" || top == "sec"
}
