package probe

import (
	"strconv"

	"saturate/internal/device"
)

// others watches how much of the CPU other programs take while this one's program runs.
type others struct {
	system device.System
	before device.Busy
	orphan float64 // CPU seconds of the program's processes that nobody waits for
}

func watchOthers(system device.System) *others {
	return &others{system: system, before: device.ReadBusy(system)}
}

// leftovers counts processes of the program's group that outlive it and are about to be killed, as the workers of a loader
// whose program was stopped: they are no others.
func (o *others) leftovers(group int) {
	files := o.system.Glob("/proc/[0-9]*/stat")
	for _, path := range files {
		if f := device.ProcessStat(o.system, path); len(f) > 2 && f[2] == strconv.Itoa(group) {
			o.orphan += device.CPUSeconds(f)
		}
	}
}

// cores is how many they kept busy on average; 0 where enough of the CPU was left.
func (o *others) cores() float64 {
	if cores, contended := device.ReadBusy(o.system).Plus(o.orphan).Since(o.before); contended {
		return cores
	}
	return 0
}
