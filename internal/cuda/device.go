package cuda

import (
	"bytes"
	"fmt"
	"strings"
	"unsafe"
)

// Device is one GPU, as CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER let it be seen.
type Device struct {
	driver *Driver
	handle int32
	Index  int
}

// Properties is what the driver says a GPU is. A zero means that it did not say.
type Properties struct {
	Name           string `json:"name"`
	UUID           string `json:"uuid"`
	PCIBusID       string `json:"pci_bus_id"`
	Major          int    `json:"major"` // compute capability
	Minor          int    `json:"minor"`
	TotalBytes     uint64 `json:"total_bytes"`
	SMs            int    `json:"sms"`
	ClockKHz       int    `json:"clock_khz"`
	MemoryClockKHz int    `json:"memory_clock_khz"`
	BusBits        int    `json:"bus_bits"`
	L2Bytes        int    `json:"l2_bytes"`
	CopyEngines    int    `json:"copy_engines"`
	Integrated     bool   `json:"integrated"` // shares the host's memory
}

// attribute is a number of CUdevice_attribute in cuda.h.
type attribute int

const (
	clockRate          attribute = 13
	multiprocessors    attribute = 16
	integrated         attribute = 18
	memoryClockRate    attribute = 36
	memoryBusWidth     attribute = 37
	l2CacheSize        attribute = 38
	asyncEngines       attribute = 40
	computeMajor       attribute = 75
	computeMinor       attribute = 76
	deviceNameCapacity           = 256
	busIDCapacity                = 32
)

// Devices lists the GPUs that this process may use.
func (d *Driver) Devices() ([]Device, error) {
	var n int32
	if err := d.call(cuDeviceGetCount, uintptr(unsafe.Pointer(&n))); err != nil {
		return nil, err
	}
	devices := make([]Device, 0, n)
	for i := range int(n) {
		dev := Device{driver: d, Index: i}
		var handle int32
		if err := d.call(cuDeviceGet, uintptr(unsafe.Pointer(&handle)), uintptr(i)); err != nil {
			return nil, err
		}
		dev.handle = handle
		devices = append(devices, dev)
	}
	return devices, nil
}

// Properties reads what the GPU is. It needs no context and takes no GPU memory.
func (dev Device) Properties() (Properties, error) {
	d := dev.driver
	var (
		p     Properties
		name  [deviceNameCapacity]byte
		busID [busIDCapacity]byte
		uuid  [16]byte
		total uintptr
	)
	for _, err := range []error{
		d.call(cuDeviceGetName, uintptr(unsafe.Pointer(&name)), uintptr(len(name)), uintptr(dev.handle)),
		d.call(cuDeviceTotalMem, uintptr(unsafe.Pointer(&total)), uintptr(dev.handle)),
		dev.read(computeMajor, &p.Major),
		dev.read(computeMinor, &p.Minor),
		dev.read(multiprocessors, &p.SMs),
	} {
		if err != nil {
			return Properties{}, fmt.Errorf("GPU %d: %w", dev.Index, err)
		}
	}
	p.Name, p.TotalBytes = text(name[:]), uint64(total)

	// What follows is good to know; virtual GPUs and new drivers leave some of it out.
	if d.call(cuDeviceGetUuid, uintptr(unsafe.Pointer(&uuid)), uintptr(dev.handle)) == nil {
		p.UUID = fmt.Sprintf("GPU-%x-%x-%x-%x-%x", uuid[:4], uuid[4:6], uuid[6:8], uuid[8:10], uuid[10:])
	}
	if d.call(cuDeviceGetPCIBusId, uintptr(unsafe.Pointer(&busID)), uintptr(len(busID)), uintptr(dev.handle)) == nil {
		p.PCIBusID = strings.ToLower(text(busID[:]))
	}
	var shared int
	for _, optional := range []struct {
		attribute attribute
		value     *int
	}{
		{clockRate, &p.ClockKHz},
		{memoryClockRate, &p.MemoryClockKHz},
		{memoryBusWidth, &p.BusBits},
		{l2CacheSize, &p.L2Bytes},
		{asyncEngines, &p.CopyEngines},
		{integrated, &shared},
	} {
		if dev.read(optional.attribute, optional.value) != nil {
			*optional.value = 0
		}
	}
	p.Integrated = shared != 0
	return p, nil
}

func (dev Device) read(a attribute, value *int) error {
	var v int32
	err := dev.driver.call(cuDeviceGetAttribute, uintptr(unsafe.Pointer(&v)), uintptr(a), uintptr(dev.handle))
	*value = int(v)
	return err
}

// text is what a C function wrote into a buffer, up to its closing zero.
func text(buffer []byte) string {
	before, _, _ := bytes.Cut(buffer, []byte{0})
	return strings.TrimSpace(string(before))
}
