package mp3

// Decoder turns the frames of one file, in order, into samples.
type Decoder struct {
	tables   *tables
	data     [maxReservoir + maxFrame + 8]byte // main data: what frames before left, then that of this frame, then zeros
	held     int                               // bytes of earlier frames
	side     side
	channels [2]channel
}

// channel is what one channel keeps.
type channel struct {
	scales  scales
	gains   [maxBands + 1]float32
	lines   [lines]float32
	used    int // lines that may be other than zero
	overlap [lines]float32
	live    int // subbands whose overlap may be other than zero
	filter  filter
	out     [lines]float32
}

const maxReservoir = 511 // bytes that a frame may begin before itself

// Reset forgets the file before, all of it: a damaged frame may refer to what was never read in its own file.
func (d *Decoder) Reset() {
	d.tables, d.held, d.side = theTables(), 0, side{}
	clear(d.channels[:])
}

// Decode gives the samples of one frame that Frames has found, interleaved in as many channels as asked for: h.Samples
// times channels values. A mono frame is given to both channels, a stereo frame mixed for one.
func (d *Decoder) Decode(h Header, frame []byte, dst []float32, channels int) {
	var head [32 + 8]byte // the longest side information, with room to read ahead
	start := headerBytes
	if h.checksum {
		start += 2
	}
	at := min(start+h.sideBytes(), len(frame))
	copy(head[:h.sideBytes()], frame[min(start, len(frame)):at])
	d.side.read(&bits{data: head[:]}, &h)
	total := d.held + copy(d.data[d.held:len(d.data)-8], frame[at:])
	clear(d.data[total : total+8])

	bit := 8 * (d.held - d.side.begin) // before 0: what is missing
	for i := range h.granules() {
		bit = d.granule(&h, i, bit, 8*total)
		interleave(dst[i*lines*channels:(i+1)*lines*channels], d.channels[0].out[:], d.channels[h.Channels-1].out[:],
			channels)
	}
	kept := min(total, maxReservoir)
	copy(d.data[:], d.data[total-kept:total])
	d.held = kept
}

// granule decodes 576 samples of each channel, whose data begins at a bit, and returns where the next one's does.
func (d *Decoder) granule(h *Header, i, bit, end int) int {
	known := bit >= 0
	for c := range h.Channels {
		ch, g := &d.channels[c], &d.side.granules[i][c]
		next := bit + g.length
		if known && next <= end {
			d.read(h, i, c, bit, next)
		} else {
			clear(ch.lines[:])
			ch.used = 0
		}
		bit = next
	}
	if h.Channels == 2 {
		d.stereo(h, i)
	}
	for c := range h.Channels {
		ch, g := &d.channels[c], &d.side.granules[i][c]
		if g.block == 2 {
			ch.used = reorder(&ch.lines, &d.tables.bands[h.rateIndex][g.layout()], ch.used)
		}
		ch.live = d.tables.hybrid.hybrid(&ch.lines, &ch.overlap, g, ch.used, ch.live)
		d.tables.filter.synthesize(&ch.filter, &ch.lines, &ch.out)
	}
	return bit
}

// read decodes scale factors and lines of one channel.
func (d *Decoder) read(h *Header, i, c, bit, end int) {
	ch, g := &d.channels[c], &d.side.granules[i][c]
	b := &d.tables.bands[h.rateIndex][g.layout()]
	r := bits{data: d.data[:], at: bit}
	if h.low {
		ch.scales.readLow(&r, g, c == 1 && h.intensity)
	} else {
		ch.scales.read(&r, g, &d.side.reuse[c], i == 1)
	}
	ch.scales.gains(&ch.gains, g, b, d.tables, h.ms && !h.intensity)
	ch.used = d.tables.readLines(d.data[:], r.at, end, g, b, &ch.gains, &ch.lines)
}

// stereo makes left and right of what was coded together.
func (d *Decoder) stereo(h *Header, i int) {
	left, right := &d.channels[0], &d.channels[1]
	switch {
	case h.intensity:
		g := &d.side.granules[i][1]
		b := &d.tables.bands[h.rateIndex][g.layout()]
		intensity(&left.lines, &right.lines, g, &right.scales, b, h.low, h.ms)
	case h.ms:
		n := max(left.used, right.used)
		midSide(left.lines[:n], right.lines[:n])
	default:
		return
	}
	left.used = max(left.used, right.used)
	right.used = left.used
}

// interleave puts both channels (the same twice for mono) together as asked for.
func interleave(dst, left, right []float32, channels int) {
	if channels == 1 {
		if &left[0] == &right[0] {
			copy(dst, left)
			return
		}
		for i := range dst {
			dst[i] = (left[i] + right[i]) * 0.5
		}
		return
	}
	right = right[:len(left)]
	for i, v := range left {
		dst[2*i], dst[2*i+1] = v, right[i]
	}
}
