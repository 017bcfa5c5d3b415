package progress

import (
	"fmt"
	"math"
	"strings"
	"time"

	"saturate/internal/human"
)

// quantity writes an amount the way people read it: "12.3 MB", "1,204 files", "0.8 steps".
func quantity(v float64, unit string) string {
	if unit == "B" {
		return human.Value(v, unit)
	}
	if v < 10 && v != math.Trunc(v) {
		return fmt.Sprintf("%.1f %s", v, unit)
	}
	return human.Count(int64(math.Round(v))) + " " + unit
}

// rate says how fast it goes: "12 files/s", or for slow things how long each takes, "26 s each".
func rate(perSecond float64, unit string) string {
	if each := time.Duration(float64(time.Second) / perSecond); perSecond < 1 && unit != "B" {
		if each < 10*time.Second {
			return fmt.Sprintf("%.1f s each", each.Seconds())
		}
		return short(each) + " each"
	}
	return quantity(perSecond, unit) + "/s"
}

// short rounds a duration to what one can plan with: "40 s", "12 min", "3 h 20 min".
func short(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(math.Ceil(d.Seconds())))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(math.Round(d.Minutes())))
	default:
		return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	}
}

func drawBar(share float64, width int) string {
	share = min(max(share, 0), 1)
	full := int(share * float64(width))
	return "[" + strings.Repeat("=", full) + strings.Repeat(" ", width-full) + "]"
}

// clip cuts a line to the terminal's width, so that redrawing it never leaves a rest behind.
func clip(s string, width int) string {
	r := []rune(s)
	if len(r) <= width {
		return s
	}
	if width < 1 {
		return ""
	}
	return string(r[:width-1]) + "…"
}
