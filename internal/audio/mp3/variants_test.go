package mp3

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"strings"
	"testing"
)

// edited gives a copy of a file whose frames were changed, all but the first, which holds the tag.
func edited(t *testing.T, data []byte, change func(h Header, frame []byte) []byte) []byte {
	t.Helper()
	var f Frames
	f.Reset(bytes.NewReader(data), int64(len(data)))
	var out []byte
	for i := 0; ; i++ {
		h, frame, _, err := f.Next()
		if err != nil {
			return out
		}
		frame = bytes.Clone(frame)
		if i > 0 {
			frame = change(h, frame)
		}
		out = append(out, frame...)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// No encoder at hand uses intensity stereo or mixed blocks. So files are made to say that they do: what they then give
// is noise, but the same noise everywhere.
func TestRareCodings(t *testing.T) {
	stereoMode := func(mode byte) func(Header, []byte) []byte {
		return func(_ Header, frame []byte) []byte {
			frame[3] = frame[3]&^0x30 | mode<<4
			return frame
		}
	}
	changes := map[string]func(Header, []byte) []byte{
		"intensity":     stereoMode(1),
		"sum":           stereoMode(2),
		"intensity sum": stereoMode(3),
		"mixed":         mixedBlocks,
	}
	for _, file := range []string{"joint44k", "joint22k", "mono32k", "mono16k"} {
		data := read(t, "testdata/"+file+".mp3")
		for name, change := range changes {
			if name != "mixed" && file[:5] != "joint" {
				continue
			}
			if strings.HasPrefix(name, "intensity") && file == "joint22k" {
				continue // ffmpeg does not know the direction of MPEG-2 that says: none
			}
			changed := edited(t, data, change)
			_, got := decodeAll(changed)
			want := byFFmpeg(t, changed)
			if d, peak := difference(got, want); len(got) != len(want) || d > 5e-6*max(1, peak) {
				t.Errorf("%s, %s: %d samples, ffmpeg %d; largest difference %.2g of %.2g", file, name, len(got), len(want), d, peak)
			}
			if bytes.Equal(data, changed) {
				t.Errorf("%s, %s: nothing was changed", file, name)
			}
		}
	}
}

// mixedBlocks sets the flag in the side information of short blocks.
func mixedBlocks(h Header, frame []byte) []byte {
	side := append(bytes.Clone(frame[headerBytes:headerBytes+h.sideBytes()]), make([]byte, 8)...)
	b := bits{data: side}
	wide, before := 4, 9+7-2*h.Channels+4*h.Channels
	each := 59
	if h.low {
		wide, before, each = 9, 8+h.Channels, 63
	}
	for i := range h.granules() * h.Channels {
		b.at = before + i*each + 12 + 9 + 8 + wide
		if b.take(1) == 1 && b.take(2) == 2 {
			at := 8*headerBytes + b.at
			frame[at/8] |= 0x80 >> (at % 8)
		}
	}
	return frame
}

// A free bit rate and checksums do not change the sound.
func TestFreeBitRate(t *testing.T) {
	data := read(t, "testdata/mono32k.mp3")
	_, want := decodeAll(data)
	free := edited(t, data, func(_ Header, frame []byte) []byte {
		frame[1] &^= 1    // a checksum follows
		frame[2] &^= 0xF0 // no bit rate
		return append(append(bytes.Clone(frame[:4]), 0xAB, 0xCD), frame[4:]...)
	})
	free = free[288:] // without the tag, which has a bit rate
	h, got := decodeAll(free)
	tag, ok := ReadTag(data[bytes.IndexByte(data, 0xFF):], h) // behind the ID3 tag
	if !ok || len(got) < len(want) {
		t.Fatalf("%d samples of %d, tag %v", len(got), len(want), ok)
	}
	got = got[tag.Delay+DecoderDelay:]
	if d, _ := difference(got, want); d != 0 {
		t.Errorf("largest difference %g", d)
	}
}

// Tags of several kinds around the sound, and rubbish inside it, cost at most the frames they lie in.
func TestResync(t *testing.T) {
	data := read(t, "testdata/joint44k.mp3")
	_, want := decodeAll(data)
	behind := append(bytes.Clone(data), "APETAGEX\xd0\x07\x00\x00\x20\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x80\xff\xfb\x90\x64 and so on"...)
	behind = append(append(behind, "TAG"...), make([]byte, 125)...)
	if _, got := decodeAll(behind); len(got) != len(want) {
		t.Errorf("tags behind: %d samples, want %d", len(got), len(want))
	}
	var f Frames
	f.Reset(bytes.NewReader(data), int64(len(data)))
	for range 5 {
		if _, _, _, err := f.Next(); err != nil {
			t.Fatal(err)
		}
	}
	rubbish := bytes.Repeat([]byte{1, 2, 3, 4, 0xFF, 0xFB, 0x90, 0x64}, 1000)
	inside := append(append(bytes.Clone(data[:f.at]), rubbish...), data[f.at:]...)
	_, got := decodeAll(inside)
	if d, _ := difference(got, want); len(got) != len(want) || d != 0 {
		t.Errorf("rubbish between frames: %d samples, want %d, difference %g", len(got), len(want), d)
	}
}

// A file that begins in the middle of a longer one: silence until the reservoir is there, then the same sound.
func TestCutFromLonger(t *testing.T) {
	data := read(t, "testdata/joint44k.mp3")
	var f Frames
	f.Reset(bytes.NewReader(data), int64(len(data)))
	var places []int64
	for {
		_, _, at, err := f.Next()
		if err != nil {
			break
		}
		places = append(places, at)
	}
	_, whole := decodeAll(data[places[1]:])
	_, part := decodeAll(data[places[4]:])
	same := 2 * 1152 * 5 // of the end, where everything is known again
	if len(whole)-len(part) != 3*2*1152 || len(part) <= same {
		t.Fatalf("%d and %d samples", len(whole), len(part))
	}
	if d, peak := difference(part[len(part)-same:], whole[len(whole)-same:]); d > 1e-6 || peak < 0.1 {
		t.Errorf("largest difference %g of %g", d, peak)
	}
}

func TestTags(t *testing.T) {
	h, _ := ParseHeader(0xFFFB9064)
	frame := make([]byte, h.Bytes)
	copy(frame[36:], "VBRI")
	binary.BigEndian.PutUint32(frame[36+14:], 77)
	if tag, ok := ReadTag(frame, h); !ok || tag != (Tag{Frames: 77, Delay: -1}) {
		t.Errorf("VBRI: %+v %v", tag, ok)
	}
	clear(frame)
	copy(frame[36:], "Xing\x00\x00\x00\x09\x00\x00\x01\x02\x00\x00\x00\x50LAME3.100\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x24\x04\xd2")
	if tag, ok := ReadTag(frame, h); !ok || tag != (Tag{Frames: 258, Delay: 0x240, Padding: 0x4d2}) {
		t.Errorf("Xing: %+v %v", tag, ok)
	}
	if tag, ok := ReadTag(frame[:40], h); ok {
		t.Errorf("cut: %+v", tag)
	}
}

// Directions of MPEG-2: equal, then softer on the left and on the right in turns; all bits set says that there is none.
func TestLowDirections(t *testing.T) {
	b := makeBands(3, longLayout)
	var left, right [lines]float32
	for i := range left {
		left[i] = 1
	}
	var s scales
	copy(s.factors[:], []uint8{0, 1, 2, 3, 7})
	s.illegal[4] = true
	intensity(&left, &right, &granule{compress: 1}, &s, &b, true, true)
	for band, want := range [5][2]float64{{1, 1}, {math.Sqrt2 / 2, 1}, {1, math.Sqrt2 / 2}, {0.5, 1}, {math.Sqrt2 / 2, math.Sqrt2 / 2}} {
		at := b.ends[band] - 1
		if math.Abs(float64(left[at])-want[0]) > 1e-6 || math.Abs(float64(right[at])-want[1]) > 1e-6 {
			t.Errorf("band %d: %g %g, want %v", band, left[at], right[at], want)
		}
	}
	g := granule{compress: (3*36 + 2*6 + 1) << 1}
	s.readLow(&bits{data: bytes.Repeat([]byte{0xFF}, 32)}, &g, true)
	if !s.illegal[0] || s.factors[0] != 7 || !s.illegal[7] || s.factors[7] != 3 || s.factors[14] != 1 {
		t.Errorf("%v %v", s.factors, s.illegal)
	}
}
