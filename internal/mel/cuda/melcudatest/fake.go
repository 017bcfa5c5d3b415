//go:build linux

// Package melcudatest is a GPU for tests of the mel pipeline: a driver in Go whose kernels compute
// with package mel, after they have checked that a batch is laid out as logmel.cu reads it.
package melcudatest

import (
	"sync"
	"unsafe"

	"saturate/internal/cuda/cudatest"
	"saturate/internal/mel"
)

// clip is what logmel.cu calls Clip.
type clip struct {
	samples, out                                    int64
	count, length, frames, sounding, peak, isFloats int32
}

const illegalAddress = 700

// New gives a driver whose kernels compute these parameters as mel.New does, bit for bit.
func New(p mel.Params) (*cudatest.Fake, error) {
	x, err := mel.New(p)
	if err != nil {
		return nil, err
	}
	var one sync.Mutex // an extractor serves one at a time
	features := func(l cudatest.Launch) uint32 {
		one.Lock()
		defer one.Unlock()
		return compute(x, l)
	}
	return &cudatest.Fake{
		Globals: map[string]int{"window": 4 * 400, "twiddle": 8 * 400, "taps": 8 * 512, "first_tap": 4 * 1025},
		Kernels: map[string]cudatest.Kernel{
			"logmel_power": features, "logmel_magnitude": features,
			"finish": func(l cudatest.Launch) uint32 { return finish(p, l) },
		},
	}, nil
}

// pairs reads a list of clip and position.
func pairs(l cudatest.Launch, address uint64) [][2]uint32 {
	memory := l.Memory(address, 8*l.Blocks)
	if memory == nil {
		return nil
	}
	return unsafe.Slice((*[2]uint32)(unsafe.Pointer(&memory[0])), l.Blocks)
}

func clipAt(l cudatest.Launch, list uint64, i uint32) *clip {
	memory := l.Memory(list+uint64(i)*uint64(unsafe.Sizeof(clip{})), int(unsafe.Sizeof(clip{})))
	if memory == nil {
		return nil
	}
	return (*clip)(unsafe.Pointer(&memory[0]))
}

// compute is the kernel for samples, clips, blocks, out, mels, factor, offset.
func compute(x *mel.Extractor, l cudatest.Launch) uint32 {
	blocks := pairs(l, l.Uint(2))
	if blocks == nil || l.Threads != 320 || l.Shared != 51200 || l.Int(4) != x.Params().Mels {
		return illegalAddress
	}
	for i := 0; i < len(blocks); {
		c := clipAt(l, l.Uint(1), blocks[i][0])
		if c == nil {
			return illegalAddress
		}
		for f := int32(0); f < c.sounding; f += 32 { // its blocks, in turn and all of them
			if i == len(blocks) || blocks[i] != [2]uint32{blocks[i][0], uint32(f)} {
				return illegalAddress
			}
			i++
		}
		if code := one(x, l, c); code != 0 {
			return code
		}
	}
	return 0
}

func one(x *mel.Extractor, l cudatest.Launch, c *clip) uint32 {
	size := 2
	if c.isFloats != 0 {
		size = 4
	}
	in := l.Memory(l.Uint(0)+uint64(c.samples), size*int(c.count))
	out := l.Memory(l.Uint(3)+2*uint64(c.out), 2*x.Params().Mels*int(c.frames))
	if in == nil || out == nil || c.samples%16 != 0 || c.frames != int32(x.Params().Frames(int(c.length))) {
		return illegalAddress
	}
	samples := mel.Samples{PCM: unsafe.Slice((*int16)(unsafe.Pointer(&in[0])), c.count)}
	if c.isFloats != 0 {
		samples = mel.Samples{Float: unsafe.Slice((*float32)(unsafe.Pointer(&in[0])), c.count)}
	}
	values := unsafe.Slice((*uint16)(unsafe.Pointer(&out[0])), len(out)/2)
	if _, err := x.Half(values, samples, int(c.length)); err != nil {
		return illegalAddress
	}
	return 0
}

// finish is the kernel for clips, chunks, out, mels and three numbers: compute has done all of it
// but the clips without a sample.
func finish(p mel.Params, l cudatest.Launch) uint32 {
	silence, err := mel.New(p)
	chunks := pairs(l, l.Uint(1))
	if err != nil || chunks == nil || l.Threads != 256 {
		return illegalAddress
	}
	for i, chunk := range chunks {
		c := clipAt(l, l.Uint(0), chunk[0])
		if c == nil || chunk[1] > 0 && chunks[i-1] != [2]uint32{chunk[0], chunk[1] - 1} {
			return illegalAddress
		}
		if c.sounding > 0 || chunk[1] > 0 {
			continue
		}
		out := l.Memory(l.Uint(2)+2*uint64(c.out), 2*p.Mels*int(c.frames))
		if out == nil {
			return illegalAddress
		}
		values := unsafe.Slice((*uint16)(unsafe.Pointer(&out[0])), len(out)/2)
		if _, err := silence.Half(values, mel.Samples{}, int(c.length)); err != nil {
			return illegalAddress
		}
	}
	return 0
}
