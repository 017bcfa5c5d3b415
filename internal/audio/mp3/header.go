package mp3

// Header is what the four bytes before each frame say.
type Header struct {
	Rate     int // samples per second
	Channels int
	Samples  int // a channel and frame
	Bytes    int // of the whole frame; with a free bit rate only Frames can tell

	kind      uint32 // the bits that all frames of a file share: version, layer and rate
	rateIndex int    // row of the tables that depend on the rate
	low       bool   // MPEG-2 and 2.5: half the granules, other scale factors
	checksum  bool   // two bytes behind the header, not verified: most players do not either
	free      bool   // the bit rate is not one of the table
	padding   int
	ms        bool // the channels are sum and difference
	intensity bool // upper bands are one channel with directions
}

var bitrates = [2][16]int{
	{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0},
	{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0},
}

var rates = [9]int{44100, 48000, 32000, 22050, 24000, 16000, 11025, 12000, 8000}

const (
	headerBytes = 4
	// MaxSamples is how many samples of a channel a frame has at most.
	MaxSamples = 1152
)

// ParseHeader reads the first four bytes of a frame. Other layers than III are not taken.
func ParseHeader(v uint32) (Header, bool) {
	version, layer := v>>19&3, v>>17&3
	bitrate, rate := v>>12&15, v>>10&3
	if v>>21 != 0x7FF || version == 1 || layer != 1 || bitrate == 15 || rate == 3 || v&3 == 2 {
		return Header{}, false
	}
	h := Header{
		Channels: 2, Samples: MaxSamples,
		kind: v & 0xFFFE_0C00, low: version != 3, checksum: v>>16&1 == 0, free: bitrate == 0, padding: int(v >> 9 & 1),
	}
	h.rateIndex = int(rate) + [4]int{3: 0, 2: 3, 0: 6}[version]
	h.Rate = rates[h.rateIndex]
	kbits := bitrates[0][bitrate]
	if h.low {
		h.Samples, kbits = 576, bitrates[1][bitrate]
	}
	switch mode := v >> 6 & 3; mode {
	case 1:
		h.intensity, h.ms = v>>4&1 == 1, v>>5&1 == 1
	case 3:
		h.Channels = 1
	}
	h.Bytes = h.Samples/8*kbits*1000/h.Rate + h.padding
	return h, true
}

// granules of 576 samples a channel make a frame.
func (h *Header) granules() int { return h.Samples / lines }

// sideBytes is the length of the side information.
func (h *Header) sideBytes() int {
	switch {
	case h.low && h.Channels == 1:
		return 9
	case h.low != (h.Channels == 1):
		return 17
	}
	return 32
}
