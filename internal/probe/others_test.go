package probe

import (
	"fmt"
	"testing"

	"saturate/internal/device/devicetest"
)

// machineWith is one of two cores that were busy for so many seconds, this process for own of them; its program has left a
// worker in its group, 42, that computed for orphan seconds, and another group has nothing to do with it.
func machineWith(busy, own, orphan int) devicetest.Machine {
	process := func(pid, group, seconds int) string {
		return fmt.Sprintf("%d (a b) S 1 %d 7 0 -1 0 0 0 0 0 %d00 0 0 0 20 0", pid, group, seconds)
	}
	return devicetest.Machine{}.
		With("/proc/stat", fmt.Sprintf("cpu  %d00 0 0 9 0 0 0 0\ncpu0 1 0 0 0 0 0 0 0\ncpu1 1 0 0 0 0 0 0 0\n", busy)).
		With("/proc/self/stat", process(7, 7, own)).
		With("/proc/50/stat", process(50, 42, orphan)).
		With("/proc/60/stat", process(60, 60, 900))
}

func TestOthers(t *testing.T) {
	for name, test := range map[string]struct {
		after   devicetest.Machine
		stopped bool
		crowded bool
	}{
		"others":                  {machineWith(30, 10, 0), false, true},
		"the program alone":       {machineWith(30, 30, 0), false, false},
		"a worker that is left":   {machineWith(30, 10, 20), true, false},
		"a worker and others":     {machineWith(50, 10, 20), true, true},
		"nothing is known":        {devicetest.Machine{}, true, false},
		"the machine had nothing": {machineWith(0, 0, 0), true, false},
	} {
		o := watchOthers(machineWith(0, 0, 0))
		o.system = test.after
		if test.stopped {
			o.leftovers(42)
		}
		if cores := o.cores(); cores > 0 != test.crowded {
			t.Errorf("%s: others used %g cores", name, cores)
		}
	}
}
