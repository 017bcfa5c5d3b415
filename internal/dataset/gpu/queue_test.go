//go:build linux

package gpu

import (
	"sync"
	"testing"
	"time"

	"saturate/internal/cuda"
	"saturate/internal/cuda/cudatest"
	"saturate/internal/dataset"
	"saturate/internal/mel"
)

// Rows that workers bring one at a time go together while the GPU is busy with others.
func TestRowsComeTogether(t *testing.T) {
	p := mel.Whisper(80)
	f := fake(t, p)
	release := make(chan struct{})
	compute := f.Kernels["logmel_power"]
	f.Kernels["logmel_power"] = func(l cudatest.Launch) uint32 {
		<-release
		return compute(l)
	}
	driver, err := cuda.OpenStandIn(f)
	if err != nil {
		t.Fatal(err)
	}
	pool, err := openOn(driver, Options{Params: p, RowSamples: 1600, Batch: 4, Buffers: 3})
	if err != nil {
		t.Fatal(err)
	}
	const rows = 13
	var group sync.WaitGroup
	for range rows {
		c, err := pool.Computer()
		if err != nil {
			t.Fatal(err)
		}
		job := dataset.Job{Samples: mel.Samples{PCM: make([]int16, 1600)}, Length: 1600, Dst: make([]uint16, 80*10)}
		group.Go(func() {
			if err := c.Compute([]dataset.Job{job}); err != nil {
				t.Error(err)
			}
		})
	}
	q := pool.gpus[0].queue
	for full := false; !full; time.Sleep(time.Millisecond) { // two lanes fly with what there was, the third is full
		q.mu.Lock()
		full = q.flying == 3 || q.flying == 2 && q.open != nil && q.open.filled == 4
		q.mu.Unlock()
	}
	close(release)
	group.Wait()
	stats := pool.Stats()
	if stats.Rows != rows || stats.Batches >= rows || stats.OnCPU > 0 {
		t.Errorf("%+v", stats)
	}
	if err := pool.Close(); err != nil {
		t.Error(err)
	}
	if left := f.Left(); len(left) > 0 {
		t.Errorf("not given back: %v", left)
	}
}

// When the GPU is lost while workers wait for a lane, none of them waits for ever.
func TestNobodyWaitsForALostGPU(t *testing.T) {
	p := mel.Whisper(80)
	f := fake(t, p)
	f.Faults = []cudatest.Fault{{Call: "cuEventSynchronize", Nth: 3, Code: 719, Lasting: true}}
	driver, err := cuda.OpenStandIn(f)
	if err != nil {
		t.Fatal(err)
	}
	pool, err := openOn(driver, Options{Params: p, RowSamples: 1600, Batch: 1, Buffers: 2})
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 8 {
		c, err := pool.Computer()
		if err != nil {
			t.Fatal(err)
		}
		group.Go(func() {
			for range 5 {
				job := dataset.Job{Samples: mel.Samples{PCM: make([]int16, 1600)}, Length: 1600, Dst: make([]uint16, 80*10)}
				if err := c.Compute([]dataset.Job{job}); err != nil {
					t.Error(err)
				}
				if job.Dst[799] == 0 {
					t.Error("a row was left empty")
				}
			}
		})
	}
	group.Wait()
	stats := pool.Stats()
	if stats.Rows+stats.OnCPU != 40 || stats.OnCPU == 0 || len(stats.Lost) != 1 {
		t.Errorf("%+v", stats)
	}
	if err := pool.Close(); err != nil {
		t.Error(err)
	}
}
