package audio

import (
	"encoding/binary"
	"fmt"
	"io"
)

// mp3Header is one MPEG audio frame header, of layer III.
type mp3Header struct {
	rate     int
	channels int
	samples  int // a channel and frame
	bytes    int
	padded   bool
	low      bool // MPEG-2, with half the rates
	side     int  // bytes of side information behind the header
}

var mp3Bitrates = [2][16]int{
	{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0},
	{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0},
}

// parseMP3Header reads four bytes. Layers I and II, MPEG-2.5 and free bit rates are no MP3 here: ffmpeg has them.
func parseMP3Header(v uint32) (mp3Header, bool) {
	var h mp3Header
	version, layer := v>>19&3, v>>17&3
	bitrate, rate := v>>12&15, v>>10&3
	if v>>21 != 0x7FF || version < 2 || layer != 1 || bitrate == 0 || bitrate == 15 || rate == 3 || v&3 == 2 {
		return h, false
	}
	h.low = version == 2
	h.rate = [3]int{44100, 48000, 32000}[rate]
	h.channels, h.samples, h.side = 2, 1152, 32
	kbits := mp3Bitrates[0][bitrate]
	if h.low {
		h.rate /= 2
		h.samples, h.side = 576, 17
		kbits = mp3Bitrates[1][bitrate]
	}
	if v>>6&3 == 3 {
		h.channels, h.side = 1, 17
		if h.low {
			h.side = 9
		}
	}
	h.padded = v>>9&1 == 1
	h.bytes = h.samples / 8 * kbits * 1000 / h.rate
	if h.padded {
		h.bytes++
	}
	return h, true
}

// mp3Frames walks the frames of a file: over tags, over rubbish between them, up to the last whole one.
type mp3Frames struct {
	r        io.ReaderAt
	size, at int64
	first    *mp3Header // the others have its version and rate
}

// next finds the following frame and where it lies.
func (m *mp3Frames) next() (mp3Header, int64, error) {
	for {
		h, ok := m.header(m.at)
		if ok && m.at+int64(h.bytes) > m.size {
			return h, 0, io.EOF // the last frame was cut off; players drop it
		}
		if ok {
			place := m.at
			m.at += int64(h.bytes)
			return h, place, nil
		}
		if !m.resync() {
			return mp3Header{}, 0, io.EOF
		}
	}
}

func (m *mp3Frames) header(at int64) (mp3Header, bool) {
	var b [4]byte
	if at+4 > m.size {
		return mp3Header{}, false
	}
	if _, err := m.r.ReadAt(b[:], at); err != nil && err != io.EOF {
		return mp3Header{}, false
	}
	h, ok := parseMP3Header(binary.BigEndian.Uint32(b[:]))
	if ok && m.first != nil && (h.rate != m.first.rate || h.low != m.first.low) {
		return h, false
	}
	return h, ok
}

// resync looks for a header that is followed by another one.
func (m *mp3Frames) resync() bool {
	buf := make([]byte, 4096)
	for m.at++; m.at+4 <= m.size; {
		n, err := m.r.ReadAt(buf[:min(int64(len(buf)), m.size-m.at)], m.at)
		if n < 4 || err != nil && err != io.EOF {
			return false
		}
		for i := 0; i+4 <= n; i++ {
			if buf[i] != 0xFF || buf[i+1]&0xE0 != 0xE0 {
				continue
			}
			at := m.at + int64(i)
			if h, ok := m.header(at); ok {
				if _, ok = m.header(at + int64(h.bytes)); ok || at+int64(h.bytes) == m.size {
					m.at = at
					return true
				}
			}
		}
		m.at += int64(n - 3)
	}
	return false
}

// gapless is what the encoder left in the first frame, which then holds no sound.
type gapless struct {
	present bool  // the first frame is such a frame
	frames  int64 // of sound; 0 when not said
	delay   int64 // samples the encoder put before the sound; -1 when not said
	padding int64 // and behind it
}

// decoderDelay is what every MP3 decoder adds before the first sample of the encoder.
const decoderDelay = 528 + 1

// readGapless looks for the Xing, Info or VBRI header in a frame.
func readGapless(frame []byte, h mp3Header) gapless {
	g := gapless{delay: -1}
	if at := 4 + 32; len(frame) >= at+18 && string(frame[at:at+4]) == "VBRI" {
		g.present = true
		g.frames = int64(binary.BigEndian.Uint32(frame[at+14:]))
		return g
	}
	at := 4 + h.side
	if len(frame) < at+8 || string(frame[at:at+4]) != "Xing" && string(frame[at:at+4]) != "Info" {
		return g
	}
	g.present = true
	flags := binary.BigEndian.Uint32(frame[at+4:])
	at += 8
	for bit, size := range []int{4, 4, 100, 4} { // frames, bytes, table of contents, quality
		if flags>>bit&1 == 0 {
			continue
		}
		if bit == 0 && len(frame) >= at+4 {
			g.frames = int64(binary.BigEndian.Uint32(frame[at:]))
		}
		at += size
	}
	if len(frame) >= at+24 {
		switch string(frame[at : at+4]) {
		case "LAME", "Lavf", "Lavc":
			g.delay = int64(frame[at+21])<<4 | int64(frame[at+22])>>4
			g.padding = int64(frame[at+22]&15)<<8 | int64(frame[at+23])
		}
	}
	return g
}

// countMP3 walks all frames: their number, and whether any needs what the built-in decoder cannot do.
func countMP3(m mp3Frames) (frames int64, err error) {
	for {
		h, at, err := m.next()
		if err == io.EOF {
			return frames, nil
		}
		if h.low && h.padded {
			return 0, fmt.Errorf("%w: MP3 of %d Hz with padded frames (byte %d)", ErrUnsupported, h.rate, at)
		}
		frames++
	}
}
