package mp3

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "encode the files of testdata again, and what they should give (needs ffmpeg)")

// decodeAll gives the interleaved samples of a file, trimmed as its tag says.
func decodeAll(data []byte) (Header, []float32) {
	var f Frames
	f.Reset(bytes.NewReader(data), int64(len(data)))
	d := new(Decoder)
	d.Reset()
	var first Header
	var out []float32
	tag := Tag{Delay: -1}
	for i := 0; ; i++ {
		h, frame, _, err := f.Next()
		if err != nil {
			break
		}
		if i == 0 {
			first = h
			if t, ok := ReadTag(frame, h); ok {
				tag = t
				continue
			}
		}
		n := len(out)
		out = append(out, make([]float32, h.Samples*first.Channels)...)
		d.Decode(h, frame, out[n:], first.Channels)
	}
	if tag.Delay >= 0 {
		out = out[min(int(tag.Delay+DecoderDelay)*first.Channels, len(out)):]
		out = out[:max(0, len(out)-int(max(0, tag.Padding-DecoderDelay))*first.Channels)]
	}
	return first, out
}

// sound has tones that glide, noise that comes in bursts (and so short blocks), and two channels that differ a little.
func sound(rate int, seconds float64) []byte {
	random := rand.New(rand.NewPCG(1, 2))
	var out []byte
	for i := range int(seconds * float64(rate)) {
		t := float64(i) / float64(rate)
		tone := 0.3*math.Sin(2*math.Pi*(200+400*t)*t) + 0.1*math.Sin(2*math.Pi*1700*t)
		noise := 0.4 * random.NormFloat64() * math.Exp(-60*math.Mod(t, 0.11))
		for _, v := range [2]float64{tone + noise, 0.8*tone - 0.3*noise + 0.05*math.Sin(2*math.Pi*900*t)} {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(v)))
		}
	}
	return out
}

// ffmpeg runs it, or skips the test where it is not installed.
func ffmpeg(t *testing.T, in []byte, args string) []byte {
	t.Helper()
	program, err := exec.LookPath("ffmpeg")
	if err != nil {
		t.Skip("ffmpeg is not installed")
	}
	cmd := exec.Command(program, append([]string{"-loglevel", "error"}, strings.Fields(args)...)...)
	cmd.Stdin = bytes.NewReader(in)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", args, err)
	}
	return out
}

// encode writes to a file, since the tag is written last.
func encode(t *testing.T, path string, rate int, seconds float64, args string) []byte {
	t.Helper()
	ffmpeg(t, sound(rate, seconds), fmt.Sprintf("-y -f f32le -ar %d -ac 2 -i - -flags +bitexact -fflags +bitexact -c:a libmp3lame %s %s", rate, args, path))
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// byFFmpeg is what ffmpeg makes of a file.
func byFFmpeg(t *testing.T, data []byte) []float32 {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.mp3")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return floats(ffmpeg(t, nil, "-i "+path+" -c:a pcm_f32le -f f32le -"))
}

func floats(raw []byte) []float32 {
	out := make([]float32, len(raw)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return out
}

// difference is the largest one, and the largest sample.
func difference(a, b []float32) (largest, peak float64) {
	for i := range min(len(a), len(b)) {
		largest = max(largest, math.Abs(float64(a[i]-b[i])))
		peak = max(peak, math.Abs(float64(b[i])))
	}
	return largest, peak
}

// kept are the files of testdata, and how ffmpeg makes them.
var kept = []struct {
	name string
	rate int
	args string
}{
	{"joint44k", 44100, "-b:a 96k"},
	{"vbr48k", 48000, "-q:a 5 -joint_stereo 0"},
	{"mono32k", 32000, "-ac 1 -b:a 64k"},
	{"joint22k", 22050, "-b:a 40k"},
	{"mono16k", 16000, "-ac 1 -b:a 24k"},
	{"mono11k", 11025, "-ac 1 -q:a 4"},
	{"joint8k", 8000, "-b:a 16k"},
	// What it should give is by mpg123 (libsndfile 1.2.2): at this rate ffmpeg's bands are not those of the encoder.
	{"mono24k", 24000, "-ac 1 -b:a 32k"},
}

// keptStride is the distance of the samples that are kept of what a file should give.
const keptStride = 13

func TestKept(t *testing.T) {
	for _, k := range kept {
		path := filepath.Join("testdata", k.name)
		if *update && k.name != "mono24k" {
			want := byFFmpeg(t, encode(t, path+".mp3", k.rate, 0.3, k.args))
			raw := binary.LittleEndian.AppendUint32(nil, uint32(len(want)))
			for i := 0; i < len(want); i += keptStride {
				raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(want[i]))
			}
			if err := os.WriteFile(path+".f32", raw, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		data, err := os.ReadFile(path + ".mp3")
		if err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(path + ".f32")
		if err != nil {
			t.Fatal(err)
		}
		for _, mode := range modes() {
			h, got := decodeAll(data)
			if length := int(binary.LittleEndian.Uint32(raw)); len(got) != length || h.Rate != k.rate {
				t.Errorf("%s: %d samples of %d Hz, want %d of %d", k.name, len(got), h.Rate, length, k.rate)
			}
			var some []float32
			for i := 0; i < len(got); i += keptStride {
				some = append(some, got[i])
			}
			if d, peak := difference(some, floats(raw[4:])); d > 5e-6 || peak < 0.2 {
				t.Errorf("%s, %s: largest difference %.2g of %.2g", k.name, mode, d, peak)
			}
		}
	}
}

// A frame more allocates nothing.
func TestAllocations(t *testing.T) {
	data := read(t, "testdata/joint44k.mp3")
	var f Frames
	d := new(Decoder)
	d.Reset()
	r := bytes.NewReader(data)
	out := make([]float32, 2*MaxSamples)
	f.Reset(r, int64(len(data)))
	if n := testing.AllocsPerRun(5, func() {
		f.Reset(r, int64(len(data)))
		for {
			h, frame, _, err := f.Next()
			if err != nil {
				break
			}
			d.Decode(h, frame, out, 2)
		}
	}); n != 0 {
		t.Errorf("%g allocations", n)
	}
}

// modes goes through the ways of this processor; afterwards the first one counts again.
func modes() func(func(int, string) bool) {
	return func(yield func(int, string) bool) {
		before := vector
		defer func() { setVector(before) }()
		if before && !yield(0, "vector") {
			return
		}
		setVector(false)
		yield(1, "plain")
	}
}

// All rates, with one channel and two, sum and difference or not, constant and variable bit rates.
func TestAgainstFFmpeg(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.mp3")
	for _, rate := range rates {
		if rate == 24000 {
			continue // see kept
		}
		for _, args := range []string{"-ac 1 -b:a 32k", "-b:a 64k", "-q:a 3", "-b:a 320k -joint_stereo 0"} {
			data := encode(t, path, rate, 0.8, args)
			_, got := decodeAll(data)
			want := byFFmpeg(t, data)
			if d, peak := difference(got, want); len(got) != len(want) || d > 5e-6 || peak < 0.2 {
				t.Errorf("%d Hz %s: %d samples, ffmpeg %d; largest difference %.2g of %.2g", rate, args, len(got), len(want), d, peak)
			}
		}
	}
}
