package probe

import (
	"fmt"
	"slices"
	"testing"

	"saturate/internal/device/devicetest"
)

// machineWith is one of two cores that were busy for so many seconds, this process for own of them; its program has
// left a worker in its group, 42, and one elsewhere that carries its folder, which computed for orphan seconds in all.
// Another group and the worker of another run have nothing to do with it.
func machineWith(busy, own, orphan int) devicetest.Machine { return robbed(busy, own, orphan, 0) }

// robbed is machineWith on a host that took so many seconds.
func robbed(busy, own, orphan, stolen int) devicetest.Machine {
	process := func(pid, group, seconds int) string {
		return fmt.Sprintf("%d (a b) S 1 %d 7 0 -1 0 0 0 0 0 %d00 0 0 0 20 0", pid, group, seconds)
	}
	return devicetest.Machine{}.
		With("/proc/stat", fmt.Sprintf("cpu  %d00 0 0 9 0 0 0 %d00\ncpu0 1 0 0 0 0 0 0 0\ncpu1 1 0 0 0 0 0 0 0\n", busy, stolen)).
		With("/proc/self/stat", process(7, 7, own)).
		With("/proc/50/stat", process(50, 42, orphan/2)).
		With("/proc/51/stat", process(51, 51, orphan-orphan/2)).
		With("/proc/51/environ", "A=1\x00SATURATE_PROBE={\"folder\":\"/runs/1/probe\"}\x00").
		With("/proc/60/stat", process(60, 60, 900)).
		With("/proc/61/stat", process(61, 61, 900)).
		With("/proc/61/environ", "SATURATE_PROBE={\"folder\":\"/runs/2/probe\"}\x00")
}

func TestOthers(t *testing.T) {
	for name, test := range map[string]struct {
		after   devicetest.Machine
		stopped bool
		crowded bool
		stolen  float64
	}{
		"others":                  {machineWith(30, 10, 0), false, true, 0},
		"the program alone":       {machineWith(30, 30, 0), false, false, 0},
		"a worker that is left":   {machineWith(30, 10, 20), true, false, 0},
		"a worker and others":     {machineWith(50, 10, 20), true, true, 0},
		"another machine":         {robbed(30, 30, 0, 10), false, false, 0.25},
		"nothing is known":        {devicetest.Machine{}, true, false, 0},
		"the machine had nothing": {machineWith(0, 0, 0), true, false, 0},
	} {
		o := watchOthers(machineWith(0, 0, 0))
		o.system = test.after
		if test.stopped {
			if pids := o.leftovers(42, "/runs/1/probe"); len(pids) > 0 && !slices.Equal(pids, []int{50, 51}) {
				t.Errorf("%s: %v are left over", name, pids)
			}
		}
		if cores, stolen := o.took(); cores > 0 != test.crowded || stolen != test.stolen {
			t.Errorf("%s: others used %g cores, the host took %g", name, cores, stolen)
		}
	}
}
