package run

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

func describeMachine(m *Machine) error {
	if version, err := unix.Sysctl("kern.osproductversion"); err == nil {
		m.OS = "macOS " + version
	}
	m.Kernel, _ = unix.Sysctl("kern.osrelease")
	cpu, cpuErr := unix.Sysctl("machdep.cpu.brand_string")
	memory, memErr := unix.SysctlUint64("hw.memsize")
	m.CPU, m.MemoryBytes = cpu, int64(memory)
	if err := errors.Join(cpuErr, memErr); err != nil {
		return fmt.Errorf("CPU or memory unknown: %w", err)
	}
	return nil
}
