package verify

import (
	"fmt"
	"strconv"

	"saturate/internal/device"
)

// descends follows a process's parents up to an ancestor.
func descends(sys device.System, pid, ancestor int) bool {
	for range 64 {
		if pid == ancestor {
			return true
		}
		f := device.ProcessStat(sys, fmt.Sprintf("/proc/%d/stat", pid))
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
