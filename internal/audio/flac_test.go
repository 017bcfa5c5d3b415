package audio

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// Signals that make an encoder use each of its ways: constants, raw samples, differences, filters, lost
// low bits, related channels. What comes back is what went in.
func TestFLACIsLossless(t *testing.T) {
	ffmpeg := ffmpegHere(t)
	random := rand.New(rand.NewPCG(5, 6))
	const n = 20_001
	for name, at := range map[string]func(i, channel int) int{
		"silence": func(int, int) int { return 0 },
		"same":    func(int, int) int { return 1234 },
		"noise":   func(int, int) int { return random.IntN(65536) - 32768 },
		"coarse":  func(int, int) int { return (random.IntN(1000) - 500) << 4 },
		"tone":    func(i, _ int) int { return int(20000 * math.Sin(float64(i)*0.05)) },
		"near":    func(i, c int) int { return int(9000*math.Sin(float64(i)*0.03)) + c*random.IntN(30) },
		"square":  func(i, _ int) int { return 32767 - 65535*(i/100%2) },
		"ticks":   func(i, _ int) int { return map[bool]int{true: 32000}[i%5000 == 0] },
	} {
		for level, channels := range map[int]int{0: 1, 12: 2} {
			if name == "noise" {
				channels *= 3
			}
			samples := make([]int16, n*channels)
			for i := range samples {
				samples[i] = int16(at(i/channels, i%channels))
			}
			in, err := AppendWAV(nil, 16000, channels, samples)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			path := filepath.Join(dir, "in.wav")
			if err := os.WriteFile(path, in, 0o644); err != nil {
				t.Fatal(err)
			}
			out := filepath.Join(dir, "out.flac")
			if msg, err := exec.Command(ffmpeg, "-loglevel", "error", "-i", path, "-compression_level", fmt.Sprint(level), out).CombinedOutput(); err != nil {
				t.Fatalf("%v %s", err, msg)
			}
			clip, err := DecodeFile(context.Background(), out, Options{})
			if err != nil {
				t.Errorf("%s, %d channels, level %d: %v", name, channels, level, err)
				continue
			}
			want, err := DecodeFile(context.Background(), path, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if clip.Len() != n || largestDifference(clip.Float32(nil), want.Float32(nil)) != 0 {
				t.Errorf("%s, %d channels, level %d: %d samples, difference %g", name, channels, level, clip.Len(), largestDifference(clip.Float32(nil), want.Float32(nil)))
			}
		}
	}
}

// Filters of every length that is written out, those between, and frames hardly longer than they are. One channel of 16
// bits comes as it is stored, and is the same as a stream of floats.
func TestFLACFilters(t *testing.T) {
	ffmpeg := ffmpegHere(t)
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(7, 8))
	samples := make([]int16, 9_000)
	for i := range samples {
		samples[i] = int16(9000*math.Sin(float64(i)*0.05) + 7000*math.Sin(float64(i)*0.31) + 2000*random.NormFloat64())
	}
	in, err := AppendWAV(nil, 16000, 1, samples)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "in.wav")
	if err := os.WriteFile(path, in, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, frame := range []int{16, 4096} {
		for _, order := range []int{1, 3, 4, 5, 8, 9, 12, 13, 16, 17, 32} {
			if order >= frame {
				continue
			}
			out := filepath.Join(dir, fmt.Sprintf("%d-%d.flac", frame, order))
			command := exec.Command(ffmpeg, "-loglevel", "error", "-i", path, "-strict", "experimental", "-lpc_type", "levinson", "-frame_size", fmt.Sprint(frame),
				"-min_prediction_order", fmt.Sprint(order), "-max_prediction_order", fmt.Sprint(order), out)
			if msg, err := command.CombinedOutput(); err != nil {
				t.Fatalf("%v %s", err, msg)
			}
			clip, err := DecodeFile(t.Context(), out, Options{})
			if err != nil || !slices.Equal(clip.PCM, samples) {
				t.Errorf("frames of %d, filters of %d: %d samples, %v", frame, order, len(clip.PCM), err)
			}
			stream, err := openFile(t.Context(), out, Options{})
			if err != nil {
				t.Fatal(err)
			}
			floats, err := stream.rest(nil)
			if err != nil || largestDifference(floats, clip.Float32(nil)) != 0 {
				t.Errorf("frames of %d, filters of %d: as a stream other samples, %v", frame, order, err)
			}
			stream.Close()
		}
	}
}
