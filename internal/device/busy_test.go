package device_test

import (
	"fmt"
	"math"
	"testing"

	"saturate/internal/device"
	"saturate/internal/device/devicetest"
)

// What the host took is a part of what the machine wanted, however much of it was idle.
func TestStolen(t *testing.T) {
	read := func(user, idle, stolen int) device.Busy {
		return device.ReadBusy(devicetest.Machine{}.With("/proc/stat", fmt.Sprintf("cpu  %d 0 0 %d00 0 0 0 %d 0 0\ncpu0 1 0 0 0 0 0 0 0 0 0\n", user, idle, stolen)))
	}
	for name, test := range map[string]struct {
		now  device.Busy
		want float64
	}{
		"a quarter":        {read(4000, 500, 1500), 0.25},
		"too little":       {read(101000, 500, 2500), 0},
		"a few ticks":      {read(1060, 500, 530), 0},
		"nothing happened": {read(1000, 500, 500), 0},
		"not virtual":      {read(9000, 500, 500), 0},
		"nothing is known": {device.ReadBusy(devicetest.Machine{}), 0},
	} {
		if got := test.now.Stolen(read(1000, 500, 500)); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}
