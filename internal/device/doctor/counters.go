package doctor

import (
	"fmt"
	"strconv"
	"strings"

	"saturate/internal/device"
)

// Counters says whether this process may read the GPU's hardware counters, as Nsight Compute does.
// Timelines, such as torch.profiler makes, need no such permission.
type Counters struct {
	Permitted *bool  `json:"permitted"` // nil: not known
	Reason    string `json:"reason"`    // why, or why it is not known
}

// Capabilities of the kernel that lift NVIDIA's restriction; the second from driver 565 on.
const (
	capSysAdmin = 21
	capPerfmon  = 38
)

func counters(sys device.System, inv device.Inventory) Counters {
	yes, no := true, false
	var driver string
	for _, gpu := range inv.GPUs {
		if gpu.Backend == device.CUDA {
			driver = gpu.Driver
		}
	}
	params, err := sys.ReadFile("/proc/driver/nvidia/params")
	if err != nil {
		return Counters{Reason: "unknown: /proc/driver/nvidia/params is missing"}
	}
	restricted, told := adminOnly(params)
	switch status, _ := sys.ReadFile("/proc/self/status"); {
	case !told:
		return Counters{Reason: "unknown: the NVIDIA driver does not report it"}
	case !restricted:
		return Counters{&yes, "all users may read them"}
	case hasCapability(status, capSysAdmin):
		return Counters{&yes, "administrators only; this process has CAP_SYS_ADMIN"}
	case hasCapability(status, capPerfmon) && majorVersion(driver) >= 565:
		return Counters{&yes, "administrators only; this process has CAP_PERFMON"}
	}
	return Counters{&no, "administrators only"}
}

// adminOnly reads the switch, which drivers write under either of two names.
func adminOnly(params []byte) (restricted, told bool) {
	for line := range strings.Lines(string(params)) {
		name, value, _ := strings.Cut(line, ":")
		switch strings.TrimSpace(name) {
		case "RmProfilingAdminOnly", "RestrictProfilingToAdminUsers", "NVreg_RestrictProfilingToAdminUsers":
			n, err := strconv.Atoi(strings.TrimSpace(value))
			return n != 0, err == nil
		}
	}
	return false, false
}

// hasCapability looks for a bit in the effective set of /proc/self/status.
func hasCapability(status []byte, bit int) bool {
	for line := range strings.Lines(string(status)) {
		if set, ok := strings.CutPrefix(line, "CapEff:"); ok {
			mask, err := strconv.ParseUint(strings.TrimSpace(set), 16, 64)
			return err == nil && mask>>bit&1 == 1
		}
	}
	return false
}

// majorVersion of 580.95.05 is 580.
func majorVersion(version string) int {
	var major int
	if _, err := fmt.Sscanf(version, "%d.", &major); err != nil {
		return 0
	}
	return major
}
