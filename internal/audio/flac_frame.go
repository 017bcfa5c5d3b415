package audio

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// flacFrame is a decoded frame.
type flacFrame struct {
	channels int
	bits     uint
	rate     int // 0: the stream's
	size     int // samples a channel
	samples  [8][]int32
}

var (
	errFLACSync     = errors.New("no frame starts where the last one ended")
	errFLACReserved = errors.New("it uses reserved values")
	errFLACSum      = errors.New("checksum mismatch")
)

// Channel assignments above these are pairs in which one channel is a difference.
const (
	leftSide  = 8
	sideRight = 9
	midSide   = 10
)

// read decodes the next frame; the stream's own bits a sample are taken where the frame leaves them open.
func (f *flacFrame) read(b *flacBits, streamBits uint) error {
	b.frame = b.align()
	pairing, err := f.header(b, streamBits)
	if err != nil {
		return err
	}
	for c := range f.channels {
		wide := f.bits
		if pairing == sideRight && c == 0 || (pairing == leftSide || pairing == midSide) && c == 1 {
			wide++ // a difference needs one bit more
		}
		f.samples[c] = sized(f.samples[c], f.size)
		if err := subframe(b, f.samples[c], wide); err != nil {
			return err
		}
		if b.short {
			return ErrTruncated
		}
	}
	end := b.align()
	sum := flacSum16(b.buf[b.frame:end])
	if want := uint16(b.read(16)); b.short {
		return ErrTruncated
	} else if want != sum {
		return errFLACSum
	}
	f.pair(pairing)
	return nil
}

func (f *flacFrame) header(b *flacBits, streamBits uint) (pairing int, err error) {
	if b.read(15) != 0x3FFE<<1 {
		return 0, errFLACSync
	}
	b.read(1) // whether frames or samples are counted: of no use here
	sizeCode, rateCode := b.read(4), b.read(4)
	pairing = int(b.read(4))
	bitsCode := b.read(3)
	if b.read(1) != 0 || pairing > midSide || sizeCode == 0 || rateCode == 15 || bitsCode == 3 {
		return 0, errFLACReserved
	}
	f.channels = 2
	if pairing < leftSide {
		f.channels = pairing + 1
	}
	f.bits = [8]uint{streamBits, 8, 12, 0, 16, 20, 24, 32}[bitsCode]
	if f.bits > 31 {
		return 0, errFLACReserved
	}
	for lead := b.read(8); lead >= 0xC0 && lead < 0xFF; lead = lead << 1 & 0xFF {
		b.read(8) // the number of the frame, written as UTF-8 is
	}
	switch {
	case sizeCode == 1:
		f.size = 192
	case sizeCode <= 5:
		f.size = 576 << (sizeCode - 2)
	case sizeCode == 6:
		f.size = int(b.read(8)) + 1
	case sizeCode == 7:
		f.size = int(b.read(16)) + 1
	default:
		f.size = 256 << (sizeCode - 8)
	}
	switch rateCode {
	case 12:
		f.rate = int(b.read(8)) * 1000
	case 13:
		f.rate = int(b.read(16))
	case 14:
		f.rate = int(b.read(16)) * 10
	default:
		f.rate = [...]int{0, 88200, 176400, 192000, 8000, 16000, 22050, 24000, 32000, 44100, 48000, 96000}[rateCode]
	}
	sum := flacSum8(b.buf[b.frame:b.align()])
	if want := uint8(b.read(8)); b.short {
		return 0, ErrTruncated
	} else if want != sum {
		return 0, errFLACSum
	}
	return pairing, nil
}

// pair makes left and right of a pair with a difference.
func (f *flacFrame) pair(pairing int) {
	if pairing < leftSide {
		return
	}
	a, b := f.samples[0], f.samples[1][:len(f.samples[0])]
	for i := range a {
		x, y := a[i], b[i]
		switch pairing {
		case leftSide:
			b[i] = x - y
		case sideRight:
			a[i] = x + y
		case midSide:
			x = x<<1 | y&1
			a[i], b[i] = (x+y)>>1, (x-y)>>1
		}
	}
}

// subframe decodes one channel.
func subframe(b *flacBits, out []int32, wide uint) error {
	if b.read(1) != 0 {
		return errFLACReserved
	}
	kind := b.read(6)
	wasted := uint(0)
	if b.read(1) == 1 {
		wasted = uint(b.unary()) + 1
	}
	if wasted >= wide {
		return errFLACReserved
	}
	wide -= wasted
	var err error
	switch {
	case kind == 0:
		v := b.signed(wide)
		for i := range out {
			out[i] = v
		}
	case kind == 1:
		for i := range out {
			out[i] = b.signed(wide)
		}
	case kind >= 8 && kind <= 12:
		err = fixed(b, out, wide, int(kind-8))
	case kind >= 32:
		err = linear(b, out, wide, int(kind-31))
	default:
		return errFLACReserved
	}
	if wasted > 0 {
		for i := range out {
			out[i] <<= wasted
		}
	}
	return err
}

// warmUp reads the samples that a prediction starts from.
func warmUp(b *flacBits, out []int32, wide uint, order int) error {
	if order > len(out) {
		return errFLACReserved
	}
	for i := range order {
		out[i] = b.signed(wide)
	}
	return nil
}

// fixed predicts by differences of differences.
func fixed(b *flacBits, out []int32, wide uint, order int) error {
	if err := warmUp(b, out, wide, order); err != nil {
		return err
	}
	if err := residual(b, out, order); err != nil {
		return err
	}
	for i := order; i < len(out); i++ {
		switch order {
		case 1:
			out[i] += out[i-1]
		case 2:
			out[i] += 2*out[i-1] - out[i-2]
		case 3:
			out[i] += 3*out[i-1] - 3*out[i-2] + out[i-3]
		case 4:
			out[i] += 4*out[i-1] - 6*out[i-2] + 4*out[i-3] - out[i-4]
		}
	}
	return nil
}

// linear predicts by a filter that the frame brings along.
func linear(b *flacBits, out []int32, wide uint, order int) error {
	if err := warmUp(b, out, wide, order); err != nil {
		return err
	}
	precision := uint(b.read(4)) + 1
	shift := b.signed(5)
	if precision == 16 || shift < 0 {
		return errFLACReserved
	}
	var filter [32]int64
	for i := range order {
		filter[len(filter)-1-i] = int64(b.signed(precision)) // the oldest sample first, as they lie
	}
	if err := residual(b, out, order); err != nil {
		return err
	}
	predict(out, order, &filter, uint(shift))
	return nil
}

// residual reads what the prediction missed, behind the first samples.
func residual(b *flacBits, out []int32, order int) error {
	method := b.read(2)
	if method > 1 {
		return errFLACReserved
	}
	width, escape := uint(4)+uint(method), uint32(15)+uint32(method)*16
	parts := 1 << b.read(4)
	each := len(out) / parts
	if each*parts != len(out) || each < order {
		return errFLACReserved
	}
	for p := range parts {
		part := out[p*each : (p+1)*each]
		if p == 0 {
			part = part[order:]
		}
		k := b.read(width)
		if k != escape {
			b.rice(part, uint(k))
		} else {
			raw := uint(b.read(5))
			for i := range part {
				part[i] = 0
				if raw > 0 {
					part[i] = b.signed(raw)
				}
			}
		}
		if b.short {
			return ErrTruncated
		}
	}
	return nil
}

// Checksums of headers (polynomial 7) and of frames (polynomial 0x8005); those of frames of a byte with as many zeros
// behind it.
var flacTable8, flacTable16 = func() (short [256]uint8, long [8][256]uint16) {
	for i := range 256 {
		s, l := uint8(i), uint16(i)<<8
		for range 8 {
			s = s<<1 ^ 0x07*(s>>7)
			l = l<<1 ^ 0x8005*(l>>15)
		}
		short[i], long[0][i] = s, l
	}
	for zeros := 1; zeros < 8; zeros++ {
		for i, l := range long[zeros-1] {
			long[zeros][i] = l<<8 ^ long[0][l>>8]
		}
	}
	return short, long
}()

func flacSum8(data []byte) (sum uint8) {
	for _, v := range data {
		sum = flacTable8[sum^v]
	}
	return sum
}

func flacSum16(data []byte) (sum uint16) {
	t := &flacTable16
	for ; len(data) >= 8; data = data[8:] { // a byte at a time takes six times as long
		v := binary.BigEndian.Uint64(data) ^ uint64(sum)<<48
		sum = t[7][v>>56] ^ t[6][byte(v>>48)] ^ t[5][byte(v>>40)] ^ t[4][byte(v>>32)] ^ t[3][byte(v>>24)] ^ t[2][byte(v>>16)] ^ t[1][byte(v>>8)] ^ t[0][byte(v)]
	}
	for _, v := range data {
		sum = sum<<8 ^ t[0][byte(sum>>8)^v]
	}
	return sum
}

// frameError says where in the stream a frame is damaged.
func frameError(at int64, err error) error {
	return fmt.Errorf("the FLAC frame after sample %d cannot be read: %w", at, err)
}
