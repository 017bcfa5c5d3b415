//go:build linux

package cudatest

import (
	"math"
	"unsafe"
)

// stream does its work in turn, beside the others.
type stream struct {
	work    chan func()
	capture *[]func() // what is recorded instead of done
}

func (f *Fake) newStream() *stream {
	s := &stream{work: make(chan func(), 1024)}
	go func() {
		for work := range s.work {
			work()
		}
	}()
	return s
}

// enqueue gives a stream work, which is left out once the GPU is gone.
func (f *Fake) enqueue(handle uintptr, work func()) uint32 {
	f.mu.Lock()
	s := f.streams[handle]
	if s == nil {
		f.mu.Unlock()
		return invalidHandle
	}
	alive := func() {
		f.mu.Lock()
		dead := f.dead != success
		f.mu.Unlock()
		if !dead {
			work()
		}
	}
	if s.capture != nil {
		*s.capture = append(*s.capture, alive)
		f.mu.Unlock()
		return success
	}
	f.mu.Unlock()
	s.work <- alive
	return success
}

// drain waits for a stream's work so far.
func (f *Fake) drain(handle uintptr) uint32 {
	done := make(chan struct{})
	f.mu.Lock()
	s := f.streams[handle]
	f.mu.Unlock()
	if s == nil {
		return invalidHandle
	}
	s.work <- func() { close(done) }
	<-done
	return f.state()
}

func (f *Fake) state() uint32 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.dead
}

// asyncCopy queues a copy between memory of the GPU and pinned memory of the host.
func (f *Fake) asyncCopy(dst, src, size, stream, gpuSide, hostSide uintptr) uint32 {
	g, ok := f.find(gpuSide, size)
	if !ok || g.kind != onGPU && g.kind != variable {
		return invalidValue
	}
	h, ok := f.find(hostSide, size)
	if !ok || h.kind != pinned && h.kind != registered {
		return invalidValue // a real driver would silently wait here: the caller wants to know
	}
	return f.enqueue(stream, func() { copy(bytesAt(dst, int(size)), bytesAt(src, int(size))) })
}

// Launch is a kernel's launch, as the kernel sees it.
type Launch struct {
	Blocks, Threads, Shared int
	fake                    *Fake
	params                  []uint64
}

// Uint is the kernel's i-th parameter.
func (l Launch) Uint(i int) uint64 { return l.params[i] }

// Int is a 32-bit parameter.
func (l Launch) Int(i int) int { return int(int32(l.params[i])) }

// Float is a 32-bit parameter.
func (l Launch) Float(i int) float32 { return math.Float32frombits(uint32(l.params[i])) }

// Memory is the GPU memory from an address on, or nil when that is outside every allocation.
func (l Launch) Memory(address uint64, size int) []byte {
	if b, ok := l.fake.find(uintptr(address), uintptr(size)); !ok || b.kind != onGPU {
		return nil
	}
	return bytesAt(uintptr(address), size)
}

// Params of a launch are read before it returns, as many as any kernel here has.
const mostParams = 12

func (f *Fake) launch(args []uintptr) uint32 {
	f.mu.Lock()
	kernel := f.Kernels[f.names[args[0]]]
	f.mu.Unlock()
	if kernel == nil || args[1] == 0 || args[4] == 0 || args[4] > 1024 {
		return invalidValue
	}
	l := Launch{Blocks: int(args[1]), Threads: int(args[4]), Shared: int(args[7]), fake: f}
	for i := range mostParams {
		p := *(*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(at[byte](args[9])), i*8))
		if p == nil {
			break
		}
		l.params = append(l.params, *(*uint64)(p))
	}
	return f.enqueue(args[8], func() {
		if code := kernel(l); code != success {
			f.mu.Lock()
			f.dead = code // a fault in a kernel ends the context
			f.mu.Unlock()
		}
	})
}
