package probe

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"saturate/internal/device"
)

// others watches how much of the CPU other programs, and other machines on the same host, take while this one's program
// runs.
type others struct {
	system   device.System
	before   device.Busy
	leftover float64 // CPU seconds of the program's processes that nobody waits for
}

func watchOthers(system device.System) *others {
	return &others{system: system, before: device.ReadBusy(system)}
}

// leftovers are the processes that outlive the program and are about to be ended, as the workers of a loader whose
// program was stopped: those of its group, and those that went off into a session of their own, as torchrun's ranks do,
// and still carry this run's folder in their environment. Their time counts as the program's, not as that of others.
func (o *others) leftovers(group int, folder string) (pids []int) {
	for _, path := range o.system.Glob("/proc/[0-9]*/stat") {
		process := filepath.Dir(path)
		pid, err := strconv.Atoi(filepath.Base(process))
		if err != nil || pid == os.Getpid() {
			continue
		}
		f := device.ProcessStat(o.system, path)
		if environ, _ := o.system.ReadFile(process + "/environ"); len(f) > 2 && f[2] == strconv.Itoa(group) ||
			carries(string(environ), folder) {
			o.leftover += device.CPUSeconds(f)
			pids = append(pids, pid)
		}
	}
	return pids
}

func carries(environ, folder string) bool {
	return strings.Contains(environ, "SATURATE_PROBE=") && strings.Contains(environ, absolute(folder))
}

// took is how many cores programs kept busy on average, 0 where enough of the CPU was left, and what the host gave to
// other machines.
func (o *others) took() (cores, stolen float64) {
	now := device.ReadBusy(o.system).Plus(o.leftover)
	if others, contended := now.Since(o.before); contended {
		cores = others
	}
	return cores, now.Stolen(o.before)
}
