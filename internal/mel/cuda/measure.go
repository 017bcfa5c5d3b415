package melcuda

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"saturate/internal/cuda"
	"saturate/internal/mel"
)

// Speeds is what one GPU does with clips of one length, in clips a second.
type Speeds struct {
	ClipSeconds float64   `json:"clip_seconds"`       // length of a clip
	Bands       int       `json:"bands"`              // mel bands
	Batch       int       `json:"batch"`              // clips in a batch
	Lanes       int       `json:"lanes"`              // batches in flight at once
	Kernel      float64   `json:"kernel_per_s"`       // both kernels, nothing moved
	Graph       float64   `json:"kernel_graph_per_s"` // the same as a CUDA graph
	Transfers   float64   `json:"transfers_per_s"`    // pinned samples in, pinned features out
	Copied      float64   `json:"copied_per_s"`       // the same from and to memory that is not pinned
	InGBps      float64   `json:"in_gb_per_s"`        // while Transfers ran
	OutGBps     float64   `json:"out_gb_per_s"`       // while Transfers ran
	Busy        float64   `json:"kernel_busy"`        // share of that time in which a kernel ran
	DeviceBytes int64     `json:"peak_device_bytes"`  // most memory of the GPU in use
	PinnedBytes int64     `json:"pinned_host_bytes"`  // pinned memory of the host
	Registers   int       `json:"registers"`          // of a thread
	Spilled     int       `json:"spilled_bytes"`      // bytes of registers that a thread keeps in memory
	Agreement   Agreement `json:"agreement"`          // with the float64 reference
}

// Measure computes made-up clips of that length, batches of them in so many lanes at a time; each
// speed is measured for at least that long.
func Measure(device cuda.Device, p mel.Params, clip time.Duration, batch, lanes int, hold time.Duration) (s Speeds, err error) {
	s = Speeds{ClipSeconds: clip.Seconds(), Bands: p.Mels, Batch: batch, Lanes: lanes}
	g, err := Open(device, p, new(Pins))
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	err = g.ctx.Do(func() (err error) {
		s.Registers, s.Spilled, err = g.kernel.features.Resources()
		return err
	})
	if err != nil {
		return s, err
	}
	length := int(clip.Seconds() * float64(p.SampleRate))
	in, out := BytesFor(p, length, length)
	all := make([]*Lane, 0, lanes)
	defer func() {
		for _, l := range all {
			err = errors.Join(err, l.Close())
		}
	}()
	for range lanes {
		l, err := g.NewLane(batch*in, batch*out)
		if err != nil {
			return s, err
		}
		all = append(all, l)
	}
	clips, release, err := g.pinnedClips(p, length, batch, lanes)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, release()) }()

	if s.Agreement, err = agreementOf(all[0], p, clips[0][:min(batch, 2)]); err != nil {
		return s, err
	}
	if s.Kernel, s.Graph, err = all[0].kernelSpeed(clips[0], hold/4); err != nil {
		return s, err
	}
	began := time.Now()
	times, rate, err := together(all, clips, hold)
	if err != nil {
		return s, err
	}
	took := time.Since(began).Seconds()
	s.Transfers, s.Busy = rate, times.Compute.Seconds()/took
	s.InGBps, s.OutGBps = float64(times.BytesIn)/took/1e9, float64(times.BytesOut)/took/1e9
	s.DeviceBytes, s.PinnedBytes = g.Peak()

	for i := range clips {
		clips[i] = unpinned(clips[i])
	}
	if _, s.Copied, err = together(all, clips, hold); err != nil {
		return s, err
	}
	return s, nil
}

// pinnedClips makes a batch of clips for each lane, samples and features in pinned memory.
func (g *GPU) pinnedClips(p mel.Params, length, batch, lanes int) (clips [][]Clip, release func() error, err error) {
	var frees []func() error
	release = func() error {
		var errs []error
		for _, free := range frees {
			errs = append(errs, free())
		}
		return errors.Join(errs...)
	}
	sound := MadeUp(length)
	values := p.Mels * p.Frames(length)
	for range lanes {
		rows, free, err := g.Alloc(batch * (2*length + 2*values))
		if err != nil {
			return nil, nil, errors.Join(err, release())
		}
		frees = append(frees, free)
		list := make([]Clip, batch)
		for i := range list {
			samples := asPCM(rows[i*2*length:][:2*length])
			copy(samples, sound)
			list[i] = Clip{
				Samples: mel.Samples{PCM: samples}, Length: length,
				Dst: asHalf(rows[batch*2*length+i*2*values:][:2*values]),
			}
		}
		clips = append(clips, list)
	}
	return clips, release, nil
}

// unpinned gives the clips in memory of Go's.
func unpinned(clips []Clip) []Clip {
	out := make([]Clip, len(clips))
	for i, c := range clips {
		out[i] = Clip{
			Samples: mel.Samples{PCM: append([]int16(nil), c.Samples.PCM...)}, Length: c.Length,
			Dst: append([]uint16(nil), c.Dst...),
		}
	}
	return out
}

// MadeUp is sound with the dynamics of speech: gliding harmonics, breath, pauses.
func MadeUp(samples int) []int16 {
	r := rand.New(rand.NewPCG(1, 2))
	out := make([]int16, samples)
	phase := 0.0
	for i := range out {
		t := float64(i) / 16000
		phase += 2 * math.Pi * (140 + 60*math.Sin(2*math.Pi*0.7*t)) / 16000
		loud := max(0, math.Sin(2*math.Pi*1.3*t)) * max(0, math.Sin(2*math.Pi*0.11*t+1))
		v := 0.0
		for h := 1.0; h < 12; h++ {
			v += math.Sin(h*phase) / h
		}
		out[i] = int16(9000*loud*v + 20*r.NormFloat64()*(0.05+loud))
	}
	return out
}

func agreementOf(l *Lane, p mel.Params, clips []Clip) (a Agreement, err error) {
	if _, err := l.Compute(clips); err != nil {
		return a, err
	}
	for _, c := range clips[:1] {
		double := make([]float64, len(c.Samples.PCM))
		for i, v := range c.Samples.PCM {
			double[i] = float64(v) / 32768
		}
		want, err := mel.Reference(p, double, c.Length)
		if err != nil {
			return a, err
		}
		a.Add(c.Dst, want)
	}
	return a, nil
}

// kernelSpeed launches the kernels over and over, by themselves and as a graph.
func (l *Lane) kernelSpeed(clips []Clip, hold time.Duration) (plain, graph float64, err error) {
	if _, err := l.Compute(clips); err != nil { // leaves the batch on the GPU
		return 0, 0, err
	}
	g := l.gpu
	launch := func() error { return g.kernel.launch(g.queues.compute, &l.batch, l.deviceIn, l.deviceOut) }
	err = g.ctx.Do(func() (err error) {
		if plain, err = l.repeated(len(clips), hold, launch); err != nil {
			return err
		}
		recorded, err := g.queues.compute.Capture(launch)
		if err != nil {
			return err
		}
		graph, err = l.repeated(len(clips), hold, func() error { return g.queues.compute.Replay(recorded) })
		return errors.Join(err, recorded.Destroy())
	})
	return plain, graph, err
}

// repeated is how many clips a second go through work that is queued many times, by the GPU's clock.
func (l *Lane) repeated(clips int, hold time.Duration, work func() error) (float64, error) {
	q := l.gpu.queues.compute
	for n := 8; ; n *= 4 {
		if err := q.Record(l.events[computing]); err != nil {
			return 0, err
		}
		for range n {
			if err := work(); err != nil {
				return 0, err
			}
		}
		if err := q.Record(l.events[computed]); err != nil {
			return 0, err
		}
		if err := l.events[computed].Synchronize(); err != nil {
			return 0, err
		}
		took, err := l.events[computed].Since(l.events[computing])
		if err != nil {
			return 0, err
		}
		if took >= hold || n > 1<<20 {
			return float64(n*clips) / took.Seconds(), nil
		}
	}
}

// together computes in all lanes at the same time, batch after batch.
func together(lanes []*Lane, clips [][]Clip, hold time.Duration) (sum Times, rate float64, err error) {
	var (
		mu    sync.Mutex
		group sync.WaitGroup
	)
	began := time.Now()
	for i, l := range lanes {
		group.Go(func() {
			for time.Since(began) < hold {
				times, failed := l.Compute(clips[i])
				mu.Lock()
				sum.Add(times)
				err = errors.Join(err, failed)
				mu.Unlock()
				if failed != nil {
					return
				}
			}
		})
	}
	group.Wait()
	took := time.Since(began).Seconds()
	if took <= 0 || sum.Clips == 0 {
		return sum, 0, errors.Join(err, fmt.Errorf("no clip was computed"))
	}
	return sum, float64(sum.Clips) / took, err
}
