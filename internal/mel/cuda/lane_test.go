//go:build linux

package melcuda

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"saturate/internal/cuda"
	"saturate/internal/cuda/cudatest"
	"saturate/internal/mel"
	"saturate/internal/mel/cuda/melcudatest"
)

func fake(t *testing.T, p mel.Params) *cudatest.Fake {
	t.Helper()
	f, err := melcudatest.New(p)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// firstGPU opens the driver's first GPU.
func firstGPU(d *cuda.Driver, p mel.Params, pins *Pins) (*GPU, error) {
	devices, err := d.Devices()
	if err != nil {
		return nil, err
	}
	return Open(devices[0], p, pins)
}

// laneClips are the test's clips with room for their values, and what package mel makes of them.
func laneClips(t *testing.T, p mel.Params) (clips []Clip, want [][]uint16) {
	t.Helper()
	x, err := mel.New(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range testClips() {
		n := p.Mels * p.Frames(c.length)
		values := make([]uint16, n)
		if _, err := x.Half(values, c.samples, c.length); err != nil {
			t.Fatal(err)
		}
		clips = append(clips, Clip{Samples: c.samples, Length: c.length, Dst: make([]uint16, n)})
		want = append(want, values)
	}
	return clips, want
}

func requireValues(t *testing.T, clips []Clip, want [][]uint16) {
	t.Helper()
	for i := range clips {
		if !slices.Equal(clips[i].Dst, want[i]) {
			t.Errorf("clip %d (%s) has other values", i, testClips()[i].name)
		}
	}
}

// Lanes of any size, several at a time, with and without pinned memory on either side, bring
// every clip's values where they belong.
func TestLanes(t *testing.T) {
	for _, p := range testParams()[1:3] {
		f := fake(t, p)
		driver, err := cuda.OpenStandIn(f)
		if err != nil {
			t.Fatal(err)
		}
		g, err := firstGPU(driver, p, new(Pins))
		if err != nil {
			t.Fatal(err)
		}
		in, out := BytesFor(p, 33000, 33000)
		var group sync.WaitGroup
		for worker := range 3 {
			clips, want := laneClips(t, p)
			group.Go(func() {
				if worker == 2 {
					free := pinRows(t, g, clips)
					defer free()
				}
				lane, err := g.NewLane((1+worker)*in, (1+worker)*out)
				if err != nil {
					t.Error(err)
					return
				}
				for range 2 {
					times, err := lane.Compute(clips)
					if err != nil {
						t.Error(err)
					}
					if times.Clips != len(clips) || times.Batches < 1 || times.BytesOut < 1 {
						t.Errorf("worker %d: %+v", worker, times)
					}
				}
				if err := lane.Close(); err != nil {
					t.Error(err)
				}
				requireValues(t, clips, want)
			})
		}
		group.Wait()
		if device, pinned := g.Peak(); device < int64(in+out) || pinned < int64(in+out) {
			t.Errorf("peak memory %d on the GPU, %d pinned", device, pinned)
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
		if left := f.Left(); len(left) > 0 {
			t.Errorf("not given back: %v", left)
		}
	}
}

// pinRows moves the clips' rows and one clip's samples into pinned memory.
func pinRows(t *testing.T, g *GPU, clips []Clip) (free func()) {
	t.Helper()
	n := 0
	for _, c := range clips {
		n += len(c.Dst)
	}
	memory, freeRows, err := g.Alloc(2 * n)
	if err != nil {
		t.Fatal(err)
	}
	rows := unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(memory))), n)
	for i := range clips {
		clips[i].Dst, rows = rows[:len(clips[i].Dst):len(clips[i].Dst)], rows[len(clips[i].Dst):]
	}
	samples := asBytes(clips[0].Samples.PCM)
	memory, freeSamples, err := g.Alloc(len(samples))
	if err != nil {
		t.Fatal(err)
	}
	copy(memory, samples)
	clips[0].Samples.PCM = unsafe.Slice((*int16)(unsafe.Pointer(unsafe.SliceData(memory))), len(samples)/2)
	return func() {
		if err := errors.Join(freeRows(), freeSamples()); err != nil {
			t.Error(err)
		}
	}
}

func TestLaneRefuses(t *testing.T) {
	p := mel.Whisper(80)
	driver, err := cuda.OpenStandIn(fake(t, p))
	if err != nil {
		t.Fatal(err)
	}
	g, err := firstGPU(driver, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	in, out := BytesFor(p, 16000, 16000)
	lane, err := g.NewLane(in, out)
	if err != nil {
		t.Fatal(err)
	}
	defer lane.Close()
	for want, c := range map[string]Clip{
		"use only one kind":             {Samples: mel.Samples{PCM: []int16{1}, Float: []float32{1}}, Length: 160, Dst: make([]uint16, 80)},
		"the buffer has 7 values":       {Samples: mel.Samples{PCM: []int16{1}}, Length: 160, Dst: make([]uint16, 7)},
		"does not fit into a GPU batch": {Samples: mel.Samples{PCM: []int16{1}}, Length: 20000, Dst: make([]uint16, 80*125)},
		"too long for the GPU":          {Samples: mel.Samples{PCM: []int16{1}}, Length: math.MaxInt32},
		"the buffer has 0 values":       {Samples: mel.Samples{PCM: []int16{1}}, Length: 16000},
		"80 bands of 1 frames (":        {Length: 160},
	} {
		if _, err := lane.Compute([]Clip{c}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	short := Clip{Samples: mel.Samples{PCM: make([]int16, 100)}, Length: 100}
	if times, err := lane.Compute([]Clip{short}); err != nil || times.Clips != 1 {
		t.Errorf("a clip shorter than a frame's step: %+v, %v", times, err)
	}
	odd := Clip{Samples: mel.Samples{Float: []float32{float32(math.NaN()), 1, float32(math.Inf(1)), 1e30}}, Length: 160, Dst: make([]uint16, 80)}
	batch := []Clip{odd}
	if _, err := lane.Compute(batch); err != nil || batch[0].Impossible != 3 {
		t.Errorf("impossible samples: %d, %v", batch[0].Impossible, err)
	}
}

// everything does a whole life: open, a lane, a batch, close.
func everything(t *testing.T, f *cudatest.Fake, p mel.Params, clips []Clip) (err error) {
	driver, err := cuda.OpenStandIn(f)
	if err != nil {
		return err
	}
	g, err := firstGPU(driver, p, new(Pins))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	row, free, err := g.Alloc(2 * len(clips[0].Dst))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, free()) }()
	pageable := clips[0].Dst
	defer func() { clips[0].Dst = pageable }()
	clips[0].Dst = unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(row))), len(pageable))
	in, out := BytesFor(p, 40000, 40000)
	lane, err := g.NewLane(3*in, 3*out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lane.Close()) }()
	_, err = lane.Compute(clips)
	return err
}

// An error from every driver call in turn is reported with its name; all memory is given back but
// what a failing call was to give back.
func TestEveryCallMayFail(t *testing.T) {
	p := mel.Whisper(80)
	clips, _ := laneClips(t, p)
	clips = clips[:6]
	whole := fake(t, p)
	if err := everything(t, whole, p, clips); err != nil {
		t.Fatal(err)
	}
	if left := whole.Left(); len(left) > 0 {
		t.Fatalf("not given back: %v", left)
	}
	for n, name := range whole.Order() {
		for _, lasting := range []bool{false, true} {
			f := fake(t, p)
			f.Faults = []cudatest.Fault{{Nth: n + 1, Code: 719, Lasting: lasting}}
			err := everything(t, f, p, clips)
			what := fmt.Sprintf("call %d, %s, lasting %v", n+1, name, lasting)
			if !cuda.HasCode(err, 719) || !strings.Contains(err.Error(), "719") {
				t.Fatalf("%s: got %v", what, err)
			}
			gives := slices.ContainsFunc([]string{"Destroy", "Free", "Unload", "Unregister", "SetCurrent", "GetCurrent"}, func(s string) bool { return strings.Contains(name, s) })
			if left := f.Left(); len(left) > 0 && !lasting && !gives {
				t.Errorf("%s: not given back: %v", what, left)
			}
		}
	}
}

func TestFits(t *testing.T) {
	for _, p := range testParams() {
		if err := Fits(p); err != nil {
			t.Error(err)
		}
	}
	change := func(f func(*mel.Params)) mel.Params {
		p := mel.Whisper(80)
		f(&p)
		return p
	}
	for want, p := range map[string]mel.Params{
		"only n_fft 400 with hop 160, not 512": change(func(p *mel.Params) { p.NFFT = 512 }),
		"not 400 with 100":                     change(func(p *mel.Params) { p.Hop = 100 }),
		"not 1.5":                              change(func(p *mel.Params) { p.Power = 1.5 }),
		"not 2000":                             change(func(p *mel.Params) { p.Mels = 2000 }),
		"unknown window":                       change(func(p *mel.Params) { p.Window = "kaiser" }),
	} {
		if err := Fits(p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// The measurements themselves, on a GPU that is none: every figure is there.
func TestMeasure(t *testing.T) {
	p := mel.Whisper(80)
	f := fake(t, p)
	driver, err := cuda.OpenStandIn(f)
	if err != nil {
		t.Fatal(err)
	}
	devices, err := driver.Devices()
	if err != nil {
		t.Fatal(err)
	}
	s, err := Measure(devices[0], p, 200*time.Millisecond, 2, 2, 20*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	for name, figure := range map[string]float64{
		"kernel": s.Kernel, "graph": s.Graph, "transfers": s.Transfers, "copied": s.Copied, "in": s.InGBps, "out": s.OutGBps,
		"busy": s.Busy, "device bytes": float64(s.DeviceBytes), "pinned bytes": float64(s.PinnedBytes), "values": float64(s.Agreement.Values),
	} {
		if !(figure > 0) {
			t.Errorf("%s is %v", name, figure)
		}
	}
	if left := f.Left(); len(left) > 0 {
		t.Errorf("not given back: %v", left)
	}
}
