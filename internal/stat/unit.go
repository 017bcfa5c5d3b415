package stat

import (
	"strings"
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

// isTime reports whether the unit measures time: s, or s per something.
func isTime(unit string) bool {
	top, _, _ := strings.Cut(unit, "/")
	return top == "s" || top == "sec"
}
