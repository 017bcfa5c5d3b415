package cuda

import (
	"time"
	"unsafe"
)

// Stream is a queue of work for the GPU.
type Stream struct {
	driver *Driver
	handle uintptr
}

// NewStream makes a queue that does not wait for the default one.
func (c *Context) NewStream() (Stream, error) {
	const nonBlocking = 1
	s := Stream{driver: c.driver}
	var handle uintptr
	err := c.driver.call(cuStreamCreate, uintptr(unsafe.Pointer(&handle)), nonBlocking)
	s.handle = handle
	return s, err
}

// CopyToDevice queues a copy. The source must be memory of AllocPinned or Register and stay untouched
// until the copy is done: Go's collector does not know that the GPU still reads it.
func (s Stream) CopyToDevice(dst DeviceMemory, src []byte) error {
	if err := fits(len(src), dst); err != nil || len(src) == 0 {
		return err
	}
	return s.driver.call(cuMemcpyHtoDAsync, dst.Address, uintptr(unsafe.Pointer(unsafe.SliceData(src))), uintptr(len(src)),
		s.handle)
}

// CopyToHost queues a copy into memory of AllocPinned or Register.
func (s Stream) CopyToHost(dst []byte, src DeviceMemory) error {
	if err := fits(len(dst), src); err != nil || len(dst) == 0 {
		return err
	}
	return s.driver.call(cuMemcpyDtoHAsync, uintptr(unsafe.Pointer(unsafe.SliceData(dst))), src.Address, uintptr(len(dst)),
		s.handle)
}

// Record puts the event behind what is queued so far.
func (s Stream) Record(e Event) error { return s.driver.call(cuEventRecord, e.handle, s.handle) }

// Wait keeps what is queued from now on until the event has passed, in whichever stream it was
// recorded; the caller goes on at once. An event that was never recorded has passed.
func (s Stream) Wait(e Event) error { return s.driver.call(cuStreamWaitEvent, s.handle, e.handle, 0) }

// Synchronize waits until all that is queued is done.
func (s Stream) Synchronize() error { return s.driver.call(cuStreamSynchronize, s.handle) }

// Destroy lets the stream go once its work is done.
func (s Stream) Destroy() error { return s.driver.call(cuStreamDestroy, s.handle) }

// Event is a moment in a stream, kept on the GPU's own clock.
type Event struct {
	driver *Driver
	handle uintptr
}

// NewEvent makes an event that keeps time, and whose Synchronize sleeps instead of using up a core.
func (c *Context) NewEvent() (Event, error) {
	const blockingSync = 1
	e := Event{driver: c.driver}
	var handle uintptr
	err := c.driver.call(cuEventCreate, uintptr(unsafe.Pointer(&handle)), blockingSync)
	e.handle = handle
	return e, err
}

// Synchronize waits until the GPU has passed the event.
func (e Event) Synchronize() error { return e.driver.call(cuEventSynchronize, e.handle) }

// Passed says whether the GPU has passed the event, without waiting.
func (e Event) Passed() (bool, error) {
	err := e.driver.call(cuEventQuery, e.handle)
	if HasCode(err, NotReady) {
		return false, nil
	}
	return err == nil, err
}

// Since is the time the GPU took from an earlier event to this one; it must have passed both.
func (e Event) Since(earlier Event) (time.Duration, error) {
	var ms float32
	err := e.driver.call(cuEventElapsedTime, uintptr(unsafe.Pointer(&ms)), earlier.handle, e.handle)
	return time.Duration(float64(ms) * float64(time.Millisecond)), err
}

// Destroy lets the event go.
func (e Event) Destroy() error { return e.driver.call(cuEventDestroy, e.handle) }
