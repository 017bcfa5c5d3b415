package verify

import (
	"fmt"
	"math"
	"strings"

	"saturate/internal/stat"
)

// signed writes a share with its sign: +2.5%.
func signed(share float64, decimals int) string {
	text := fmt.Sprintf("%+.*f%%", decimals, 100*share)
	return strings.Replace(text, "-", "−", 1)
}

// changeOf writes a ratio of times: 0.8 is "20.0% less time".
func changeOf(ratio float64) string {
	switch {
	case math.IsNaN(ratio):
		return "an unknown time"
	case ratio < 1:
		return fmt.Sprintf("%.1f%% less time", 100*(1-ratio))
	}
	return fmt.Sprintf("%.1f%% more time", 100*(ratio-1))
}

// intervalOf writes the interval of a ratio, and nothing where too few pairs bound it.
func intervalOf(i stat.Interval) string {
	if !i.Lo.Finite() || !i.Hi.Finite() || i.Lo <= 0 {
		return ""
	}
	return fmt.Sprintf("%.0f%% interval %s to %s, ", 100*i.Confidence, signed(float64(i.Lo)-1, 1),
		signed(float64(i.Hi)-1, 1))
}
