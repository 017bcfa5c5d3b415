package run

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sys/unix"

	"saturate/internal/files"
)

func describeMachine(m *Machine) error {
	if release, err := files.Read("/etc/os-release", files.MaxSystem); err == nil {
		if name := field(strings.NewReader(string(release)), "=", "PRETTY_NAME"); name != "" {
			m.OS = name
		}
	}
	var name unix.Utsname
	if err := unix.Uname(&name); err == nil {
		m.Kernel = unix.ByteSliceToString(name.Release[:])
	}
	cpuinfo, cpuErr := files.Read("/proc/cpuinfo", files.MaxSystem)
	m.CPU = cpuModel(string(cpuinfo))
	meminfo, memErr := files.Read("/proc/meminfo", files.MaxSystem)
	m.MemoryBytes = memoryTotal(string(meminfo))
	if err := errors.Join(cpuErr, memErr); err != nil {
		return fmt.Errorf("CPU or memory unknown: %w", err)
	}
	return nil
}
