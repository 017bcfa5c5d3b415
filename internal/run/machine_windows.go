package run

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
)

// memoryStatus is MEMORYSTATUSEX of the Windows API.
type memoryStatus struct {
	length, load                                                                                    uint32
	totalPhysical, availablePhysical, totalPage, availablePage, totalVirtual, freeVirtual, extended uint64
}

func describeMachine(m *Machine) error {
	version := windows.RtlGetVersion()
	m.OS = fmt.Sprintf("Windows %d.%d", version.MajorVersion, version.MinorVersion)
	m.Kernel = fmt.Sprintf("build %d", version.BuildNumber)

	key, cpuErr := registry.OpenKey(registry.LOCAL_MACHINE, `HARDWARE\DESCRIPTION\System\CentralProcessor\0`, registry.QUERY_VALUE)
	if cpuErr == nil {
		defer key.Close()
		var name string
		name, _, cpuErr = key.GetStringValue("ProcessorNameString")
		m.CPU = strings.Join(strings.Fields(name), " ")
	}
	status := memoryStatus{length: uint32(unsafe.Sizeof(memoryStatus{}))}
	ok, _, memErr := windows.NewLazySystemDLL("kernel32.dll").NewProc("GlobalMemoryStatusEx").Call(uintptr(unsafe.Pointer(&status)))
	if ok != 0 {
		m.MemoryBytes, memErr = int64(status.totalPhysical), nil
	}
	if err := errors.Join(cpuErr, memErr); err != nil {
		return fmt.Errorf("CPU or memory unknown: %w", err)
	}
	return nil
}
