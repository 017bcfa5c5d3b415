package audio

import (
	"bytes"
	"math"
	"unsafe"
)

// littleEndian says whether this machine stores numbers as WAV files do.
var littleEndian = func() bool {
	one := uint16(1)
	return *(*byte)(unsafe.Pointer(&one)) == 1
}()

// decodeView takes 16-bit mono WAV at the wanted rate without touching a sample.
// Anything else, and anything doubtful, is left to the ordinary way.
func decodeView(data []byte, opt Options) (Clip, bool) {
	if !littleEndian || !isWAV(data[:min(len(data), 12)]) {
		return Clip{}, false
	}
	size := int64(len(data))
	h, err := readWAVHeader(bytes.NewReader(data), size)
	if err != nil || h.code != wavPCM || h.bytes != 2 || h.channels != 1 ||
		checkInfo(Info{Rate: h.rate, Channels: 1}) != nil {
		return Clip{}, false
	}
	if opt.Rate > 0 && opt.Rate != h.rate || h.length > size-h.start {
		return Clip{}, false
	}
	samples := data[h.start:]
	if h.length >= 0 {
		samples = samples[:h.length]
	}
	clip := Clip{Rate: h.rate, Info: Info{
		Format: "wav", Rate: h.rate, Channels: 1, Frames: int64(len(samples) / 2),
		Bits: h.bits,
	}}
	if len(samples) < 2 {
		return clip, true
	}
	first := unsafe.Pointer(unsafe.SliceData(samples))
	if uintptr(first)%unsafe.Alignof(int16(0)) != 0 {
		return Clip{}, false
	}
	clip.PCM = unsafe.Slice((*int16)(first), len(samples)/2)
	if opt.Limit > 0 {
		most := math.Ceil(opt.Limit.Seconds() * float64(h.rate))
		clip.PCM = clip.PCM[:min(len(clip.PCM), int(most))]
	}
	return clip, true
}
