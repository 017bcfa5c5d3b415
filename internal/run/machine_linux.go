package run

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

func describeMachine(m *Machine) error {
	if release, err := os.ReadFile("/etc/os-release"); err == nil {
		if name := field(strings.NewReader(string(release)), "=", "PRETTY_NAME"); name != "" {
			m.OS = name
		}
	}
	var name unix.Utsname
	if err := unix.Uname(&name); err == nil {
		m.Kernel = unix.ByteSliceToString(name.Release[:])
	}
	cpuinfo, cpuErr := os.ReadFile("/proc/cpuinfo")
	m.CPU = cpuModel(string(cpuinfo))
	meminfo, memErr := os.ReadFile("/proc/meminfo")
	m.MemoryBytes = memoryTotal(string(meminfo))
	if err := errors.Join(cpuErr, memErr); err != nil {
		return fmt.Errorf("CPU or memory unknown: %w", err)
	}
	return nil
}
