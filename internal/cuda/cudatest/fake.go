//go:build linux

package cudatest

import (
	"slices"
	"strings"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Fake is a driver in Go for cuda.OpenStandIn: any number of GPUs whose memory is the host's, whose
// streams really run beside each other, and whose kernels are Go functions. What real hardware
// would punish it refuses: a copy outside an allocation, a call without a context, a copy from
// memory that is not pinned. Faults makes any call fail.
type Fake struct {
	GPUs    int               // how many; 1 when zero
	Bytes   uint64            // memory of each; 1 GiB when zero
	Kernels map[string]Kernel // by name
	Globals map[string]int    // size of each variable of a module
	Faults  []Fault

	mu      sync.Mutex
	once    sync.Once
	dead    uint32 // what every call returns after a fault that lasts
	next    uintptr
	calls   map[string]int
	order   []string
	failed  []string        // calls that a fault hit
	current map[int]uintptr // context of a thread
	blocks  []block         // sorted by address
	streams map[uintptr]*stream
	events  map[uintptr]*event
	modules map[uintptr]*module
	names   map[uintptr]string // kernels
	graphs  map[uintptr][]func()
	texts   map[uint32][2][]byte
}

// Kernel does a launch's work. It returns a code: 0, or the fault that the GPU reports.
type Kernel func(l Launch) uint32

// Fault makes the Nth call (from 1) whose name contains Call fail with Code; Lasting means that
// the GPU is gone, and every later call fails likewise.
type Fault struct {
	Call    string
	Nth     int
	Code    uint32
	Lasting bool
}

// block is an allocation.
type block struct {
	address uintptr
	size    uintptr
	kind    blockKind
	gpu     int
	memory  []byte // keeps it alive; nil for what the caller owns
}

type blockKind string

const (
	onGPU      blockKind = "GPU"
	pinned     blockKind = "pinned"
	registered blockKind = "registered"
	variable   blockKind = "variable"
)

// Codes of cuda.h.
const (
	success         = 0
	invalidValue    = 1
	outOfMemory     = 2
	invalidDevice   = 101
	invalidContext  = 201
	invalidHandle   = 400
	notFound        = 500
	notReady        = 600
	notSupported    = 801
	firstContext    = 1000 // handles of contexts count from here, by GPU
	defaultGPUBytes = 1 << 30
)

// Calls is how often each function was called so far.
func (f *Fake) Calls() map[string]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := map[string]int{}
	for name, n := range f.calls {
		out[name] = n
	}
	return out
}

// Failed is the calls that a fault hit: with several threads the number of calls is not the same every
// time, and a late fault may find no call to hit.
func (f *Fake) Failed() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.failed)
}

// Order is every call so far, in turn.
func (f *Fake) Order() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.order)
}

// Left names what was taken and not given back: memory, streams, events, modules, graphs.
func (f *Fake) Left() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var left []string
	for _, b := range f.blocks {
		if b.kind != variable {
			left = append(left, string(b.kind)+" memory")
		}
	}
	for range f.streams {
		left = append(left, "stream")
	}
	for range f.events {
		left = append(left, "event")
	}
	for range f.modules {
		left = append(left, "module")
	}
	for range f.graphs {
		left = append(left, "graph")
	}
	slices.Sort(left)
	return left
}

// Used is the GPU memory in use, over all GPUs.
func (f *Fake) Used() (bytes uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.used(-1)
}

func (f *Fake) used(gpu int) (bytes uint64) {
	for _, b := range f.blocks {
		if b.kind == onGPU && (gpu < 0 || b.gpu == gpu) {
			bytes += uint64(b.size)
		}
	}
	return bytes
}

// Call is one call of the library.
func (f *Fake) Call(name string, args ...uintptr) uint32 {
	f.once.Do(func() {
		f.GPUs = max(f.GPUs, 1)
		if f.Bytes == 0 {
			f.Bytes = defaultGPUBytes
		}
		f.calls, f.current = map[string]int{}, map[int]uintptr{}
		f.streams, f.events, f.modules = map[uintptr]*stream{}, map[uintptr]*event{}, map[uintptr]*module{}
		f.names, f.graphs, f.texts = map[uintptr]string{}, map[uintptr][]func(){}, map[uint32][2][]byte{}
		f.next = 0x10000
	})
	if name == "cuGetErrorName" || name == "cuGetErrorString" {
		return f.explain(name, args)
	}
	if code := f.counted(name); code != success {
		return code
	}
	call, ok := functions[name]
	if !ok {
		return notFound
	}
	if call.context && f.gpu() < 0 {
		return invalidContext
	}
	return call.do(f, args)
}

// counted counts the call, and gives the fault that it is to fail with.
func (f *Fake) counted(name string) uint32 {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls[name]++
	f.order = append(f.order, name)
	if f.dead != success {
		return f.dead
	}
	for i := range f.Faults {
		fault := &f.Faults[i]
		if !strings.Contains(name, fault.Call) || fault.Nth < 1 {
			continue
		}
		if fault.Nth--; fault.Nth > 0 {
			continue
		}
		if fault.Lasting {
			f.dead = fault.Code
		}
		f.failed = append(f.failed, name)
		return fault.Code
	}
	return success
}

// gpu is that of the calling thread's context, or -1.
func (f *Fake) gpu() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	context := f.current[unix.Gettid()]
	if context < firstContext {
		return -1
	}
	return int(context - firstContext)
}

func (f *Fake) handle() uintptr {
	f.next += 16
	return f.next
}

// explain gives a code's name and text, as C strings.
func (f *Fake) explain(function string, args []uintptr) uint32 {
	f.mu.Lock()
	defer f.mu.Unlock()
	code := uint32(args[0])
	if _, ok := f.texts[code]; !ok {
		name, text := "CUDA_ERROR_OF_THE_TEST", "a fault of the test"
		switch code {
		case outOfMemory:
			name, text = "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"
		case invalidValue:
			name, text = "CUDA_ERROR_INVALID_VALUE", "invalid argument"
		case invalidContext:
			name, text = "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"
		case notReady:
			name, text = "CUDA_ERROR_NOT_READY", "device not ready"
		case 214:
			name, text = "CUDA_ERROR_ECC_UNCORRECTABLE", "uncorrectable ECC error encountered"
		case 700:
			name, text = "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"
		case 719:
			name, text = "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"
		}
		f.texts[code] = [2][]byte{append([]byte(name), 0), append([]byte(text), 0)}
	}
	which := 0
	if function == "cuGetErrorString" {
		which = 1
	}
	*at[*byte](args[1]) = &f.texts[code][which][0]
	return success
}

// at reads an argument as the pointer that it is.
func at[T any](arg uintptr) *T { return *(**T)(unsafe.Pointer(&arg)) }

// bytesAt is the memory from an address on.
func bytesAt(address uintptr, size int) []byte { return unsafe.Slice(at[byte](address), size) }

// find gives the allocation that holds all of [address, address+size).
func (f *Fake) find(address, size uintptr) (block, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, b := range f.blocks {
		if address >= b.address && size <= b.size && address-b.address <= b.size-size {
			return b, true
		}
	}
	return block{}, false
}

func (f *Fake) drop(address uintptr, kind blockKind) uint32 {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, b := range f.blocks {
		if b.address == address && b.kind == kind {
			f.blocks = slices.Delete(f.blocks, i, i+1)
			return success
		}
	}
	return invalidValue
}

// allocate takes memory, with room around it that no neighbor shares.
func (f *Fake) allocate(size uintptr, kind blockKind, gpu int) uintptr {
	memory := make([]byte, size+64)
	address := (uintptr(unsafe.Pointer(&memory[0])) + 31) &^ 31
	f.blocks = append(f.blocks, block{address: address, size: size, kind: kind, gpu: gpu, memory: memory})
	return address
}

// event is a moment in a stream.
type event struct {
	passed chan struct{} // closed when it has; nil before it was recorded
	when   time.Time
}

// module is loaded code.
type module struct{ globals map[string]uintptr }
