package analyze

import (
	"strconv"

	"saturate/internal/spell"
)

// seconds writes a time to three digits: "1.48 s", "913 µs".
func seconds(ns int64) string {
	if ns < 0 {
		return "−" + seconds(-ns)
	}
	for _, u := range []struct {
		unit string
		size float64
	}{{"s", 1e9}, {"ms", 1e6}, {"µs", 1e3}} {
		if v := float64(ns) / u.size; v >= 0.9995 {
			return digits(v) + " " + u.unit
		}
	}
	return strconv.FormatInt(ns, 10) + " ns"
}

// digits writes a number of at least one with three digits.
func digits(v float64) string {
	switch {
	case v >= 99.95:
		return spell.Grouped(int64(v + 0.5))
	case v >= 9.995:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// percent writes a share of one as whole percent; small ones keep a digit.
func percent(share float64) string {
	switch p := 100 * share; {
	case p == 0:
		return "0%"
	case p < 0.05:
		return "<0.1%"
	case p < 9.95 || p > 99 && p < 99.95:
		return strconv.FormatFloat(p, 'f', 1, 64) + "%"
	default:
		return strconv.FormatFloat(p, 'f', 0, 64) + "%"
	}
}

// share is part of whole; 0 when there is no whole.
func share(part, whole int64) float64 {
	if whole <= 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
