package audio

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// allChannels reads a Vorbis file without mixing.
func allChannels(t *testing.T, path string) []float32 {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	src, err := openVorbis(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var samples []float32
	block := make([]float32, 6*1000)
	for {
		n, err := src.read(block)
		if err == io.EOF {
			return samples
		}
		if err != nil {
			t.Fatal(err)
		}
		samples = append(samples, block[:n]...)
	}
}

// Against ffmpeg for what libvorbis writes: rates, qualities, channels, and blows that need short blocks.
func TestVorbisAgainstFFmpeg(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	for _, v := range []struct {
		rate, channels int
		quality        string
	}{{8000, 1, "4"}, {11025, 2, "-1"}, {16000, 1, "10"}, {22050, 2, "6"}, {32000, 1, "0"}, {44100, 2, "10"}, {48000, 6, "3"}, {96000, 2, "5"}} {
		t.Run(fmt.Sprintf("%d Hz, %d channels, quality %s", v.rate, v.channels, v.quality), func(t *testing.T) {
			sound := signal(v.rate, v.channels, 1.3)
			for i := range sound {
				since := i / v.channels % (v.rate / 4)
				sound[i] += float32(random.NormFloat64() * 0.3 / float64(1+since/20))
			}
			dir := t.TempDir()
			in, path := filepath.Join(dir, "in.wav"), filepath.Join(dir, "out.ogg")
			if err := os.WriteFile(in, floatWAV(v.rate, v.channels, sound), 0o644); err != nil {
				t.Fatal(err)
			}
			if msg, err := exec.Command(ffmpegHere(t), "-loglevel", "error", "-i", in, "-c:a", "libvorbis", "-q:a", v.quality, path).CombinedOutput(); err != nil {
				t.Skipf("ffmpeg cannot make it: %s", strings.TrimSpace(string(msg)))
			}
			got, want := allChannels(t, path), byFFmpeg(t, path, v.channels)
			if len(got) != len(want) {
				t.Fatalf("%d samples, ffmpeg gives %d", len(got), len(want))
			}
			if v.channels == 6 { // ffmpeg's order is left, right, centre, deep, behind; Vorbis has the centre second and the deep one last
				for i := 0; i < len(want); i += 6 {
					w := want[i : i+6]
					w[1], w[2], w[3], w[4], w[5] = w[2], w[1], w[4], w[5], w[3]
				}
			}
			d := largestDifference(got, want)
			if d > 2e-6 {
				t.Errorf("largest difference %g", d)
			}
			t.Logf("%d samples, largest difference to ffmpeg %.2g", len(got), d)
		})
	}
}
