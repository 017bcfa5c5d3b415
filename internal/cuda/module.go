package cuda

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"unsafe"
)

// Module is compiled GPU code, with variables of its own.
type Module struct {
	driver *Driver
	handle uintptr
}

// What cuModuleLoadDataEx is asked for: numbers of CUjit_option in cuda.h.
const (
	jitErrorLog     = 5
	jitErrorLogSize = 6
)

// LoadModule has the driver compile PTX text for the context's GPU. The driver keeps what it
// compiled under ~/.nv; the first time takes some tenths of a second.
func (c *Context) LoadModule(ptx []byte) (Module, error) {
	m := Module{driver: c.driver}
	var (
		image   = append(bytes.Clone(ptx), 0)
		log     = make([]byte, 8<<10)
		pin     runtime.Pinner // the library finds the log through a number, which keeps nothing in place
		options = [...]uint32{jitErrorLog, jitErrorLogSize}
		handle  uintptr
	)
	pin.Pin(&log[0])
	defer pin.Unpin()
	values := [...]uintptr{uintptr(unsafe.Pointer(&log[0])), uintptr(len(log))}
	err := c.driver.call(cuModuleLoadDataEx, uintptr(unsafe.Pointer(&handle)), uintptr(unsafe.Pointer(&image[0])),
		uintptr(len(options)), uintptr(unsafe.Pointer(&options)), uintptr(unsafe.Pointer(&values)))
	if err != nil {
		return m, fmt.Errorf("compiling GPU code for GPU %d: %w%s%s", c.device.Index, err, adviceForPTX(err),
			compilerLog(log))
	}
	m.handle = handle
	return m, nil
}

func adviceForPTX(err error) string {
	switch {
	case HasCode(err, PTXTooNew):
		return "; the driver is too old for this program: install a newer NVIDIA driver"
	case HasCode(err, InvalidPTX):
		return "; this GPU is older than the code, or the driver cannot read it"
	}
	return ""
}

// compilerLog is what the driver's compiler complained of, on one line.
func compilerLog(log []byte) string {
	lines := strings.FieldsFunc(text(log), func(r rune) bool { return r == '\n' || r == '\r' })
	if len(lines) == 0 {
		return ""
	}
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return "; its compiler says: " + strings.Join(lines, ", ")
}

// Unload lets the module go with its functions and variables. The zero value needs none.
func (m Module) Unload() error {
	if m.handle == 0 {
		return nil
	}
	return m.driver.call(cuModuleUnload, m.handle)
}

// Global is a variable of the module, as memory of the GPU.
func (m Module) Global(name string) (DeviceMemory, error) {
	symbol := append([]byte(name), 0)
	var address, size uintptr
	if err := m.driver.call(cuModuleGetGlobal, uintptr(unsafe.Pointer(&address)), uintptr(unsafe.Pointer(&size)), m.handle,
		uintptr(unsafe.Pointer(&symbol[0]))); err != nil {
		return DeviceMemory{}, fmt.Errorf("variable %s of the GPU code: %w", name, err)
	}
	return DeviceMemory{driver: m.driver, Address: address, Size: int(size)}, nil
}

// Function is a kernel.
type Function struct {
	driver *Driver
	handle uintptr
	name   string
}

// Function finds a kernel by the name that it has in the PTX text.
func (m Module) Function(name string) (Function, error) {
	f := Function{driver: m.driver, name: name}
	symbol := append([]byte(name), 0)
	var handle uintptr
	if err := m.driver.call(cuModuleGetFunction, uintptr(unsafe.Pointer(&handle)), m.handle,
		uintptr(unsafe.Pointer(&symbol[0]))); err != nil {
		return f, fmt.Errorf("kernel %s of the GPU code: %w", name, err)
	}
	f.handle = handle
	return f, nil
}

// Numbers of CUfunction_attribute in cuda.h.
const (
	localBytes      = 3
	registers       = 4
	mostSharedBytes = 8
)

// AllowShared lets a launch ask for that much shared memory: above 48 KiB a kernel needs leave.
func (f Function) AllowShared(size int) error {
	if err := f.driver.call(cuFuncSetAttribute, f.handle, mostSharedBytes, uintptr(size)); err != nil {
		return fmt.Errorf("%d bytes of shared memory for kernel %s: %w", size, f.name, err)
	}
	return nil
}

// Resources tells how many registers a thread of the kernel has and how much it spills to memory.
func (f Function) Resources() (registersUsed, spilledBytes int, err error) {
	var r, l int32
	if err := f.driver.call(cuFuncGetAttribute, uintptr(unsafe.Pointer(&r)), registers, f.handle); err != nil {
		return 0, 0, err
	}
	err = f.driver.call(cuFuncGetAttribute, uintptr(unsafe.Pointer(&l)), localBytes, f.handle)
	return int(r), int(l), err
}

// Shape is how many blocks of how many threads run a kernel, each block with that much shared memory.
type Shape struct {
	Blocks, Threads, Shared int
}

// Launch queues the kernel. Each argument fills one parameter: an address, or the bits of a
// number in its lowest bytes. They are read before Launch returns.
func (s Stream) Launch(f Function, shape Shape, args ...uint64) error {
	pointers := make([]unsafe.Pointer, len(args)+1)
	values := append(make([]uint64, 0, len(args)+1), args...)
	for i := range values {
		pointers[i] = unsafe.Pointer(&values[i])
	}
	err := s.driver.call(cuLaunchKernel, f.handle, uintptr(shape.Blocks), 1, 1, uintptr(shape.Threads), 1, 1,
		uintptr(shape.Shared), s.handle, uintptr(unsafe.Pointer(&pointers[0])), 0)
	if err != nil {
		return fmt.Errorf("kernel %s, %d blocks of %d threads: %w", f.name, shape.Blocks, shape.Threads, err)
	}
	return nil
}
