package audio

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// wavFile0 is a WAV file to be written as wished.
type wavFile0 struct {
	code, rate, channels, bits int
	extensible                 bool
	data                       []byte
	magic                      string // RIFF when empty
	extra                      []byte // whole chunks before fmt
	between                    []byte // whole chunks before data
	dataSize                   int64  // what the header says; the data's own when 0, 0 when -1
	riffSize                   uint32 // the right one when 0
}

func wavFile(f wavFile0) []byte {
	le := binary.LittleEndian
	code, body := f.code, []byte(nil)
	if f.extensible {
		code = wavExtensible
	}
	block := f.channels * ((f.bits + 7) / 8)
	body = le.AppendUint16(body, uint16(code))
	body = le.AppendUint16(body, uint16(f.channels))
	body = le.AppendUint32(body, uint32(f.rate))
	body = le.AppendUint32(body, uint32(f.rate*block))
	body = le.AppendUint16(body, uint16(block))
	body = le.AppendUint16(body, uint16(f.bits))
	if f.extensible {
		body = le.AppendUint16(body, 22)
		body = le.AppendUint16(body, uint16(f.bits))
		body = le.AppendUint32(body, 0)
		body = le.AppendUint16(body, uint16(f.code))
		body = append(body, tail...)
	}
	chunks := append([]byte("WAVE"), f.extra...)
	chunks = append(chunks, "fmt "...)
	chunks = le.AppendUint32(chunks, uint32(len(body)))
	chunks = append(chunks, body...)
	chunks = append(chunks, f.between...)
	size := f.dataSize
	if size == 0 {
		size = int64(len(f.data))
	}
	if size == -1 {
		size = 0
	}
	chunks = append(chunks, "data"...)
	chunks = le.AppendUint32(chunks, uint32(size))
	chunks = append(chunks, f.data...)
	riff := f.riffSize
	if riff == 0 {
		riff = uint32(len(chunks))
	}
	if f.magic == "" {
		f.magic = "RIFF"
	}
	return append(le.AppendUint32([]byte(f.magic), riff), chunks...)
}

func floatBytes(samples []float32) []byte {
	var out []byte
	for _, v := range samples {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
	}
	return out
}

// A sample of each size, least, middle and largest; what libsndfile makes of it.
func TestWAVSamples(t *testing.T) {
	le := binary.LittleEndian
	double := le.AppendUint64(le.AppendUint64(nil, math.Float64bits(-0.25)), math.Float64bits(0.5))
	for _, tt := range []struct {
		name string
		file wavFile0
		want []float32
	}{
		{"8 bit", wavFile0{code: 1, bits: 8, data: []byte{0, 128, 192, 255}}, []float32{-1, 0, 0.5, 127.0 / 128}},
		{"16 bit", wavFile0{code: 1, bits: 16, data: []byte{0, 0x80, 0, 0, 0, 0x40, 0xFF, 0x7F}}, []float32{-1, 0, 0.5, 32767.0 / 32768}},
		{"24 bit", wavFile0{code: 1, bits: 24, data: []byte{0, 0, 0x80, 1, 0, 0, 0, 0, 0x40}}, []float32{-1, 1.0 / (1 << 23), 0.5}},
		{"32 bit", wavFile0{code: 1, bits: 32, data: []byte{0, 0, 0, 0x80, 0, 0, 0, 0x40}}, []float32{-1, 0.5}},
		{"float", wavFile0{code: 3, bits: 32, data: floatBytes([]float32{-1.5, 0.25})}, []float32{-1.5, 0.25}},
		{"double", wavFile0{code: 3, bits: 64, data: double}, []float32{-0.25, 0.5}},
		{"A-law", wavFile0{code: 6, bits: 8, data: []byte{0xD5, 0x55, 0xAA, 0x2A}}, []float32{8.0 / 32768, -8.0 / 32768, 32256.0 / 32768, -32256.0 / 32768}},
		{"µ-law", wavFile0{code: 7, bits: 8, data: []byte{0xFF, 0x7F, 0x80, 0x00}}, []float32{0, 0, 32124.0 / 32768, -32124.0 / 32768}},
		{"extensible", wavFile0{code: 1, bits: 16, extensible: true, data: []byte{0, 0x40}}, []float32{0.5}},
		{"20 bit", wavFile0{code: 1, bits: 20, data: []byte{0, 0, 0x40}}, []float32{0.5}},
	} {
		tt.file.rate, tt.file.channels = 8000, 1
		for name, file := range variants(tt.file) {
			clip, err := Decode(context.Background(), tt.name, wavFile(file), Options{FFmpeg: "none"})
			if err != nil {
				t.Errorf("%s, %s: %v", tt.name, name, err)
				continue
			}
			if got := clip.Float32(nil); len(got) != len(tt.want) || largestDifference(got, tt.want) != 0 {
				t.Errorf("%s, %s: %v, want %v", tt.name, name, got, tt.want)
			}
		}
	}
}

// variants are ways in which programs write the same samples.
func variants(f wavFile0) map[string]wavFile0 {
	odd := append([]byte("LIST\x03\x00\x00\x00"), "abc\x00"...)
	all := map[string]wavFile0{"plain": f}
	v := f
	v.extra, v.between = odd, append(odd, "junk\x00\x00\x00\x00"...)
	all["odd chunks"] = v
	v = f
	v.dataSize, v.riffSize = 0xFFFF_FFFF, 0xFFFF_FFFF
	all["streamed by ffmpeg"] = v
	v.dataSize, v.riffSize = streamedSize, streamedSize+36
	all["streamed by espeak-ng"] = v
	v.dataSize, v.riffSize = -1, 36
	all["sizes never filled in"] = v
	v = f
	v.magic, v.riffSize, v.dataSize = "RF64", 0xFFFF_FFFF, 0xFFFF_FFFF
	ds64 := append([]byte("ds64\x1c\x00\x00\x00"), make([]byte, 28)...)
	binary.LittleEndian.PutUint64(ds64[8:], 12345)
	binary.LittleEndian.PutUint64(ds64[16:], uint64(len(f.data)))
	v.extra = ds64
	v.data = append(append([]byte(nil), f.data...), make([]byte, len(f.data)%2)...)
	v.data = append(v.data, "LIST\x04\x00\x00\x00abcd"...)
	all["RF64 with a chunk behind"] = v
	v.magic = "BW64"
	all["BW64"] = v
	v = f
	v.extensible = true
	all["extensible"] = v
	return all
}

func TestWAVComplaints(t *testing.T) {
	good := wavFile0{code: 1, rate: 16000, channels: 1, bits: 16, data: make([]byte, 100)}
	with := func(change func(*wavFile0)) []byte {
		f := good
		change(&f)
		return wavFile(f)
	}
	for _, tt := range []struct {
		name string
		data []byte
		want string
	}{
		{"cut", wavFile(good)[:100], "the file ends early: the header says 100 bytes of samples, the file has 56"},
		{"header only", wavFile(good)[:20], "the file ends early"},
		{"0 Hz", with(func(f *wavFile0) { f.rate = 0 }), "0 Hz"},
		{"0 channels", with(func(f *wavFile0) { f.channels = 0 }), "0 channels"},
		{"too fast", with(func(f *wavFile0) { f.rate = 2_000_000_000 }), "2000000000 Hz"},
		{"NaN", floatWAV(16000, 1, []float32{0, 1, float32(math.NaN())}), "sample 2 is not a number"},
		{"infinite", floatWAV(16000, 1, []float32{float32(math.Inf(1))}), "sample 0 is not a number"},
		{"no data", wavFile(good)[:36], "no data chunk"},
		{"MPEG inside", with(func(f *wavFile0) { f.code = 0x55 }), "no built-in decoder"},
		{"13 bytes", with(func(f *wavFile0) { f.bits = 104 }), "no built-in decoder"},
	} {
		_, err := Decode(context.Background(), "a.wav", tt.data, Options{FFmpeg: "none", Rate: 8000})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	_, err := Decode(context.Background(), "a.wav", wavFile(good)[:100], Options{})
	if !errors.Is(err, ErrTruncated) {
		t.Errorf("%v is not ErrTruncated", err)
	}
}

func TestViewCopiesNothing(t *testing.T) {
	data, err := AppendWAV(nil, 16000, 1, []int16{1, -2, 3})
	if err != nil {
		t.Fatal(err)
	}
	clip, err := Decode(context.Background(), "a.wav", data, Options{Rate: 16000})
	if err != nil || len(clip.PCM) != 3 || clip.PCM[1] != -2 {
		t.Fatalf("%v %v", clip, err)
	}
	data[WAVHeaderSize+2] = 9
	data[WAVHeaderSize+3] = 0
	if clip.PCM[1] != 9 {
		t.Error("PCM is a copy")
	}
	if n := testing.AllocsPerRun(10, func() { Decode(context.Background(), "a.wav", data, Options{Rate: 16000}) }); n > 4 {
		t.Errorf("%v allocations for a view", n)
	}
	// The same samples at an odd address are copied, not refused.
	odd := append([]byte{0}, data...)[1:]
	if clip, err = Decode(context.Background(), "a.wav", odd, Options{Rate: 16000}); err != nil || clip.Len() != 3 {
		t.Errorf("%v %v", clip, err)
	}
	if clip.Float32(nil)[1] != 9.0/32768 {
		t.Errorf("%v", clip.Float32(nil))
	}
}

func TestLimit(t *testing.T) {
	for _, channels := range []int{1, 2} {
		data, _ := AppendWAV(nil, 16000, channels, make([]int16, 16000*channels))
		clip, err := Decode(context.Background(), "a.wav", data, Options{Rate: 16000, Limit: 100 * time.Millisecond})
		if err != nil || clip.Len() != 1600 {
			t.Errorf("%d channels: %d samples, %v", channels, clip.Len(), err)
		}
	}
}

// What is written is read back, by us and by Python's wave module.
func TestWriteWAV(t *testing.T) {
	samples := toInt16(nil, []float32{-2, -1, -0.5, 0, 0.25, 1, 2, 1.4 / 32768, 1.6 / 32768, 0})
	want := []int16{-32768, -32768, -16384, 0, 8192, 32767, 32767, 1, 2, 0}
	for i := range want {
		if samples[i] != want[i] {
			t.Fatalf("%v, want %v", samples, want)
		}
	}
	data, err := AppendWAV(nil, 22050, 2, samples)
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewReader(context.Background(), "x", bytes.NewReader(data), int64(len(data)), Options{})
	if err != nil || r.Info() != (Info{Format: "wav", Rate: 22050, Channels: 2, Frames: 5, Bits: 16}) {
		t.Fatalf("%+v %v", r.Info(), err)
	}
	r.Close()
	for _, bad := range [][3]int{{0, 1, 2}, {16000, 0, 2}, {16000, 2, 3}} {
		if _, err := AppendWAV(nil, bad[0], bad[1], make([]int16, bad[2])); err == nil {
			t.Errorf("%v is taken", bad)
		}
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	path := filepath.Join(t.TempDir(), "a.wav")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(python, "-c", "import wave,sys; print(wave.open(sys.argv[1]).getparams()[:4])", path).Output()
	if err != nil || strings.TrimSpace(string(out)) != "(2, 2, 22050, 5)" {
		t.Errorf("Python reads %s (%v)", out, err)
	}
}

func TestTwentyChannels(t *testing.T) {
	data, _ := AppendWAV(nil, 16000, 20, make([]int16, 20*5000))
	clip, err := Decode(context.Background(), "a.wav", data, Options{Rate: 8000})
	if err != nil || clip.Len() != 2500 {
		t.Errorf("%d samples, %v", clip.Len(), err)
	}
}
