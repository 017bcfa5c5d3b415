package cuda

import (
	"runtime"
	"unsafe"
)

// Context is a GPU's primary context. Creating the first one takes some tenths of a
// second and some hundred MB of GPU memory.
type Context struct {
	driver *Driver
	device Device
	handle uintptr
}

// Retain makes the GPU ready for work. Release it when done.
func (dev Device) Retain() (*Context, error) {
	var handle uintptr
	if err := dev.driver.call(cuDevicePrimaryCtxRetain, uintptr(unsafe.Pointer(&handle)),
		uintptr(dev.handle)); err != nil {
		return nil, err
	}
	return &Context{driver: dev.driver, device: dev, handle: handle}, nil
}

// Release gives the context back. What was allocated in it must be freed before.
func (c *Context) Release() error {
	return c.driver.call(cuDevicePrimaryCtxRelease, uintptr(c.device.handle))
}

// Do runs work with the context current. CUDA keeps the current context per thread, and
// goroutines move between threads, so the goroutine stays on its thread meanwhile. All
// allocations, copies, streams and events belong inside; goroutines started by work need their own Do.
func (c *Context) Do(work func() error) (err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before uintptr
	if err := c.driver.call(cuCtxGetCurrent, uintptr(unsafe.Pointer(&before))); err != nil {
		return err
	}
	if err := c.driver.call(cuCtxSetCurrent, c.handle); err != nil {
		return err
	}
	defer func() {
		if back := c.driver.call(cuCtxSetCurrent, before); err == nil {
			err = back
		}
	}()
	return work()
}

// Synchronize waits until the GPU has done all that was asked of it in this context.
func (c *Context) Synchronize() error { return c.driver.call(cuCtxSynchronize) }

// Memory tells how much of the GPU's memory is free and how much there is, other programs' use counted.
func (c *Context) Memory() (free, total uint64, err error) {
	var f, t uintptr
	err = c.driver.call(cuMemGetInfo, uintptr(unsafe.Pointer(&f)), uintptr(unsafe.Pointer(&t)))
	return uint64(f), uint64(t), err
}
