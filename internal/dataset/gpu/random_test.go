//go:build linux

package gpu

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"saturate/internal/audio"
	"saturate/internal/cuda"
	"saturate/internal/cuda/cudatest"
	"saturate/internal/dataset"
	melcuda "saturate/internal/mel/cuda"
)

// mixed writes files of every kind: empty, cut off, in stereo, at another rate, of floats some of which are impossible,
// one of many segments, and, when asked for, one that is too long for memory.
func mixed(t *testing.T, long bool) *dataset.List {
	t.Helper()
	dir := t.TempDir()
	sound := melcuda.MadeUp(16000 * 20)
	for i := range 40 {
		rate, channels, samples := 16000, 1, sound[i*37:][:200+i*i*914%26000/2*2]
		switch {
		case i%10 == 4:
			channels = 2
		case i%10 == 7:
			rate = 8000
		case i == 11:
			samples = sound
		case i == 21 && long:
			rate, samples = 8000, nil
			for len(samples) < 8000*601 {
				samples = append(samples, sound...)
			}
		}
		data, err := audio.AppendWAV(nil, rate, channels, samples)
		if err != nil {
			t.Fatal(err)
		}
		switch i % 10 {
		case 3:
			data = nil
		case 5:
			data = data[:len(data)/2]
		case 6:
			data = floats(data[audio.WAVHeaderSize:])
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%02d.wav", i)), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return found(t, dir)
}

// floats is a WAV file of the samples as floats, every 1000th of which is impossible.
func floats(pcm []byte) []byte {
	le := binary.LittleEndian
	n := len(pcm) / 2
	wav := le.AppendUint32([]byte("RIFF"), uint32(36+4*n))
	wav = le.AppendUint32(append(wav, "WAVEfmt "...), 16)
	wav = le.AppendUint32(wav, 1<<16|3) // one channel of floats
	wav = le.AppendUint32(le.AppendUint32(wav, 16000), 64000)
	wav = le.AppendUint32(wav, 32<<16|4)
	wav = le.AppendUint32(append(wav, "data"...), uint32(4*n))
	for i := range n {
		f := float32(int16(le.Uint16(pcm[2*i:]))) / 32768
		if i%1000 == 7 {
			f = 1e30
		}
		wav = le.AppendUint32(wav, math.Float32bits(f))
	}
	return wav
}

// outcome is what a build must give, whatever happens on its way: a hash of everything it wrote, and its counts.
func outcome(t *testing.T, r dataset.Result) string {
	t.Helper()
	h := sha256.New()
	err := filepath.WalkDir(r.Output, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		fmt.Fprintf(h, "%s %d\n", d.Name(), len(data))
		h.Write(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x: %d rows, %d frames, %d bad samples, %v, %d failed", h.Sum(nil)[:8], r.Rows, r.Frames, r.BadSamples, r.Shape, len(r.Failed))
}

// limited is a computer that somebody presses Ctrl-C on.
type limited struct {
	dataset.Starter
	left *atomic.Int64
	stop func()
}

func (l limited) Start(jobs []dataset.Job, done func()) {
	if l.left.Add(-1) == 0 {
		l.stop()
	}
	l.Starter.Start(jobs, done)
}

// Any numbers of workers, buffers, rows and GPUs, any format and layout, calls that fail, memory that runs out, GPUs
// that are lost, builds that are stopped and resumed: in the end the processor's bytes and counts, every row computed
// once, and nothing kept.
func TestRandomBuilds(t *testing.T) {
	list := mixed(t, false)
	want := map[string]string{}
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		o := dataset.Defaults()
		o.To, o.Shard, o.Fsync, o.FFmpeg = dataset.FormatNames()[r.IntN(4)], 7, false, "none"
		o.Length = 1500 * time.Millisecond
		row := 24000
		switch r.IntN(3) {
		case 0:
			o.Layout, row = dataset.Ragged, 4000+r.IntN(30000)
		case 1:
			o.Segment, o.Overlap, row = 100*time.Millisecond, 50*time.Millisecond, 1600
		}
		kind := fmt.Sprint(o.To, o.Layout, o.Segment)
		if want[kind] == "" {
			o.Output = filepath.Join(t.TempDir(), "out")
			result, err := dataset.Build(t.Context(), list, o)
			if err != nil || result.BadSamples == 0 || len(result.Failed) != 8 {
				t.Fatal(err, result.BadSamples, result.Failed)
			}
			want[kind] = outcome(t, result)
		}
		o.Output = filepath.Join(t.TempDir(), "out")
		for try, finished := 0, false; !finished; try++ {
			finished = randomBuild(t, r, list, o, row, try < 5, want[kind])
		}
	}
}

// randomBuild goes on with a dataset, and reports whether it was finished.
func randomBuild(t *testing.T, r *rand.Rand, list *dataset.List, o dataset.Options, row int, trouble bool, want string) bool {
	t.Helper()
	o.Workers, o.Buffers, o.Batch, o.Partial = 1+r.IntN(5), 1+r.IntN(3), 1+r.IntN(8), r.IntN(4) == 0
	if o.Map = dataset.MapNo; o.Layout == dataset.Fixed && o.Segment == 0 && o.To != "webdataset" && r.IntN(2) == 0 {
		o.Map = dataset.MapYes
	}
	f := fake(t, o.Params)
	f.GPUs = 1 + r.IntN(3)
	if r.IntN(6) == 0 {
		f.Bytes = uint64(r.IntN(1 << 20))
	}
	calls := []string{"cuMemAlloc", "cuMemHostAlloc", "cuMemHostRegister", "cuLaunchKernel", "cuEventSynchronize", "cuEventElapsedTime", "cuMemcpyDtoHAsync", "cuCtxSynchronize", ""}
	for range r.IntN(4) {
		fault := cudatest.Fault{Call: calls[r.IntN(len(calls))], Nth: 1 + r.IntN(60), Code: cuda.OutOfMemory}
		if r.IntN(3) == 0 {
			fault.Code, fault.Lasting = 719, r.IntN(2) == 0
		}
		if trouble {
			f.Faults = append(f.Faults, fault)
		}
	}
	var left atomic.Int64
	if n := r.IntN(120); trouble && n < 60 {
		left.Store(int64(n))
	}
	gpuOptions := Options{Params: o.Params, RowSamples: row, Batch: 1 + r.IntN(9), Buffers: 1 + r.IntN(4), Workers: o.Workers * r.IntN(2)}
	what := fmt.Sprintf("%s, %d workers, %d buffers of %d, map %s, %d GPUs, %d buffers of %d", o.To, o.Workers, o.Buffers, o.Batch, o.Map, f.GPUs, gpuOptions.Buffers, gpuOptions.Batch)
	driver, err := cuda.OpenStandIn(f)
	if err != nil {
		return false // its first calls were to fail
	}
	pool, err := openOn(driver, gpuOptions)
	if err != nil {
		return false
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	o.Memory = pool
	o.Computer = func() (dataset.Computer, error) {
		c, err := pool.Computer()
		return limited{c.(dataset.Starter), &left, stop}, err
	}
	result, err := dataset.Build(ctx, list, o)
	stats := pool.Stats()
	closed := pool.Close()
	if len(f.Failed()) == 0 && (closed != nil || len(f.Left()) > 0) {
		t.Errorf("%s: not given back: %v, %v", what, f.Left(), closed)
	}
	if err != nil {
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("%s: %v", what, err)
		}
		return false
	}
	if got := outcome(t, result); got != want {
		t.Errorf("%s, faults %v: %s, not %s", what, f.Failed(), got, want)
	}
	if rows := result.Rows - int64(len(result.Failed)); result.Resumed == 0 && stats.Rows+stats.OnCPU != rows {
		t.Errorf("%s, faults %v: %d rows on GPUs, %d on the CPU, %d in all", what, f.Failed(), stats.Rows, stats.OnCPU, rows)
	}
	return true
}
