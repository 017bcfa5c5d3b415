package analyze

import (
	"testing"

	"saturate/internal/trace"
)

// allocate adds an allocation (or, negative, a release) at a time in µs.
func (m *maker) allocate(at float64, address uint64, bytes, used, reserved int64) *maker {
	m.batch.Memory(trace.MemoryChange{
		Time: int64(at * 1000), Bytes: bytes, Address: address, Allocated: used, Reserved: reserved, OnGPU: true,
		Track: m.lexicon.Track(trace.TrackKey{Domain: trace.HostThread, PID: 100, TID: mainThread}),
	})
	return m
}

func TestMemory(t *testing.T) {
	const mb = 1 << 20
	m := newMaker()
	m.meta.GPUs = []trace.GPU{{Device: 0, Name: "GPU", Memory: 2000 * mb}}
	m.op("aten::linear", 0, 100).op("aten::empty", 10, 5).allocate(12, 1, 600*mb, 600*mb, 1000*mb)
	m.frame("model.py(5): forward", 200, 200).op("aten::softmax", 210, 100).op("aten::empty", 215, 10).allocate(220, 2, 300*mb, 900*mb, 1900*mb)
	m.allocate(250, 2, -300*mb, 600*mb, 1900*mb)
	m.allocate(500, 3, 10*mb, 610*mb, 1900*mb)
	m.op("aten::zeros", 600, 300).call("cudaFree", 610, 100).call("cudaMalloc", 720, 100)
	m.kernel("k", 900, 910, 10)
	mem := m.analyse(t, All).Memory
	if !mem.Recorded || mem.PeakBytes != 900*mb || mem.PeakAtNS != 220_000 || mem.ReservedBytes != 1900*mb || mem.TotalBytes != 2000*mb || mem.Allocations != 3 {
		t.Errorf("%+v", mem)
	}
	if mem.Fragmentation < 0.52 || mem.Fragmentation > 0.53 {
		t.Errorf("fragmentation %f, want 1000/1900", mem.Fragmentation)
	}
	if len(mem.Held) != 2 || mem.Held[0] != (Holder{"aten::linear", 600 * mb, 1}) || mem.Held[1] != (Holder{"aten::softmax in model.py:5 forward", 300 * mb, 1}) {
		t.Errorf("held %+v", mem.Held)
	}
	if len(mem.Spikes) != 1 || mem.Spikes[0] != (Spike{220_000, 300 * mb, "aten::softmax in model.py:5 forward"}) {
		t.Errorf("spikes %+v", mem.Spikes)
	}
	if mem.DriverCalls != 2 || mem.DriverNS != 200_000 || mem.Retries != 1 {
		t.Errorf("driver: %d calls, %d ns, %d retries", mem.DriverCalls, mem.DriverNS, mem.Retries)
	}
}

func TestMemoryNotRecorded(t *testing.T) {
	mem := newMaker().call("cudaMalloc", 0, 10).kernel("k", 20, 30, 10).analyse(t, All).Memory
	if mem.Recorded || mem.DriverCalls != 1 || mem.Device != -1 {
		t.Errorf("%+v", mem)
	}
}
