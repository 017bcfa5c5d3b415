package audio

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/pion/opus"
)

// Opus is always decoded at 48 kHz, the rate its granules count in.
const (
	opusRate       = 48000
	opusLongest    = opusRate * 120 / 1000 // a packet's samples a channel
	opusHeadLength = 19
)

func openOpus(r io.ReaderAt, size int64) (source, error) {
	last, err := lastGranule(r, size)
	if err != nil {
		return nil, err
	}
	packets := &oggPackets{r: r, size: size}
	head, _, err := packets.next()
	if err != nil {
		return nil, fmt.Errorf("cannot read the Opus header: %w", cutOff(err))
	}
	if len(head) < opusHeadLength || head[8]&0xF0 != 0 {
		return nil, errors.New("the Opus header is damaged")
	}
	channels, mapping := int(head[9]), head[18]
	if mapping != 0 || channels < 1 || channels > 2 {
		return nil, fmt.Errorf("%w: Opus with %d channels", ErrUnsupported, channels)
	}
	preSkip := int64(binary.LittleEndian.Uint16(head[10:]))
	gain := float32(math.Pow(10, float64(int16(binary.LittleEndian.Uint16(head[16:])))/(20*256)))
	if _, _, err := packets.next(); err != nil {
		return nil, fmt.Errorf("cannot read the Opus comments: %w", cutOff(err))
	}
	if last < 0 {
		return nil, errNoGranule
	}
	decoder, err := opus.NewDecoderWithOutput(opusRate, channels)
	if err != nil {
		return nil, fmt.Errorf("cannot start the Opus decoder: %w", err)
	}
	out := make([]float32, opusLongest*channels)
	s := &oggSource{facts: Info{Format: "opus", Rate: opusRate, Channels: channels}, packets: packets}
	s.decode = func(packet []byte) ([]float32, error) {
		n, err := decoder.DecodeToFloat32(packet, out)
		if err != nil {
			return nil, fmt.Errorf("cannot decode an Opus packet: %w", err)
		}
		samples := out[:n*channels]
		if bad := firstBad(samples); bad >= 0 {
			return nil, errors.New("an Opus packet decodes to NaN or infinity")
		}
		if gain != 1 {
			for i := range samples {
				samples[i] *= gain
			}
		}
		return samples, nil
	}
	return s, s.start(last, preSkip)
}
