//go:build linux

package gpu

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"saturate/internal/cuda"
	"saturate/internal/cuda/cudatest"
	"saturate/internal/dataset"
	"saturate/internal/mel"
	melcuda "saturate/internal/mel/cuda"
)

// dying is GPUs that are lost one after the other, each after some batches, and write nonsense for a while to the rows
// that they had.
type dying struct {
	*cudatest.Fake
	mu       sync.Mutex
	batches  []int                // until the next is lost
	queued   map[uintptr][][]byte // rows that the next event of a stream stands behind
	flying   map[uintptr][][]byte // rows by their event
	speaking int                  // who are lost and have not been asked again
	writing  sync.WaitGroup
}

// dyingPool is GPUs of which so many are lost after so many batches.
func dyingPool(t *testing.T, o Options, gpus int, batches ...int) (*dying, *Pool) {
	t.Helper()
	d := &dying{Fake: fake(t, o.Params), batches: batches, queued: map[uintptr][][]byte{}, flying: map[uintptr][][]byte{}}
	d.GPUs = gpus
	driver, err := cuda.OpenStandIn(d)
	if err != nil {
		t.Fatal(err)
	}
	pool, err := openOn(driver, o)
	if err != nil {
		t.Fatal(err)
	}
	return d, pool
}

func (d *dying) Call(name string, args ...uintptr) uint32 {
	if strings.HasPrefix(name, "cuGetError") {
		return d.Fake.Call(name, args...)
	}
	if d.lost(name, args) {
		return 719
	}
	code := d.Fake.Call(name, args...)
	if name == "cuEventSynchronize" {
		d.mu.Lock()
		delete(d.flying, args[0])
		d.mu.Unlock()
	}
	return code
}

// lost reports whether the GPU that is called does not answer, because it has just been lost, or all of them have.
func (d *dying) lost(name string, args []uintptr) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.batches) == 0 {
		return true
	}
	switch name {
	case "cuMemcpyDtoHAsync_v2":
		d.queued[args[3]] = append(d.queued[args[3]], unsafe.Slice(*(**byte)(unsafe.Pointer(&args[0])), args[2]))
	case "cuEventRecord":
		if rows := d.queued[args[1]]; rows != nil {
			d.flying[args[0]] = rows
			delete(d.queued, args[1])
		}
	case "cuCtxSynchronize":
		if d.speaking > 0 {
			d.speaking--
			return true
		}
	case "cuEventSynchronize":
		if d.batches[0]--; d.batches[0] >= 0 {
			return false
		}
		d.batches = d.batches[1:]
		d.speaking++
		d.Fake.Call("cuCtxSynchronize")
		for event, rows := range d.flying {
			if event == args[0] || len(d.batches) == 0 {
				d.writing.Go(func() { scribble(rows) })
			}
		}
		return true
	}
	return false
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
		f, pool := dyingPool(t, Options{Params: o.Params, RowSamples: 48000, Batch: 3}, 1, batches)
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

// Both of two GPUs are lost, the second perhaps while it computes rows that the first has missed.
func TestBothAreLost(t *testing.T) {
	list := sounds(t, 40)
	o := settings(dataset.Fixed)
	o.Workers = 2
	want := build(t, list, o)
	for batches := range 5 {
		f, pool := dyingPool(t, Options{Params: o.Params, RowSamples: 24000, Batch: 3, Buffers: 1}, 2, 1, batches)
		o.Computer, o.Memory = pool.Computer, pool
		got := build(t, list, o)
		f.writing.Wait()
		if stats := pool.Stats(); !bytes.Equal(got, want) || len(stats.Lost) == 0 || stats.Rows+stats.OnCPU != 40 {
			t.Errorf("after %d further batches: same bytes %t, %+v", batches, bytes.Equal(got, want), stats)
		}
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A row that one GPU has missed is in the memory of the output when another computes it and is lost over it: what that
// one still writes is not there.
func TestLostOverAMissedRow(t *testing.T) {
	o := settings(dataset.Fixed)
	f, pool := dyingPool(t, Options{Params: o.Params, RowSamples: 24000}, 1, 0)
	c, err := pool.Computer()
	if err != nil {
		t.Fatal(err)
	}
	row := func(memory []byte) dataset.Job {
		return dataset.Job{Samples: mel.Samples{PCM: melcuda.MadeUp(24000)}, Length: 24000, Dst: unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(memory))), len(memory)/2), Missed: true}
	}
	size := 2 * 80 * 150
	pinned, err := pool.Alloc(size)
	if err != nil {
		t.Fatal(err)
	}
	got, want := []dataset.Job{row(pinned)}, []dataset.Job{row(make([]byte, size))}
	cpu, err := dataset.NewCPU(o.Params, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(c.Compute(got), cpu.Compute(want)); err != nil || len(pool.Stats().Lost) != 1 {
		t.Fatalf("%v, %+v", err, pool.Stats())
	}
	f.writing.Wait()
	if !slices.Equal(got[0].Dst, want[0].Dst) {
		t.Error("the row is not what the processor computes")
	}
}

// Rows that go to the processor take no memory of their own, however many there are: one of two GPUs is lost, there is
// no memory for any row, rows do not fit.
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

// Memory that runs out is not a loss by itself, but when the GPU cannot be waited for then, it is.
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

// A GPU that cannot be waited for still reads and writes what it was given, after the end of the build too: the memory
// stays.
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
	pool, err := openOn(driver, Options{Params: o.Params})
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
