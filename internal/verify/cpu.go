package verify

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"saturate/internal/device"
)

// cpuTime is how busy the processors have been so far.
type cpuTime struct {
	at        time.Time
	busy, own float64 // seconds: of all programs, and of this one and those it has run
	cores     int
}

const ticksPerSecond = 100 // USER_HZ, the same on every Linux that matters

func readCPU(sys device.System) cpuTime {
	t := cpuTime{at: time.Now()}
	text, err := sys.ReadFile("/proc/stat")
	if err != nil {
		return t
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		switch {
		case len(f) < 8 || !strings.HasPrefix(f[0], "cpu"):
		case f[0] == "cpu":
			for _, i := range []int{1, 2, 3, 6, 7} { // user, nice, system, irq, softirq
				t.busy += known(figure(f[i])) / ticksPerSecond
			}
		default:
			t.cores++
		}
	}
	if f := statFields(sys, "/proc/self/stat"); len(f) > 14 {
		for _, i := range []int{11, 12, 13, 14} { // utime, stime, cutime, cstime
			t.own += known(figure(f[i])) / ticksPerSecond
		}
	}
	return t
}

// since is how many cores others kept busy from then to now, and whether that left too few.
func (t cpuTime) since(then cpuTime) (others float64, contended bool) {
	seconds := t.at.Sub(then.at).Seconds()
	if t.cores == 0 || seconds <= 0 {
		return 0, false
	}
	busy := (t.busy - then.busy) / seconds
	others = max(0, busy-(t.own-then.own)/seconds)
	return others, busy > 0.9*float64(t.cores) && others > 0.1*float64(t.cores)
}

// descends follows a process's parents up to an ancestor.
func descends(sys device.System, pid, ancestor int) bool {
	for range 64 {
		if pid == ancestor {
			return true
		}
		f := statFields(sys, fmt.Sprintf("/proc/%d/stat", pid))
		if len(f) < 2 {
			return false
		}
		parent, err := strconv.Atoi(f[1])
		if err != nil || parent <= 1 {
			return false
		}
		pid = parent
	}
	return false
}

// statFields are the fields of a /proc stat file behind the name in brackets: state, parent, …
func statFields(sys device.System, path string) []string {
	text, err := sys.ReadFile(path)
	if err != nil {
		return nil
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	return strings.Fields(rest)
}
