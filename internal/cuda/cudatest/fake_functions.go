//go:build linux

package cudatest

import (
	"time"

	"golang.org/x/sys/unix"
)

// function is one of the library's. With context, it needs a current one.
type function struct {
	context bool
	do      func(f *Fake, a []uintptr) uint32
}

var functions = map[string]function{
	"cuInit":             {false, func(f *Fake, a []uintptr) uint32 { return success }},
	"cuDriverGetVersion": {false, func(f *Fake, a []uintptr) uint32 { *at[int32](a[0]) = 13000; return success }},
	"cuDeviceGetCount":   {false, func(f *Fake, a []uintptr) uint32 { *at[int32](a[0]) = int32(f.GPUs); return success }},
	"cuDeviceGet":        {false, func(f *Fake, a []uintptr) uint32 { *at[int32](a[0]) = int32(a[1]); return success }},
	"cuDeviceGetName": {false, func(f *Fake, a []uintptr) uint32 {
		copy(bytesAt(a[0], int(a[1])), "Test GPU\x00")
		return success
	}},
	"cuDeviceGetUuid":     {false, func(f *Fake, a []uintptr) uint32 { return notSupported }},
	"cuDeviceGetPCIBusId": {false, func(f *Fake, a []uintptr) uint32 { return notSupported }},
	"cuDeviceTotalMem_v2": {false, func(f *Fake, a []uintptr) uint32 { *at[uint64](a[0]) = f.Bytes; return success }},
	"cuDeviceGetAttribute": {false, func(f *Fake, a []uintptr) uint32 {
		known := map[uintptr]int32{16: 4, 75: 9, 76: 0}
		value, ok := known[a[1]]
		if !ok {
			return invalidValue
		}
		*at[int32](a[0]) = value
		return success
	}},

	"cuDevicePrimaryCtxRetain": {false, func(f *Fake, a []uintptr) uint32 {
		if int(a[1]) >= f.GPUs {
			return invalidDevice
		}
		*at[uintptr](a[0]) = firstContext + a[1]
		return success
	}},
	"cuDevicePrimaryCtxRelease_v2": {false, func(f *Fake, a []uintptr) uint32 { return success }},
	"cuCtxGetCurrent": {false, func(f *Fake, a []uintptr) uint32 {
		f.mu.Lock()
		defer f.mu.Unlock()
		*at[uintptr](a[0]) = f.current[unix.Gettid()]
		return success
	}},
	"cuCtxSetCurrent": {false, func(f *Fake, a []uintptr) uint32 {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.current[unix.Gettid()] = a[0]
		return success
	}},
	"cuCtxSynchronize": {true, func(f *Fake, a []uintptr) uint32 {
		f.mu.Lock()
		var all []uintptr
		for handle := range f.streams {
			all = append(all, handle)
		}
		f.mu.Unlock()
		for _, handle := range all {
			f.drain(handle)
		}
		return f.state()
	}},

	"cuMemGetInfo_v2": {true, func(f *Fake, a []uintptr) uint32 {
		gpu := f.gpu()
		f.mu.Lock()
		defer f.mu.Unlock()
		*at[uint64](a[0]), *at[uint64](a[1]) = f.Bytes-f.used(gpu), f.Bytes
		return success
	}},
	"cuMemAlloc_v2": {true, func(f *Fake, a []uintptr) uint32 {
		gpu := f.gpu()
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.used(gpu)+uint64(a[1]) > f.Bytes {
			return outOfMemory
		}
		*at[uintptr](a[0]) = f.allocate(a[1], onGPU, gpu)
		return success
	}},
	"cuMemFree_v2": {true, func(f *Fake, a []uintptr) uint32 { return f.drop(a[0], onGPU) }},
	"cuMemHostAlloc": {true, func(f *Fake, a []uintptr) uint32 {
		f.mu.Lock()
		defer f.mu.Unlock()
		*at[uintptr](a[0]) = f.allocate(a[1], pinned, -1)
		return success
	}},
	"cuMemFreeHost": {true, func(f *Fake, a []uintptr) uint32 { return f.drop(a[0], pinned) }},
	"cuMemHostRegister_v2": {true, func(f *Fake, a []uintptr) uint32 {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.blocks = append(f.blocks, block{address: a[0], size: a[1], kind: registered, gpu: -1})
		return success
	}},
	"cuMemHostUnregister": {true, func(f *Fake, a []uintptr) uint32 { return f.drop(a[0], registered) }},
	"cuMemcpyHtoD_v2": {true, func(f *Fake, a []uintptr) uint32 {
		if b, ok := f.find(a[0], a[2]); !ok || b.kind != onGPU && b.kind != variable {
			return invalidValue
		}
		copy(bytesAt(a[0], int(a[2])), bytesAt(a[1], int(a[2])))
		return success
	}},
	"cuMemcpyDtoH_v2": {true, func(f *Fake, a []uintptr) uint32 {
		if b, ok := f.find(a[1], a[2]); !ok || b.kind != onGPU && b.kind != variable {
			return invalidValue
		}
		copy(bytesAt(a[0], int(a[2])), bytesAt(a[1], int(a[2])))
		return success
	}},
	"cuMemcpyHtoDAsync_v2": {true, func(f *Fake, a []uintptr) uint32 { return f.asyncCopy(a[0], a[1], a[2], a[3], a[0], a[1]) }},
	"cuMemcpyDtoHAsync_v2": {true, func(f *Fake, a []uintptr) uint32 { return f.asyncCopy(a[0], a[1], a[2], a[3], a[1], a[0]) }},

	"cuStreamCreate": {true, func(f *Fake, a []uintptr) uint32 {
		f.mu.Lock()
		defer f.mu.Unlock()
		handle := f.handle()
		f.streams[handle] = f.newStream()
		*at[uintptr](a[0]) = handle
		return success
	}},
	"cuStreamSynchronize": {true, func(f *Fake, a []uintptr) uint32 { return f.drain(a[0]) }},
	"cuStreamDestroy_v2": {true, func(f *Fake, a []uintptr) uint32 {
		f.mu.Lock()
		defer f.mu.Unlock()
		s := f.streams[a[0]]
		if s == nil {
			return invalidHandle
		}
		close(s.work)
		delete(f.streams, a[0])
		return success
	}},
	"cuStreamWaitEvent": {true, func(f *Fake, a []uintptr) uint32 {
		f.mu.Lock()
		e := f.events[a[1]]
		var passed chan struct{}
		if e != nil {
			passed = e.passed
		}
		f.mu.Unlock()
		if e == nil {
			return invalidHandle
		}
		if passed == nil {
			return success
		}
		return f.enqueue(a[0], func() { <-passed })
	}},
	"cuEventCreate": {true, func(f *Fake, a []uintptr) uint32 {
		f.mu.Lock()
		defer f.mu.Unlock()
		handle := f.handle()
		f.events[handle] = &event{}
		*at[uintptr](a[0]) = handle
		return success
	}},
	"cuEventRecord": {true, func(f *Fake, a []uintptr) uint32 {
		passed := make(chan struct{})
		f.mu.Lock()
		e, s := f.events[a[0]], f.streams[a[1]]
		if e == nil || s == nil || s.capture != nil {
			f.mu.Unlock()
			return invalidHandle
		}
		e.passed = passed
		f.mu.Unlock()
		s.work <- func() { // even on a GPU that is gone, whose events fail instead of hanging
			f.mu.Lock()
			e.when = time.Now()
			f.mu.Unlock()
			close(passed)
		}
		return success
	}},
	"cuEventSynchronize": {true, func(f *Fake, a []uintptr) uint32 {
		f.mu.Lock()
		e := f.events[a[0]]
		var passed chan struct{}
		if e != nil {
			passed = e.passed
		}
		f.mu.Unlock()
		if e == nil {
			return invalidHandle
		}
		if passed != nil {
			<-passed
		}
		return f.state()
	}},
	"cuEventQuery": {true, func(f *Fake, a []uintptr) uint32 {
		f.mu.Lock()
		defer f.mu.Unlock()
		e := f.events[a[0]]
		if e == nil {
			return invalidHandle
		}
		select {
		case <-e.passed:
		default:
			if e.passed != nil {
				return notReady
			}
		}
		return f.dead
	}},
	"cuEventElapsedTime": {true, func(f *Fake, a []uintptr) uint32 {
		f.mu.Lock()
		defer f.mu.Unlock()
		from, to := f.events[a[1]], f.events[a[2]]
		if from == nil || to == nil || from.when.IsZero() || to.when.IsZero() {
			return invalidHandle
		}
		*at[float32](a[0]) = float32(to.when.Sub(from.when).Seconds() * 1e3)
		return success
	}},
	"cuEventDestroy_v2": {true, func(f *Fake, a []uintptr) uint32 {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.events[a[0]] == nil {
			return invalidHandle
		}
		delete(f.events, a[0])
		return success
	}},

	"cuModuleLoadDataEx": {true, func(f *Fake, a []uintptr) uint32 {
		f.mu.Lock()
		defer f.mu.Unlock()
		m := &module{globals: map[string]uintptr{}}
		for name, size := range f.Globals {
			m.globals[name] = f.allocate(uintptr(size), variable, -1)
		}
		handle := f.handle()
		f.modules[handle] = m
		*at[uintptr](a[0]) = handle
		return success
	}},
	"cuModuleUnload": {true, func(f *Fake, a []uintptr) uint32 {
		f.mu.Lock()
		m := f.modules[a[0]]
		delete(f.modules, a[0])
		f.mu.Unlock()
		if m == nil {
			return invalidHandle
		}
		for _, address := range m.globals {
			f.drop(address, variable)
		}
		return success
	}},
	"cuModuleGetFunction": {true, func(f *Fake, a []uintptr) uint32 {
		name := cText(a[2])
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.modules[a[1]] == nil || f.Kernels[name] == nil {
			return notFound
		}
		handle := f.handle()
		f.names[handle] = name
		*at[uintptr](a[0]) = handle
		return success
	}},
	"cuModuleGetGlobal_v2": {true, func(f *Fake, a []uintptr) uint32 {
		name := cText(a[3])
		f.mu.Lock()
		defer f.mu.Unlock()
		m := f.modules[a[2]]
		if m == nil || m.globals[name] == 0 {
			return notFound
		}
		*at[uintptr](a[0]), *at[uintptr](a[1]) = m.globals[name], uintptr(f.Globals[name])
		return success
	}},
	"cuFuncSetAttribute": {true, func(f *Fake, a []uintptr) uint32 { return success }},
	"cuFuncGetAttribute": {true, func(f *Fake, a []uintptr) uint32 { *at[int32](a[0]) = int32(8 * a[1]); return success }},
	"cuLaunchKernel":     {true, func(f *Fake, a []uintptr) uint32 { return f.launch(a) }},

	"cuStreamBeginCapture_v2": {true, func(f *Fake, a []uintptr) uint32 {
		f.mu.Lock()
		defer f.mu.Unlock()
		s := f.streams[a[0]]
		if s == nil || s.capture != nil {
			return invalidHandle
		}
		s.capture = new([]func())
		return success
	}},
	"cuStreamEndCapture": {true, func(f *Fake, a []uintptr) uint32 {
		f.mu.Lock()
		defer f.mu.Unlock()
		s := f.streams[a[0]]
		if s == nil || s.capture == nil {
			return invalidHandle
		}
		handle := f.handle()
		f.graphs[handle] = *s.capture
		s.capture = nil
		*at[uintptr](a[1]) = handle
		return success
	}},
	"cuGraphInstantiateWithFlags": {true, func(f *Fake, a []uintptr) uint32 {
		f.mu.Lock()
		defer f.mu.Unlock()
		work, ok := f.graphs[a[1]]
		if !ok {
			return invalidHandle
		}
		handle := f.handle()
		f.graphs[handle] = work
		*at[uintptr](a[0]) = handle
		return success
	}},
	"cuGraphLaunch": {true, func(f *Fake, a []uintptr) uint32 {
		f.mu.Lock()
		work, ok := f.graphs[a[0]]
		f.mu.Unlock()
		if !ok {
			return invalidHandle
		}
		return f.enqueue(a[1], func() {
			for _, w := range work {
				w()
			}
		})
	}},
	"cuGraphDestroy":     {true, dropGraph},
	"cuGraphExecDestroy": {true, dropGraph},
}

func dropGraph(f *Fake, a []uintptr) uint32 {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := f.graphs[a[0]]; !ok {
		return invalidHandle
	}
	delete(f.graphs, a[0])
	return success
}

// cText reads a C string.
func cText(address uintptr) string {
	n := 0
	for *at[byte](address + uintptr(n)) != 0 {
		n++
	}
	return string(bytesAt(address, n))
}
