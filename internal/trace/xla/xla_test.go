package xla

import (
	"testing"

	"saturate/internal/trace"
)

func TestPlace(t *testing.T) {
	written := trace.TrackKey{Domain: trace.HostThread, PID: 701, TID: 99}
	for _, test := range []struct {
		process, thread string
		want            trace.TrackKey
	}{
		{"/host:CPU", "python3", written},
		{"/device:GPU:0", "Stream #14(Memset,Compute)", trace.TrackKey{Domain: trace.Stream, PID: 0, TID: 14}},
		{"/device:GPU:3", "Stream #2", trace.TrackKey{Domain: trace.Stream, PID: 3, TID: 2}},
		{"/device:GPU:1 NVIDIA H200", "XLA Modules", trace.TrackKey{Domain: trace.StreamNotes, PID: 1, TID: 99}},
		{"/device:GPU:x", "Stream #2", written},
		{"", "", written},
	} {
		if got := Place(test.process, test.thread, written); got != test.want {
			t.Errorf("%q %q: %+v, want %+v", test.process, test.thread, got, test.want)
		}
	}
}

func TestProcess(t *testing.T) {
	for name, want := range map[string]bool{"/host:CPU": true, "/device:GPU:0": true, "/device:TPU:1": true, "python3": false, "": false, "/usr/bin/python": false} {
		if Process(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

func TestKind(t *testing.T) {
	for _, test := range []struct {
		event trace.Unclassified
		want  trace.Kind
	}{
		{trace.Unclassified{Domain: trace.Stream, Name: "fusion_407"}, trace.Kernel},
		{trace.Unclassified{Domain: trace.Stream, Name: "MemcpyH2D"}, trace.Memcpy},
		{trace.Unclassified{Domain: trace.Stream, Name: "Memset 0"}, trace.Memset},
		{trace.Unclassified{Domain: trace.StreamNotes, Name: "jit_step"}, trace.GPUAnnotation},
		{trace.Unclassified{Name: "train", Step: true}, trace.Annotation},
		{trace.Unclassified{Name: "$train.py:23 data"}, trace.Python},
		{trace.Unclassified{Name: "MemcpyH2D", Correlated: true}, trace.Driver},
		{trace.Unclassified{Name: "cuGraphLaunch"}, trace.Driver},
		{trace.Unclassified{Name: "cudaMalloc"}, trace.Driver},
		{trace.Unclassified{Name: "customcall"}, trace.CPUOp},
		{trace.Unclassified{Name: "cu"}, trace.CPUOp},
		{trace.Unclassified{Name: "PjitFunction(step)"}, trace.CPUOp},
	} {
		if got := Kind(test.event); got != test.want {
			t.Errorf("%+v is a %v, want %v", test.event, got, test.want)
		}
	}
}

func TestDetails(t *testing.T) {
	kernel := Details("regs:32 static_shared:16 dynamic_shared:1024 grid:3000,1,2 block:128,1,1 occ_pct:62.5")
	want := trace.Config{Grid: [3]int32{3000, 1, 2}, Block: [3]int32{128, 1, 1}, Registers: 32, SharedMemory: 1040, Occupancy: 62.5}
	if !kernel.HasConfig || kernel.Config != want || kernel.HasBytes || kernel.Copy != "" {
		t.Errorf("%+v", kernel)
	}
	copied := Details("kind_src:device kind_dst:pinned size:4 dest:0 async:1")
	if copied.Copy != "device -> pinned" || !copied.HasBytes || copied.Bytes != 4 || copied.HasConfig {
		t.Errorf("%+v", copied)
	}
	if d := Details("size:many nonsense grid::, regs"); d.HasBytes {
		t.Errorf("%+v", d)
	}
}
