package device

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Busy is how busy the processors have been so far, and how much of that was this process and what it has run.
type Busy struct {
	At        time.Time
	busy, own float64 // seconds
	// that the processors wanted to work and could not: the host of this virtual machine gave them to others
	stolen float64
	cores  int
}

const ticksPerSecond = 100 // USER_HZ, the same on every Linux that matters

// ReadBusy reads it from /proc; elsewhere it is empty, and nothing follows from it.
func ReadBusy(sys System) Busy {
	t := Busy{At: time.Now()}
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
				t.busy += seconds(f[i])
			}
			if len(f) > 8 {
				t.stolen = seconds(f[8])
			}
		default:
			t.cores++
		}
	}
	t.own = CPUSeconds(ProcessStat(sys, "/proc/self/stat"))
	return t
}

// Plus counts the time of processes that this one has run and that it does not wait for as its own.
func (t Busy) Plus(seconds float64) Busy {
	t.own += seconds
	return t
}

// Since is how many cores others kept busy from then to now, and whether that left too few.
func (t Busy) Since(then Busy) (others float64, contended bool) {
	took := t.At.Sub(then.At).Seconds()
	if t.cores == 0 || took <= 0 {
		return 0, false
	}
	busy := (t.busy - then.busy) / took
	others = max(0, busy-(t.own-then.own)/took)
	return others, busy > 0.9*float64(t.cores) && others > 0.1*float64(t.cores)
}

// Stolen is the part of the time that this machine's processors wanted to work from then to now which its host gave to
// others, where that is enough to matter; 0 otherwise, and on a machine that is not virtual. Idle processors lose
// nothing.
func (t Busy) Stolen(then Busy) float64 {
	stolen := t.stolen - then.stolen
	wanted := stolen + t.busy - then.busy
	if wanted < leastWanted || stolen < leastStolen*wanted {
		return 0
	}
	return stolen / wanted
}

// StolenText says what Stolen has found.
func StolenText(share float64) string {
	return fmt.Sprintf("the host took %.0f%% of this virtual machine's CPU time (steal)", 100*share)
}

// leastStolen is from where on times are visibly longer, leastWanted how many seconds of work tell: less are a few
// ticks of the clock.
const (
	leastStolen = 0.03
	leastWanted = 1
)

// CPUSeconds is the time that a process and the children it has waited for have computed, by its ProcessStat.
func CPUSeconds(stat []string) (total float64) {
	if len(stat) > 14 {
		for _, i := range []int{11, 12, 13, 14} { // utime, stime, cutime, cstime
			total += seconds(stat[i])
		}
	}
	return total
}

func seconds(field string) float64 {
	ticks, _ := strconv.ParseFloat(field, 64)
	return ticks / ticksPerSecond
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
