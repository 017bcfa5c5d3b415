package audio

import (
	"bytes"
	"fmt"
	"io"

	"github.com/jfreymuth/vorbis"
)

func openVorbis(r io.ReaderAt, size int64) (source, error) {
	last, err := lastGranule(r, size)
	if err != nil {
		return nil, err
	}
	if last < 0 {
		return nil, errNoGranule
	}
	packets := &oggPackets{r: r, size: size}
	decoder := new(vorbis.Decoder)
	for _, check := range []func([]byte) ([]byte, error){checkIdentification, noComments, checkCodebooks} {
		packet, _, err := packets.next()
		if err == nil {
			packet, err = check(bytes.Clone(packet))
		}
		if err == nil {
			err = decoder.ReadHeader(packet)
		}
		if err != nil {
			return nil, fmt.Errorf("the Vorbis header cannot be read: %w", cutOff(err))
		}
	}
	s := &oggSource{
		facts:   Info{Format: "vorbis", Rate: decoder.SampleRate(), Channels: decoder.Channels()},
		packets: packets,
	}
	if err := checkInfo(s.facts); err != nil {
		return nil, err
	}
	s.decode = func(packet []byte) ([]float32, error) {
		samples, err := decoder.Decode(packet)
		if err != nil {
			return nil, fmt.Errorf("a Vorbis packet cannot be decoded: %w", err)
		}
		if bad := firstBad(samples); bad >= 0 {
			return nil, fmt.Errorf("a Vorbis packet decodes to something that is not a number")
		}
		return samples, nil
	}
	return s, s.start(last, 0)
}
