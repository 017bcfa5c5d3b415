package audio

import (
	"errors"
	"fmt"
	"io"

	"saturate/internal/audio/vorbis"
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
	header, decoder, err := vorbisHeaders(packets)
	if errors.Is(err, vorbis.ErrUnsupported) {
		return nil, fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the Vorbis header: %w", cutOff(err))
	}
	s := &oggSource{facts: Info{Format: "vorbis", Rate: header.Rate, Channels: header.Channels}, packets: packets}
	if err := checkInfo(s.facts); err != nil {
		return nil, err
	}
	s.decode = func(packet []byte) ([]float32, error) {
		samples, err := decoder.Decode(packet)
		if err != nil {
			return nil, fmt.Errorf("cannot decode a Vorbis packet: %w", err)
		}
		if bad := firstBad(samples); bad >= 0 {
			return nil, errors.New("a Vorbis packet decodes to NaN or infinity")
		}
		return samples, nil
	}
	return s, s.start(last, 0)
}

// vorbisHeaders reads the first three packets; the comments between the other two are passed over.
func vorbisHeaders(packets *oggPackets) (h vorbis.Header, d *vorbis.Decoder, err error) {
	packet, _, err := packets.next()
	if err == nil {
		h, err = vorbis.ReadHeader(packet)
	}
	for range 2 {
		if err == nil {
			packet, _, err = packets.next()
		}
	}
	if err == nil {
		d, err = vorbis.NewDecoder(h, packet)
	}
	return h, d, err
}
