package audio

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"saturate/internal/human"
)

// oggPage is the header of one page of an Ogg file.
type oggPage struct {
	first, last, continued bool
	granule                int64 // samples up to the end of the last packet that ends here; -1 for none
	serial                 uint32
	lacing                 []byte
	body                   int64 // where it begins
	size                   int64 // of the body
}

const oggHeaderSize = 27

// readOggPage reads the page header at a place.
func readOggPage(r io.ReaderAt, at, size int64) (oggPage, error) {
	var p oggPage
	var head [oggHeaderSize + 255]byte
	n, err := r.ReadAt(head[:min(int64(len(head)), size-at)], at)
	if err != nil && err != io.EOF {
		return p, fmt.Errorf("cannot read it: %w", err)
	}
	if n < oggHeaderSize || n < oggHeaderSize+int(head[26]) {
		return p, fmt.Errorf("%w: inside an Ogg page at byte %d", ErrTruncated, at)
	}
	if string(head[:4]) != "OggS" || head[4] != 0 {
		return p, fmt.Errorf("the Ogg file is damaged: no page starts at byte %d", at)
	}
	p.continued, p.first, p.last = head[5]&1 != 0, head[5]&2 != 0, head[5]&4 != 0
	p.granule = int64(binary.LittleEndian.Uint64(head[6:]))
	p.serial = binary.LittleEndian.Uint32(head[14:])
	p.lacing = append([]byte(nil), head[oggHeaderSize:oggHeaderSize+int(head[26])]...)
	for _, b := range p.lacing {
		p.size += int64(b)
	}
	p.body = at + oggHeaderSize + int64(len(p.lacing))
	if p.body+p.size > size {
		return p, fmt.Errorf("%w: inside an Ogg page at byte %d", ErrTruncated, at)
	}
	return p, nil
}

// lastGranule walks the pages: how many samples the stream says it has.
// Several streams in one file, side by side or one after the other, are not read here.
func lastGranule(r io.ReaderAt, size int64) (int64, error) {
	granule := int64(-1)
	var serial uint32
	for at := int64(0); at < size; {
		p, err := readOggPage(r, at, size)
		if err != nil {
			return 0, err
		}
		if at > 0 && (p.first || p.serial != serial) {
			return 0, fmt.Errorf("%w: an Ogg file with several streams", ErrUnsupported)
		}
		serial = p.serial
		if p.granule >= 0 {
			granule = p.granule
		}
		at = p.body + p.size
		if p.last {
			break // what follows the end of the stream is not audio
		}
	}
	return granule, nil
}

// oggPackets gives the packets of an Ogg file with one stream.
type oggPackets struct {
	r        io.ReaderAt
	size, at int64
	page     oggPage
	content  []byte
	lace     int // the next lacing value
	offset   int // of its bytes in content
	partial  []byte
	ended    bool
}

// next gives a packet, valid until the following call, and the page's granule when it is the
// last packet that ends on its page (-1 otherwise).
func (o *oggPackets) next() (packet []byte, granule int64, err error) {
	o.partial = o.partial[:0]
	for {
		if o.lace >= len(o.page.lacing) {
			if err := o.turn(); err != nil {
				return nil, 0, err
			}
			continue
		}
		n := int(o.page.lacing[o.lace])
		o.lace++
		o.partial = append(o.partial, o.content[o.offset:o.offset+n]...)
		o.offset += n
		if n == 255 {
			continue
		}
		granule = -1
		if o.lastHere() {
			granule = o.page.granule
		}
		return o.partial, granule, nil
	}
}

// lastHere says that no further packet ends on this page.
func (o *oggPackets) lastHere() bool {
	for _, n := range o.page.lacing[o.lace:] {
		if n != 255 {
			return false
		}
	}
	return true
}

// turn goes to the next page and checks its checksum.
func (o *oggPackets) turn() error {
	if o.ended || o.at >= o.size {
		return io.EOF
	}
	p, err := readOggPage(o.r, o.at, o.size)
	if err != nil {
		return err
	}
	head := make([]byte, p.body-o.at)
	o.content = sized(o.content, int(p.size))
	if _, err = o.r.ReadAt(head, o.at); err == nil && p.size > 0 {
		_, err = o.r.ReadAt(o.content, p.body)
	}
	if err != nil && err != io.EOF {
		return fmt.Errorf("cannot read it: %w", err)
	}
	want := binary.LittleEndian.Uint32(head[22:])
	clear(head[22:26])
	if oggChecksum(oggChecksum(0, head), o.content) != want {
		return fmt.Errorf("the Ogg page at byte %d is damaged: checksum mismatch", o.at)
	}
	if p.continued != (len(o.partial) > 0) {
		return fmt.Errorf("the Ogg page at byte %d does not continue the one before", o.at)
	}
	o.page, o.lace, o.offset, o.at, o.ended = p, 0, 0, p.body+p.size, p.last
	return nil
}

var oggTable = func() (table [256]uint32) {
	for i := range table {
		r := uint32(i) << 24
		for range 8 {
			r = r<<1 ^ 0x04c11db7*(r>>31)
		}
		table[i] = r
	}
	return table
}()

func oggChecksum(sum uint32, data []byte) uint32 {
	for _, b := range data {
		sum = sum<<8 ^ oggTable[byte(sum>>24)^b]
	}
	return sum
}

// oggSource decodes packets and trims both ends as the granules say.
type oggSource struct {
	facts   Info
	packets *oggPackets
	decode  func(packet []byte) ([]float32, error)
	pending []float32
	skip    int64 // frames still to drop
	left    int64 // frames still to give
}

// start decodes the first page of audio, whose granule tells where the stream begins.
// The lead is the number of frames that every decoder gives too many at the beginning.
func (o *oggSource) start(last, lead int64) error {
	decoded := int64(0)
	for {
		packet, granule, err := o.packets.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		samples, err := o.decode(packet)
		if err != nil {
			return err
		}
		decoded += int64(len(samples) / o.facts.Channels)
		o.pending = append(o.pending, samples...)
		if granule < 0 {
			continue
		}
		begin := granule - decoded // of the first sample; not zero where a longer stream was cut
		if o.packets.ended && begin < 0 {
			begin = 0 // a single page: its granule cuts the end
		}
		o.skip = lead
		if begin < 0 {
			o.skip = max(lead, -begin)
		}
		o.left = last - lead - max(0, begin)
		break
	}
	o.left = max(o.left, 0)
	o.facts.Frames = o.left
	return nil
}

func (o *oggSource) info() Info { return o.facts }

func (o *oggSource) read(dst []float32) (int, error) {
	channels := o.facts.Channels
	n := 0
	for o.left > 0 && n+channels <= len(dst) {
		if drop := min(o.skip, int64(len(o.pending)/channels)); drop > 0 {
			o.pending = o.pending[drop*int64(channels):]
			o.skip -= drop
		}
		if len(o.pending) == 0 {
			packet, _, err := o.packets.next()
			if err == io.EOF {
				return 0, fmt.Errorf("%w: %s missing", ErrTruncated, human.Plural(int(o.left), "sample")+human.Choose(int(o.left),
					" is", " are"))
			}
			if err == nil {
				o.pending, err = o.decode(packet)
			}
			if err != nil {
				return 0, err
			}
			continue
		}
		take := min(int64(len(dst)-n)/int64(channels), o.left, int64(len(o.pending)/channels))
		copy(dst[n:], o.pending[:take*int64(channels)])
		o.pending = o.pending[take*int64(channels):]
		n += int(take) * channels
		o.left -= take
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (o *oggSource) close() error { return nil }

var errNoGranule = errors.New("the Ogg file has no length: it was cut before its first audio page")
