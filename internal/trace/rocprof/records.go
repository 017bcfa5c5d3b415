package rocprof

import (
	"strings"

	"saturate/internal/trace"
)

type handle struct {
	Handle uint64 `json:"handle"`
}

type size struct{ X, Y, Z int64 }

// record is a record of any kind; each kind fills some of it.
type record struct {
	Kind        int    `json:"kind"`
	Operation   int    `json:"operation"`
	Thread      int64  `json:"thread_id"`
	Start       int64  `json:"start_timestamp"`
	End         int64  `json:"end_timestamp"`
	Bytes       int64  `json:"bytes"`
	Stream      handle `json:"stream_id"`
	From        handle `json:"src_agent_id"`
	To          handle `json:"dst_agent_id"`
	Correlation struct {
		Internal uint64 `json:"internal"`
	} `json:"correlation_id"`
	Dispatch struct {
		Agent  handle `json:"agent_id"`
		Queue  handle `json:"queue_id"`
		Kernel uint64 `json:"kernel_id"`
		Shared int32  `json:"group_segment_size"`
		Block  size   `json:"workgroup_size"`
		Grid   size   `json:"grid_size"` // in threads, not in blocks
	} `json:"dispatch_info"`
}

// records reads the list of one kind.
func (x *reader) records(of string) error {
	add := map[string]func(*record){
		"kernel_dispatch": x.kernel, "memory_copy": x.copy, "hip_api": x.api, "rccl_api": x.api, "marker_api": x.marker,
	}[of]
	if add == nil {
		return x.skip()
	}
	return x.list(func(int) error {
		var r record
		if err := x.d.Decode(&r); err != nil {
			return unexpected(err)
		}
		add(&r)
		return nil
	})
}

func (x *reader) add(r *record, name string, track trace.TrackKey, kind trace.Kind) {
	if x.batch.Len() >= 1<<16 {
		x.b.Append(x.batch.Seal())
		x.batch = x.l.NewBatch()
	}
	x.events++
	x.batch.Add(r.Start, max(0, r.End-r.Start), x.l.Name([]byte(name)), x.l.Track(track), kind)
	if n := int64(r.Correlation.Internal); n > 0 && kind != trace.Annotation {
		x.batch.SetInt(trace.Correlation, x.places<<40|n&(1<<40-1))
	}
}

// kernel is a dispatch. HIP's own copies and fills run as kernels of the driver.
func (x *reader) kernel(r *record) {
	k, d := x.process.kernels[r.Dispatch.Kernel], &r.Dispatch
	kind := trace.Kernel
	switch {
	case strings.HasPrefix(k.name, "__amd_rocclr_copyBuffer"):
		kind = trace.Memcpy
	case strings.HasPrefix(k.name, "__amd_rocclr_fillBuffer"):
		kind = trace.Memset
	}
	x.add(r, k.name, x.stream(d.Agent, r.Stream), kind)
	block := [3]int32{int32(d.Block.X), int32(d.Block.Y), int32(d.Block.Z)}
	x.batch.SetConfig(x.l.Config(trace.Config{
		Grid:  [3]int32{blocks(d.Grid.X, d.Block.X), blocks(d.Grid.Y, d.Block.Y), blocks(d.Grid.Z, d.Block.Z)},
		Block: block, Registers: k.registers, SharedMemory: d.Shared,
	}))
}

// blocks is how many blocks a grid of so many threads has.
func blocks(threads, block int64) int32 {
	if block <= 0 || threads <= 0 {
		return 0
	}
	return int32(min((threads-1)/block+1, 1<<31-1))
}

func (x *reader) stream(agent, stream handle) trace.TrackKey {
	return trace.TrackKey{Domain: trace.Stream, PID: int64(x.process.agents[agent.Handle]), TID: int64(stream.Handle)}
}

// copies in Kineto's words.
var copies = map[string]string{
	"MEMORY_COPY_HOST_TO_HOST": "Memcpy HtoH", "MEMORY_COPY_HOST_TO_DEVICE": "Memcpy HtoD (Host -> Device)",
	"MEMORY_COPY_DEVICE_TO_HOST": "Memcpy DtoH (Device -> Host)", "MEMORY_COPY_DEVICE_TO_DEVICE": "Memcpy DtoD (Device -> Device)",
}

func (x *reader) copy(r *record) {
	name, _ := x.process.call(r.Kind, r.Operation)
	if known := copies[name]; known != "" {
		name = known
	}
	agent := r.To
	if _, gpu := x.process.agents[agent.Handle]; !gpu {
		agent = r.From
	}
	x.add(r, name, x.stream(agent, r.Stream), trace.Memcpy)
	if r.Bytes > 0 {
		x.batch.SetInt(trace.Bytes, r.Bytes)
	}
}

func (x *reader) thread(id int64) trace.TrackKey {
	return trace.TrackKey{Domain: trace.HostThread, PID: x.process.pid, TID: id}
}

func (x *reader) api(r *record) {
	if name, _ := x.process.call(r.Kind, r.Operation); name != "" {
		x.add(r, name, x.thread(r.Thread), trace.Runtime)
	}
}

// marker is a range of roctx. Its push and pop, which older versions write as calls, have no length of their own.
func (x *reader) marker(r *record) {
	text := x.process.markers[r.Correlation.Internal]
	if text == "" || r.End <= r.Start {
		return
	}
	x.add(r, text, x.thread(r.Thread), trace.Annotation)
}
