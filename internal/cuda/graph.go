package cuda

import (
	"fmt"
	"unsafe"
)

// Graph is work that was queued once and can be launched many times in one call. Its addresses
// and arguments are those of the time of recording.
type Graph struct {
	driver *Driver
	handle uintptr
}

// Capture records what work queues in the stream, instead of doing it. Other streams join by
// waiting for an event of this one, and must be waited for at the end.
func (s Stream) Capture(work func() error) (Graph, error) {
	const threadLocal = 1 // CU_STREAM_CAPTURE_MODE_THREAD_LOCAL: other threads go on undisturbed
	if err := s.driver.call(cuStreamBeginCapture, s.handle, threadLocal); err != nil {
		return Graph{}, err
	}
	failed := work()
	var recorded uintptr
	if err := s.driver.call(cuStreamEndCapture, s.handle, uintptr(unsafe.Pointer(&recorded))); failed == nil {
		failed = err
	}
	if recorded != 0 {
		defer s.driver.call(cuGraphDestroy, recorded) // the executable form does not need it
	}
	if failed != nil {
		return Graph{}, failed
	}
	var handle uintptr
	if err := s.driver.call(cuGraphInstantiateWithFlags, uintptr(unsafe.Pointer(&handle)), recorded, 0); err != nil {
		if HasCode(err, notFound) {
			return Graph{}, fmt.Errorf("CUDA graphs need driver 470 (CUDA 11.4) or newer: %w", err)
		}
		return Graph{}, err
	}
	return Graph{driver: s.driver, handle: handle}, nil
}

// Replay queues the graph's work.
func (s Stream) Replay(g Graph) error { return s.driver.call(cuGraphLaunch, g.handle, s.handle) }

// Destroy lets the graph go. The zero value needs none.
func (g Graph) Destroy() error {
	if g.driver == nil {
		return nil
	}
	return g.driver.call(cuGraphExecDestroy, g.handle)
}
