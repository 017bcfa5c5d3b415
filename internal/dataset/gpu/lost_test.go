//go:build linux

package gpu

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"saturate/internal/cuda"
	"saturate/internal/cuda/cudatest"
	"saturate/internal/dataset"
)

// dying is a GPU that is lost after some batches, and writes nonsense for a while to the rows that it had.
type dying struct {
	*cudatest.Fake
	mu      sync.Mutex
	batches int                  // until then
	queued  [][]byte             // rows that the next event stands behind
	flying  map[uintptr][][]byte // rows by their event
	writing sync.WaitGroup
}

func (d *dying) Call(name string, args ...uintptr) uint32 {
	if strings.HasPrefix(name, "cuGetError") {
		return d.Fake.Call(name, args...)
	}
	d.mu.Lock()
	if d.batches < 0 {
		d.mu.Unlock()
		return 719
	}
	switch name {
	case "cuMemcpyDtoHAsync_v2":
		d.queued = append(d.queued, unsafe.Slice(*(**byte)(unsafe.Pointer(&args[0])), args[2]))
	case "cuEventRecord":
		if d.queued != nil {
			d.flying[args[0]], d.queued = d.queued, nil
		}
	case "cuEventSynchronize":
		if d.batches--; d.batches < 0 {
			d.Fake.Call("cuCtxSynchronize")
			for _, rows := range d.flying {
				d.writing.Go(func() { scribble(rows) })
			}
			d.mu.Unlock()
			return 719
		}
	}
	d.mu.Unlock()
	code := d.Fake.Call(name, args...)
	if name == "cuEventSynchronize" {
		d.mu.Lock()
		delete(d.flying, args[0])
		d.mu.Unlock()
	}
	return code
}

func scribble(rows [][]byte) {
	for range 20 {
		for _, row := range rows {
			for i := range row {
				row[i] = 0xEE
			}
		}
		time.Sleep(time.Millisecond)
	}
}

// What a lost GPU still writes is in no row, be it of a file in memory or of one that is streamed.
func TestLostGPUWritesLonger(t *testing.T) {
	list := mixed(t, true)
	o := settings(dataset.Fixed)
	o.Segment = 3 * time.Second
	o.Output = filepath.Join(t.TempDir(), "out")
	result, err := dataset.Build(t.Context(), list, o)
	if err != nil {
		t.Fatal(err)
	}
	want := outcome(t, result)
	for _, batches := range []int{0, 3, 12, 25, 40, 60} {
		f := &dying{Fake: fake(t, o.Params), batches: batches, flying: map[uintptr][][]byte{}}
		driver, err := cuda.OpenStandIn(f)
		if err != nil {
			t.Fatal(err)
		}
		pool, err := OpenOn(driver, Options{Params: o.Params, RowSamples: 48000, Batch: 3})
		if err != nil {
			t.Fatal(err)
		}
		o.Computer, o.Memory, o.Output = pool.Computer, pool, filepath.Join(t.TempDir(), "out")
		if result, err = dataset.Build(t.Context(), list, o); err != nil {
			t.Fatal(err)
		}
		f.writing.Wait()
		if got := outcome(t, result); got != want || len(pool.Stats().Lost) != 1 {
			t.Errorf("after %d batches: %s, not %s", batches, got, want)
		}
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Rows that go to the processor take no memory of their own, however many there are: one of two GPUs is lost, there is no memory for any row, rows
// do not fit.
func TestMissedRowsKeepNoMemory(t *testing.T) {
	for name, c := range map[string]struct {
		layout string
		gpu    func(f *cudatest.Fake)
		o      Options
	}{
		"one of two lost": {dataset.Fixed, func(f *cudatest.Fake) {
			f.GPUs = 2
			f.Faults = []cudatest.Fault{{Call: "cuEventSynchronize", Nth: 3, Code: 719}}
		}, Options{Batch: 2}},
		"no memory":          {dataset.Fixed, func(f *cudatest.Fake) { f.Bytes = 5000 }, Options{Batch: 2}},
		"rows that are long": {dataset.Ragged, func(f *cudatest.Fake) {}, Options{Batch: 1, RowSamples: 200}},
	} {
		pinned := [2]int64{}
		for i, files := range []int{60, 360} {
			o := settings(c.layout)
			f := fake(t, o.Params)
			c.gpu(f)
			_, stats, _, err := onFake(t, f, sounds(t, files), o, c.o)
			if pinned[i] = stats.PinnedBytes; err != nil || stats.Rows+stats.OnCPU != int64(files) {
				t.Fatal(name, err, stats)
			}
		}
		if pinned[1] > pinned[0]+slab/2 {
			t.Errorf("%s: %d bytes pinned for 60 files, %d for 360", name, pinned[0], pinned[1])
		}
	}
}

// Memory that runs out is no loss by itself, but when the GPU cannot be waited for then, it is.
func TestNoMemoryAndNoAnswer(t *testing.T) {
	list := sounds(t, 20)
	o := settings(dataset.Fixed)
	want := build(t, list, o)
	f := fake(t, o.Params)
	f.Faults = []cudatest.Fault{{Call: "cuLaunchKernel", Nth: 5, Code: cuda.OutOfMemory}, {Call: "cuCtxSynchronize", Nth: 1, Code: cuda.OutOfMemory}}
	got, stats, said, err := onFake(t, f, list, o, Options{Batch: 4})
	if err != nil || len(said) != 1 || len(stats.Lost) != 1 || string(got) != string(want) {
		t.Errorf("%v, said %q, %+v, same bytes %t", err, said, stats, string(got) == string(want))
	}
}

// A GPU that cannot be waited for still reads and writes what it was given, after the end of the build too: the memory stays.
func TestLostGPUKeepsItsMemory(t *testing.T) {
	list := sounds(t, 10)
	o := settings(dataset.Fixed)
	f := fake(t, o.Params)
	release, computed := make(chan struct{}), make(chan uint32)
	compute := f.Kernels["logmel_power"]
	f.Kernels["logmel_power"] = func(l cudatest.Launch) uint32 {
		<-release
		code := compute(l)
		computed <- code
		return code
	}
	f.Faults = []cudatest.Fault{{Call: "cuEventSynchronize", Nth: 1, Code: 719}, {Call: "cuCtxSynchronize", Nth: 1, Code: 719}}
	o.Workers = 1
	_, stats, _, err := onFake(t, f, list, o, Options{Batch: 10, Buffers: 1})
	if err != nil || len(stats.Lost) != 1 {
		t.Errorf("%v, %+v", err, stats)
	}
	close(release)
	if code := <-computed; code != 0 {
		t.Errorf("the GPU no longer reaches its memory: %d", code)
	}
}

// A piece that is larger than a slab leaves what is left of the last one to smaller pieces.
func TestSlabs(t *testing.T) {
	o := settings(dataset.Fixed)
	f := fake(t, o.Params)
	driver, err := cuda.OpenStandIn(f)
	if err != nil {
		t.Fatal(err)
	}
	pool, err := OpenOn(driver, Options{Params: o.Params})
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		for _, size := range []int{1000, 2 * slab} {
			if memory, err := pool.Alloc(size); err != nil || len(memory) != size || cap(memory) != size {
				t.Fatalf("%d bytes: %d, %v", size, len(memory), err)
			}
		}
	}
	if _, pinned := pool.gpus[0].Peak(); pinned != 41*slab {
		t.Errorf("%d bytes pinned for 20 pieces of 1000 bytes and 20 of two slabs", pinned)
	}
	if err := pool.Close(); err != nil || len(f.Left()) > 0 {
		t.Errorf("not given back: %v, %v", f.Left(), err)
	}
}
