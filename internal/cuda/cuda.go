// Package cuda talks to NVIDIA's driver library without cgo.
//
// The way through it:
//
//	Open                    loads libcuda.so.1 when first asked, once, and checks that it is whole
//	Driver.Devices          lists the GPUs; Device.Properties says what they are
//	Device.Retain           gives the primary Context, the one torch and jax use too
//	Context.Do              binds it to a thread; what follows happens inside
//	AllocDevice, AllocPinned, Register, CopyToDevice, CopyToHost
//	LoadModule, Function    a kernel from PTX text, which the driver compiles for its GPU
//	NewStream, NewEvent     queues of copies and launches, and the moments they wait for
//	Stream.Capture          the same queue as a Graph, launched in one call
//
// Nothing here is kept alive or freed by Go's collector: what was taken is given back by hand.
//
// The build tag nocuda leaves the loader out, so that the program is a fully
// static file; Open then returns ErrUnavailable. So it does on systems other than Linux.
package cuda

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"
)

// ErrUnavailable says that there is no usable driver library; the error that wraps it says why.
var ErrUnavailable = errors.New("CUDA is not available")

// Driver is the loaded driver library.
type Driver struct {
	entry   [functionCount]uintptr
	standIn StandIn
}

// StandIn plays the driver library in tests: Call is given the library's own function names and
// the arguments as C would see them.
type StandIn interface {
	Call(function string, args ...uintptr) (code uint32)
}

// OpenStandIn gives a Driver that calls s instead of NVIDIA's library.
func OpenStandIn(s StandIn) (*Driver, error) { return started(&Driver{standIn: s}) }

// libraries are tried in this order: the loader's own path first, then the places
// where WSL, container runtimes and NixOS put the library without telling the loader.
var libraries = []string{
	"libcuda.so.1",
	"/usr/lib/wsl/lib/libcuda.so.1",
	"/usr/local/nvidia/lib64/libcuda.so.1",
	"/run/opengl-driver/lib/libcuda.so.1",
}

// Open loads and initialises the driver library. It does so once: later calls give the same answer.
var Open = sync.OnceValues(func() (*Driver, error) { return open(libraries) })

func open(paths []string) (*Driver, error) {
	if !Built {
		return nil, fmt.Errorf("%w: %s", ErrUnavailable, whyNotBuilt)
	}
	handle, err := openFirst(paths)
	if err != nil {
		return nil, fmt.Errorf("%w: cannot load the driver library %s (%w); install the "+
			"NVIDIA driver, or start the container with --gpus all", ErrUnavailable, paths[0], err)
	}
	d := new(Driver)
	for f, name := range functionNames {
		if d.entry[f], err = dlsym(handle, name); err != nil && function(f) < firstOptional {
			return nil, fmt.Errorf("%w: the NVIDIA driver is too old (no %s); install driver 450 (CUDA 11.0) or newer",
				ErrUnavailable, name)
		}
	}
	return started(d)
}

func started(d *Driver) (*Driver, error) {
	if err := d.call(cuInit, 0); err != nil {
		return nil, fmt.Errorf("%w: the NVIDIA driver does not start: %w%s", ErrUnavailable, err, adviceFor(err))
	}
	return d, nil
}

// openFirst opens the first library that loads, and otherwise tells why the first did not.
func openFirst(paths []string) (uintptr, error) {
	var first error
	for _, path := range paths {
		handle, err := dlopen(path)
		if err == nil {
			return handle, nil
		}
		if first == nil {
			first = err
		}
	}
	return 0, first
}

// Version is the newest CUDA version that the driver understands, such as 13.0.
func (d *Driver) Version() (string, error) {
	var v int32
	if err := d.call(cuDriverGetVersion, uintptr(unsafe.Pointer(&v))); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d.%d", v/1000, v%1000/10), nil
}

// call runs one function of the library. Pointers are passed as uintptr(unsafe.Pointer(&x))
// in the argument list itself: the directive keeps what they point to alive and in place.
//
//go:uintptrescapes
func (d *Driver) call(f function, args ...uintptr) error {
	if code := d.code(f, args...); code != 0 {
		return d.failure(f, code)
	}
	return nil
}

// code is what the function returned.
//
//go:uintptrescapes
func (d *Driver) code(f function, args ...uintptr) uint32 {
	switch {
	case d.standIn != nil:
		return d.standIn.Call(functionNames[f], args...)
	case d.entry[f] == 0:
		return notFound
	}
	return ccall(d.entry[f], args...)
}
