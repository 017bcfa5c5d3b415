package doctor

import (
	"fmt"
	"path/filepath"
	"testing"

	"saturate/internal/device"
	"saturate/internal/device/devicetest"
)

func TestCounters(t *testing.T) {
	const (
		none     = "CapEff:\t0000000000000000"
		sysAdmin = "CapEff:\t0000000000200000"
		perfmon  = "CapEff:\t0000004000000000"
	)
	tests := []struct {
		params, status, driver string
		want                   string // yes, no, unknown
	}{
		{"RmProfilingAdminOnly: 0", none, "580.95.05", "yes"},
		{"ResmanDebugLevel: 4294967295\nRmProfilingAdminOnly: 1", none, "580.95.05", "no"},
		{"RestrictProfilingToAdminUsers: 1", none, "", "no"},
		{"RmProfilingAdminOnly: 1", sysAdmin, "450.10", "yes"},
		{"RmProfilingAdminOnly: 1", perfmon, "580.95.05", "yes"},
		{"RmProfilingAdminOnly: 1", perfmon, "550.54.15", "no"},
		{"RmProfilingAdminOnly: 1", "", "", "no"},
		{"RmProfilingAdminOnly: maybe", none, "", "unknown"},
		{"Other: 1", sysAdmin, "", "unknown"},
	}
	nothing := devicetest.Load(t, filepath.Join("..", "testdata", "machines", "nothing.txtar"))
	for _, test := range tests {
		machine := nothing.With("/proc/driver/nvidia/params", test.params).With("/proc/self/status", test.status)
		got := counters(machine, device.Inventory{GPUs: []device.GPU{{Backend: device.CUDA, Driver: test.driver}}})
		if text := permission(got); text != test.want || got.Reason == "" {
			t.Errorf("%q, %q, driver %s: %s (%s), want %s", test.params, test.status, test.driver, text, got.Reason, test.want)
		}
	}
	if got := counters(nothing, device.Inventory{}); permission(got) != "unknown" {
		t.Errorf("without a driver: %+v", got)
	}
}

func permission(c Counters) string {
	if c.Permitted == nil {
		return "unknown"
	}
	return map[string]string{"true": "yes", "false": "no"}[fmt.Sprint(*c.Permitted)]
}
