package audio

import (
	"encoding/binary"
	"fmt"
	"math"

	"saturate/internal/human"
)

// WAVHeaderSize is how many bytes AppendWAV puts before the samples.
const WAVHeaderSize = 44

// AppendWAV appends a whole WAV file of 16-bit samples; several channels are interleaved.
func AppendWAV(dst []byte, rate, channels int, samples []int16) ([]byte, error) {
	bytes := int64(len(samples)) * 2
	if bytes > math.MaxUint32-WAVHeaderSize {
		return dst, fmt.Errorf("%s samples do not fit into a WAV file (4 GiB); split the audio", human.Count(len(samples)))
	}
	if rate < 1 || rate > MaxRate || channels < 1 || channels > maxChannels || len(samples)%channels != 0 {
		return dst, fmt.Errorf("a WAV file cannot have %d samples in %d channels at %d Hz", len(samples), channels, rate)
	}
	le := binary.LittleEndian
	dst = append(dst, "RIFF"...)
	dst = le.AppendUint32(dst, uint32(bytes)+WAVHeaderSize-8)
	dst = append(dst, "WAVEfmt "...)
	dst = le.AppendUint32(dst, 16)
	dst = le.AppendUint16(dst, wavPCM)
	dst = le.AppendUint16(dst, uint16(channels))
	dst = le.AppendUint32(dst, uint32(rate))
	dst = le.AppendUint32(dst, uint32(rate*channels*2))
	dst = le.AppendUint16(dst, uint16(channels*2))
	dst = le.AppendUint16(dst, 16)
	dst = append(dst, "data"...)
	dst = le.AppendUint32(dst, uint32(bytes))
	for _, v := range samples {
		dst = le.AppendUint16(dst, uint16(v))
	}
	return dst, nil
}

// toInt16 rounds floats in [-1, 1) to 16 bits and clips what is louder.
func toInt16(dst []int16, src []float32) []int16 {
	dst = sized(dst, len(src))
	for i, v := range src {
		dst[i] = int16(math.RoundToEven(float64(min(max(v*32768, -32768), 32767))))
	}
	return dst
}
