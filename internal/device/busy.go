package device

import (
	"strconv"
	"strings"
	"time"
)

// Busy is how busy the processors have been so far, and how much of that was this process and what it has run.
type Busy struct {
	At        time.Time
	busy, own float64 // seconds
	cores     int
}

const ticksPerSecond = 100 // USER_HZ, the same on every Linux that matters

// ReadBusy reads it from /proc; elsewhere it is empty, and nothing follows from it.
func ReadBusy(sys System) Busy {
	t := Busy{At: time.Now()}
	text, err := sys.ReadFile("/proc/stat")
	if err != nil {
		return t
	}
	seconds := func(field string) float64 {
		ticks, _ := strconv.ParseFloat(field, 64)
		return ticks / ticksPerSecond
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		switch {
		case len(f) < 8 || !strings.HasPrefix(f[0], "cpu"):
		case f[0] == "cpu":
			for _, i := range []int{1, 2, 3, 6, 7} { // user, nice, system, irq, softirq
				t.busy += seconds(f[i])
			}
		default:
			t.cores++
		}
	}
	if f := ProcessStat(sys, "/proc/self/stat"); len(f) > 14 {
		for _, i := range []int{11, 12, 13, 14} { // utime, stime, cutime, cstime
			t.own += seconds(f[i])
		}
	}
	return t
}

// Since is how many cores others kept busy from then to now, and whether that left too few.
func (t Busy) Since(then Busy) (others float64, contended bool) {
	seconds := t.At.Sub(then.At).Seconds()
	if t.cores == 0 || seconds <= 0 {
		return 0, false
	}
	busy := (t.busy - then.busy) / seconds
	others = max(0, busy-(t.own-then.own)/seconds)
	return others, busy > 0.9*float64(t.cores) && others > 0.1*float64(t.cores)
}

// ProcessStat is the fields of a /proc stat file behind the name in brackets: state, parent, …
func ProcessStat(sys System, path string) []string {
	text, err := sys.ReadFile(path)
	if err != nil {
		return nil
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	return strings.Fields(rest)
}
