//go:build linux

package gpu

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"saturate/internal/audio"
	"saturate/internal/cuda"
	"saturate/internal/cuda/cudatest"
	"saturate/internal/dataset"
	"saturate/internal/mel"
	melcuda "saturate/internal/mel/cuda"
	"saturate/internal/mel/cuda/melcudatest"
)

// sounds writes WAV files of many lengths, some in stereo, which decodes to floats.
func sounds(t *testing.T, n int) *dataset.List {
	t.Helper()
	dir := t.TempDir()
	sound := melcuda.MadeUp(40000)
	for i := range n {
		samples := sound[i*37%9000:][:200+i*i*911%26000]
		channels := 1
		if i%5 == 4 {
			channels, samples = 2, samples[:len(samples)/2*2]
		}
		wav, err := audio.AppendWAV(nil, 16000, channels, samples)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%03d.wav", i)), wav, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return found(t, dir)
}

// found lists the files of a folder.
func found(t *testing.T, dir string) *dataset.List {
	t.Helper()
	list, err := dataset.Find(t.Context(), []string{dir}, dataset.FindOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// settings are those of every build here; build makes a dataset and gives its bytes.
func settings(layout string) dataset.Options {
	o := dataset.Defaults()
	o.Layout, o.Length, o.Fsync, o.Workers, o.FFmpeg = layout, 1500*time.Millisecond, false, 3, "none"
	return o
}

func build(t *testing.T, list *dataset.List, o dataset.Options) []byte {
	t.Helper()
	o.Output = filepath.Join(t.TempDir(), "out.h5")
	if _, err := dataset.Build(context.Background(), list, o); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(o.Output)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// onFake builds with GPUs that are none, and gives what the pool did and said.
func onFake(t *testing.T, f *cudatest.Fake, list *dataset.List, o dataset.Options, gpuOptions Options) (data []byte, stats Stats, said []string, err error) {
	t.Helper()
	driver, err := cuda.OpenStandIn(f)
	if err != nil {
		return nil, stats, nil, err
	}
	var mu sync.Mutex
	gpuOptions.Params = o.Params
	gpuOptions.Warn = func(m string) {
		mu.Lock()
		said = append(said, m)
		mu.Unlock()
	}
	if o.Layout == dataset.Fixed {
		gpuOptions.RowSamples = int(o.Length.Seconds() * 16000)
	}
	pool, err := openOn(driver, gpuOptions)
	if err != nil {
		return nil, stats, said, err
	}
	o.Computer, o.Memory = pool.Computer, pool
	data = build(t, list, o)
	stats = pool.Stats()
	return data, stats, said, pool.Close()
}

func fake(t *testing.T, p mel.Params) *cudatest.Fake {
	t.Helper()
	f, err := melcudatest.New(p)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The same bytes as from the processor, whatever the layout, the number of GPUs and of rows in a batch, and
// whether rows go into the mapped output or are written there.
func TestBuildOnGPU(t *testing.T) {
	list := sounds(t, 40)
	for _, layout := range []string{dataset.Fixed, dataset.Ragged} {
		o := settings(layout)
		want := build(t, list, o)
		for _, c := range []struct {
			gpus, batch, workers int
			mapped               bool
		}{{1, 1, 0, false}, {1, 0, 0, false}, {1, 4, 0, true}, {3, 5, 0, false}, {2, 0, 3, true}, {1, 4, 50, false}} {
			f := fake(t, o.Params)
			f.GPUs = c.gpus
			o.Map = dataset.MapNo
			if c.mapped && layout == dataset.Fixed {
				o.Map = dataset.MapYes
			}
			got, stats, said, err := onFake(t, f, list, o, Options{Batch: c.batch, Autosize: c.batch == 0, Workers: c.workers})
			if err != nil || len(said) > 0 {
				t.Fatal(err, said)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s, %+v: other bytes than from the processor", layout, c)
			}
			if stats.Rows+stats.OnCPU != 40 || stats.OnCPU > 0 || len(stats.Devices) != c.gpus || stats.PeakBytes == 0 || stats.PinnedBytes == 0 {
				t.Errorf("%s, %+v: %+v", layout, c, stats)
			}
			if left := f.Left(); len(left) > 0 {
				t.Errorf("not given back: %v", left)
			}
		}
	}
}

// An error from every driver call in turn, for a moment or for good: the dataset is the same, and
// the user is told.
func TestEveryCallMayFail(t *testing.T) {
	list := sounds(t, 6)
	o := settings(dataset.Fixed)
	o.Workers = 1
	want := build(t, list, o)
	whole := fake(t, o.Params)
	if _, _, _, err := onFake(t, whole, list, o, Options{Batch: 4}); err != nil {
		t.Fatal(err)
	}
	for n, name := range whole.Order() {
		for _, lasting := range []bool{false, true} {
			f := fake(t, o.Params)
			f.Faults = []cudatest.Fault{{Nth: n + 1, Code: 719, Lasting: lasting}}
			got, stats, said, err := onFake(t, f, list, o, Options{Batch: 4})
			what := fmt.Sprintf("call %d, %s (there %s), lasting %v", n+1, name, f.Failed(), lasting)
			switch {
			case len(f.Failed()) == 0: // fewer calls this time
				if err != nil || len(said) > 0 || !bytes.Equal(got, want) {
					t.Errorf("%s: %v, %q", what, err, said)
				}
			case got == nil: // the GPU was refused before the build began
				if err == nil || !strings.Contains(err.Error(), "719") {
					t.Errorf("%s: %v", what, err)
				}
			case !bytes.Equal(got, want):
				t.Errorf("%s: other bytes", what)
			case stats.Rows+stats.OnCPU != 6:
				t.Errorf("%s: not every row is counted once: %+v", what, stats)
			case err == nil && len(said) == 0 && !strings.HasPrefix(f.Failed()[0], "cuDeviceGet"): // what is only good to know
				t.Errorf("%s: nobody was told; %+v", what, stats)
			case len(said) > 1 || len(said) == 1 && (!strings.Contains(said[0], "719") || !strings.Contains(said[0], "run on the CPU")):
				t.Errorf("%s: told %q", what, said)
			}
		}
	}
}

// Memory that runs out at every allocation in turn costs nothing but smaller batches.
func TestEveryAllocationMayFail(t *testing.T) {
	list := sounds(t, 12)
	o := settings(dataset.Fixed)
	o.Workers = 2
	want := build(t, list, o)
	whole := fake(t, o.Params)
	if _, _, _, err := onFake(t, whole, list, o, Options{Batch: 4}); err != nil {
		t.Fatal(err)
	}
	for _, call := range []string{"cuMemAlloc", "cuMemHostAlloc", "cuMemHostRegister", "cuLaunchKernel"} {
		most := 0
		for name, n := range whole.Calls() {
			if strings.Contains(name, call) {
				most += n
			}
		}
		for n := range most {
			f := fake(t, o.Params)
			f.Faults = []cudatest.Fault{{Call: call, Nth: n + 1, Code: cuda.OutOfMemory}}
			got, stats, said, err := onFake(t, f, list, o, Options{Batch: 4})
			halved := len(f.Failed())
			if strings.HasPrefix(call, "cuMemHost") { // for a file or a row any other memory does
				halved = min(halved, int(stats.Halved))
			}
			if err != nil || len(said) > 0 || int(stats.Halved) != halved || stats.OnCPU > 0 || !bytes.Equal(got, want) {
				t.Errorf("%s %d: %v, said %q, %+v, same bytes %v", call, n+1, err, said, stats, bytes.Equal(got, want))
			}
			if left := f.Left(); len(left) > 0 {
				t.Errorf("%s %d: not given back: %v", call, n+1, left)
			}
		}
	}
}

// A GPU that is all but full: smaller batches; one that is full: the processor.
func TestFullGPU(t *testing.T) {
	list := sounds(t, 20)
	o := settings(dataset.Fixed)
	o.Workers = 1
	want := build(t, list, o)
	in, out := melcuda.BytesFor(o.Params, 24000, 24000)
	for _, c := range []struct {
		bytes uint64
		cpu   bool
	}{{uint64(5 * (in + out)), false}, {uint64(in), true}} {
		f := fake(t, o.Params)
		f.Bytes = c.bytes
		got, stats, said, err := onFake(t, f, list, o, Options{Batch: 8})
		if err != nil || !bytes.Equal(got, want) || stats.Halved == 0 || (stats.OnCPU > 0) != c.cpu {
			t.Errorf("%d bytes: %v, %q, %+v", c.bytes, err, said, stats)
		}
		if c.cpu != (len(said) == 1 && strings.Contains(said[0], "too little free memory for one row")) || len(said) > 1 {
			t.Errorf("%d bytes: said %q", c.bytes, said)
		}
	}
}

// A clip that no batch has room for goes to the processor, and that is said, once.
func TestClipsLargerThanABatch(t *testing.T) {
	list := sounds(t, 20)
	o := settings(dataset.Ragged)
	want := build(t, list, o)
	gpuOptions := Options{Batch: 1, RowSamples: 4000}
	got, stats, said, err := onFake(t, fake(t, o.Params), list, o, gpuOptions)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%v, other bytes: %t", err, !bytes.Equal(got, want))
	}
	if stats.OnCPU == 0 || len(said) != 1 || !strings.Contains(said[0], "does not fit into a GPU batch of 1 rows") {
		t.Errorf("%d rows on the CPU, said %q", stats.OnCPU, said)
	}
}

// A kernel that faults in the middle ends one GPU; the other goes on.
func TestOneOfTwoIsLost(t *testing.T) {
	list := sounds(t, 30)
	o := settings(dataset.Fixed)
	want := build(t, list, o)
	f := fake(t, o.Params)
	f.Faults = []cudatest.Fault{{Call: "cuEventSynchronize", Nth: 5, Code: 214}}
	f.GPUs = 2
	got, stats, said, err := onFake(t, f, list, o, Options{Batch: 2})
	// Its rows go to the processor, or to the other where one of that one's workers takes them in.
	if err != nil || len(said) != 1 || !strings.Contains(said[0], "uncorrectable ECC error") || stats.Rows+stats.OnCPU != 30 || stats.Rows == 0 {
		t.Errorf("%v, %q, %+v", err, said, stats)
	}
	if !bytes.Equal(got, want) {
		t.Error("other bytes than from the processor")
	}
}

func TestNoGPU(t *testing.T) {
	f := fake(t, mel.Whisper(80))
	f.Faults = []cudatest.Fault{{Call: "cuDevicePrimaryCtxRetain", Nth: 1, Code: 46}}
	_, _, _, err := onFake(t, f, sounds(t, 1), settings(dataset.Fixed), Options{})
	if err == nil || !strings.Contains(err.Error(), cuda.ErrUnavailable.Error()) || !strings.Contains(err.Error(), "GPU 0 (Test GPU)") {
		t.Errorf("got %v", err)
	}
	p := mel.Whisper(80)
	p.NFFT = 512
	if _, err := Open(Options{Params: p}); err == nil || !strings.Contains(err.Error(), "only n_fft 400 with hop 160") {
		t.Errorf("got %v", err)
	}
}
