package audio

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "encode the files of testdata again (needs ffmpeg)")

// signal is what all test files hold: tones that come and go, different in each channel.
func signal(rate, channels int, seconds float64) []float32 {
	frames := int(float64(rate) * seconds)
	out := make([]float32, frames*channels)
	for i := range frames {
		t := float64(i) / float64(rate)
		envelope := 0.5 * math.Sin(math.Pi*float64(i)/float64(frames))
		for c := range channels {
			f := 200 * float64(c+2)
			out[i*channels+c] = float32(envelope * (0.6*math.Sin(2*math.Pi*f*t) + 0.3*math.Sin(2*math.Pi*3.1*f*t+1)))
		}
	}
	return out
}

// recipes are the files: how ffmpeg makes each from the signal.
var recipes = []struct {
	file     string
	rate     int
	channels int
	args     string
	snr      float64 // dB at least, against the signal
}{
	{"mono16k.flac", 16000, 1, "-c:a flac -sample_fmt s16", 80},
	{"stereo44k.flac", 44100, 2, "-c:a flac -sample_fmt s16", 80},
	{"stereo24bit.flac", 48000, 2, "-c:a flac -sample_fmt s32 -bits_per_raw_sample 24", 120},
	{"mono16k.mp3", 16000, 1, "-c:a libmp3lame -b:a 32k", 10},
	{"mono48k.mp3", 48000, 1, "-c:a libmp3lame -b:a 64k", 10},
	{"stereo44k.mp3", 44100, 2, "-c:a libmp3lame -b:a 128k", 10},
	{"vbr44k.mp3", 44100, 2, "-c:a libmp3lame -q:a 4", 10},
	{"notag44k.mp3", 44100, 2, "-c:a libmp3lame -b:a 128k -write_xing 0 -id3v2_version 0", -10},
	{"mono16k.ogg", 16000, 1, "-c:a libvorbis -q:a 4", 10},
	{"stereo44k.ogg", 44100, 2, "-c:a libvorbis -q:a 4", 10},
	{"voice.opus", 48000, 1, "-c:a libopus -b:a 24k -application voip", 5},
	{"stereo.opus", 48000, 2, "-c:a libopus -b:a 96k", 10},
	{"padded22k.mp3", 22050, 1, "-c:a libmp3lame -b:a 32k", 10},
	{"stereo44k.m4a", 44100, 2, "-c:a aac -b:a 96k", 10},
	{"adpcm.wav", 16000, 1, "-c:a adpcm_ima_wav", 15},
}

// needsFFmpeg are the files that no built-in decoder takes.
var needsFFmpeg = map[string]bool{"stereo44k.m4a": true, "adpcm.wav": true}

const testSeconds = 0.7

func ffmpegHere(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("ffmpeg")
	if err != nil {
		t.Skip("ffmpeg is not installed")
	}
	return path
}

func encode(t testing.TB, dir string, rate, channels int, seconds float64, file, args string) string {
	t.Helper()
	in := filepath.Join(t.TempDir(), "in.wav")
	if err := os.WriteFile(in, floatWAV(rate, channels, signal(rate, channels, seconds)), 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, file)
	words := append([]string{"-y", "-loglevel", "error", "-i", in, "-flags", "+bitexact", "-fflags", "+bitexact"}, strings.Fields(args)...)
	if msg, err := exec.Command(ffmpegHere(t), append(words, out)...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", file, err, msg)
	}
	return out
}

// floatWAV is a WAV file of 32-bit floats.
func floatWAV(rate, channels int, samples []float32) []byte {
	return wavFile(wavFile0{code: wavFloat, rate: rate, channels: channels, bits: 32, data: floatBytes(samples)})
}

// byFFmpeg is what ffmpeg makes of a file: interleaved samples.
func byFFmpeg(t testing.TB, path string, channels int) []float32 {
	t.Helper()
	args := []string{"-loglevel", "error"}
	if strings.HasSuffix(path, ".opus") {
		args = append(args, "-c:a", "libopus") // ffmpeg's own decoder is up to 0.08 away from the reference
	}
	args = append(args, "-i", path, "-c:a", "pcm_f32le", "-ac", fmt.Sprint(channels), "-f", "f32le", "-")
	out, err := exec.Command(ffmpegHere(t), args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	h := wavHeader{code: wavFloat, bytes: 4, channels: 1}
	samples := make([]float32, len(out)/4)
	h.convert(samples, out)
	return samples
}

func TestUpdateFiles(t *testing.T) {
	if !*update {
		t.Skip("only with -update")
	}
	for _, r := range recipes {
		encode(t, "testdata", r.rate, r.channels, testSeconds, r.file, r.args)
	}
}

// Each format gives back the sound that went in, in time, without a sample too many.
func TestFormats(t *testing.T) {
	for _, r := range recipes {
		t.Run(r.file, func(t *testing.T) {
			if needsFFmpeg[r.file] {
				ffmpegHere(t)
			}
			clip, err := DecodeFile(context.Background(), filepath.Join("testdata", r.file), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if clip.Info.Rate != r.rate || clip.Info.Channels != r.channels {
				t.Errorf("%+v, want %d Hz, %d channels", clip.Info, r.rate, r.channels)
			}
			if clip.Info.Frames >= 0 && clip.Info.Frames != int64(clip.Len()) {
				t.Errorf("the header says %d samples, decoded are %d", clip.Info.Frames, clip.Len())
			}
			want := make([]float32, int(float64(r.rate)*testSeconds))
			mix(want, signal(r.rate, r.channels, testSeconds), r.channels)
			if r.file != "notag44k.mp3" && !needsFFmpeg[r.file] && clip.Len() != len(want) {
				t.Errorf("%d samples, want %d", clip.Len(), len(want))
			}
			if got := snr(want, clip.Float32(nil)); got < r.snr {
				t.Errorf("signal to noise %.1f dB, want at least %.0f", got, r.snr)
			}
		})
	}
}

// The built-in decoders agree with ffmpeg's: the same number of samples, nearly the same values.
func TestAgainstFFmpeg(t *testing.T) {
	ffmpegHere(t)
	for _, r := range recipes {
		if needsFFmpeg[r.file] {
			continue
		}
		t.Run(r.file, func(t *testing.T) {
			// Long enough for many frames and for rates of speech and music.
			path := encode(t, t.TempDir(), r.rate, r.channels, 2.3, r.file, r.args)
			want := byFFmpeg(t, path, r.channels)
			mono := make([]float32, len(want)/r.channels)
			mix(mono, want, r.channels)
			clip, err := DecodeFile(context.Background(), path, Options{FFmpeg: "none"})
			if err != nil {
				t.Fatal(err)
			}
			if clip.Len() != len(mono) {
				t.Errorf("%d samples, ffmpeg gives %d", clip.Len(), len(mono))
			}
			diff := largestDifference(mono, clip.Float32(nil))
			limit := 2e-4
			switch filepath.Ext(r.file) {
			case ".flac":
				limit = 0
			case ".mp3":
				limit = 5e-6
			}
			if strings.HasSuffix(r.file, "opus") {
				limit = 2e-3 // the format leaves decoders that much room
			}
			if diff > limit {
				t.Errorf("largest difference %.3g, want at most %.3g", diff, limit)
			}
			t.Logf("%d samples, largest difference to ffmpeg %.2g", clip.Len(), diff)
		})
	}
}

// Every file cut anywhere is an error or shorter audio, never a panic; and with ffmpeg away the message says so.
func TestCutFiles(t *testing.T) {
	for _, r := range recipes {
		data, err := os.ReadFile(filepath.Join("testdata", r.file))
		if err != nil {
			t.Fatal(err)
		}
		for cut := 0; cut < len(data); cut += 1 + len(data)/40 {
			clip, err := Decode(context.Background(), r.file, data[:cut], Options{FFmpeg: "none"})
			if err == nil && clip.Len() > int(float64(r.rate)*testSeconds)+4000 {
				t.Errorf("%s cut at %d gives %d samples", r.file, cut, clip.Len())
			}
			if err == nil && cut < len(data)/2 && !strings.HasSuffix(r.file, "mp3") {
				t.Errorf("%s cut at %d of %d is taken for whole", r.file, cut, len(data))
			}
			if err != nil && !strings.Contains(err.Error(), r.file) {
				t.Errorf("%q does not name the file", err)
			}
		}
	}
}

// A header alone tells what decoding gives.
func TestProbe(t *testing.T) {
	for _, r := range recipes {
		data, err := os.ReadFile(filepath.Join("testdata", r.file))
		if err != nil {
			t.Fatal(err)
		}
		info, err := probeFile(r.file, bytes.NewReader(data), int64(len(data)))
		if needsFFmpeg[r.file] {
			if !errors.Is(err, ErrUnsupported) {
				t.Errorf("%s: %v", r.file, err)
			}
			continue
		}
		clip, err2 := Decode(context.Background(), r.file, data, Options{FFmpeg: "none"})
		if err != nil || err2 != nil || info != clip.Info || info.Frames != int64(clip.Len()) {
			t.Errorf("%s: %+v, decoded %+v with %d samples; %v %v", r.file, info, clip.Info, clip.Len(), err, err2)
		}
	}
}

func TestWithoutFFmpeg(t *testing.T) {
	_, err := DecodeFile(context.Background(), "testdata/stereo44k.m4a", Options{FFmpeg: "no-such-program"})
	if err == nil || !strings.Contains(err.Error(), "apt-get install ffmpeg") {
		t.Errorf("%v does not say how to get ffmpeg", err)
	}
}

func TestTagsAroundSound(t *testing.T) {
	for _, file := range []string{"mono48k.mp3", "mono16k.flac"} {
		data, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		plain, err := Decode(context.Background(), file, data, Options{FFmpeg: "none"})
		if err != nil {
			t.Fatal(err)
		}
		tagged := append([]byte("ID3\x04\x00\x00\x00\x00\x01\x05"), bytes.Repeat([]byte{0xFF, 0xFB, 7}, (128+5)/3+1)[:128+5]...)
		tagged = append(tagged, data...)
		if strings.HasSuffix(file, "mp3") {
			tagged = append(tagged, append([]byte("TAG"), make([]byte, 125)...)...)
		}
		clip, err := Decode(context.Background(), file, tagged, Options{FFmpeg: "none"})
		if err != nil {
			t.Fatal(err)
		}
		if d := largestDifference(plain.Samples, clip.Samples); d != 0 || clip.Len() != plain.Len() {
			t.Errorf("%s: tags change the sound: %d samples, %d before, difference %g", file, clip.Len(), plain.Len(), d)
		}
	}
}

func TestNotAudio(t *testing.T) {
	for content, want := range map[string]string{
		"":                                 "empty",
		"<!DOCTYPE html><html>":            "a web page",
		`{"error": "rate limited"}`:        "JSON",
		"#EXTM3U\nhttp://x/":               "a playlist",
		"utt1 wav/1.wav\nutt2 wav/ü.wav\n": "the file is text, not audio",
		"version https://git-lfs.github.com/spec/v1\n": "git lfs pull",
	} {
		_, err := Decode(context.Background(), "x.wav", []byte(content), Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", content, err, want)
		}
	}
}

func snr(want, got []float32) float64 {
	var signal, noise float64
	for i := range min(len(want), len(got)) {
		signal += float64(want[i]) * float64(want[i])
		d := float64(want[i] - got[i])
		noise += d * d
	}
	return 10 * math.Log10(signal/(noise+1e-30))
}

func largestDifference(a, b []float32) float64 {
	largest := 0.0
	for i := range min(len(a), len(b)) {
		largest = max(largest, math.Abs(float64(a[i]-b[i])))
	}
	return largest
}

// Rubbish in the middle of an MP3 file is passed over.
func TestRubbishInMP3(t *testing.T) {
	for _, r := range recipes {
		if !strings.HasSuffix(r.file, ".mp3") {
			continue
		}
		data, err := os.ReadFile(filepath.Join("testdata", r.file))
		if err != nil {
			t.Fatal(err)
		}
		whole, err := Decode(context.Background(), r.file, data, Options{FFmpeg: "none"})
		if err != nil {
			t.Fatal(err)
		}
		middle := len(data) / 2
		more := slices.Insert(bytes.Clone(data), middle, bytes.Repeat([]byte{0xAA}, 5000)...)
		less := bytes.Clone(data)
		copy(less[middle:], bytes.Repeat([]byte{0xAA}, 300))
		for _, damaged := range [][]byte{more, less} {
			clip, err := Decode(context.Background(), r.file, damaged, Options{FFmpeg: "none"})
			if err == nil && (clip.Len() < whole.Len()-4*1152 || clip.Len() > whole.Len()) {
				t.Errorf("%s: %d samples of %d", r.file, clip.Len(), whole.Len())
			}
			if err != nil && !errors.Is(err, ErrTruncated) { // the tag says how many frames there were
				t.Errorf("%s: %v", r.file, err)
			}
		}
	}
}

// A reader of ffmpeg's output that is closed early leaves nothing running.
func TestClosedEarly(t *testing.T) {
	path := encode(t, t.TempDir(), 44100, 2, 21, "long.m4a", "-c:a aac -b:a 96k")
	r, err := openFile(context.Background(), path, Options{Rate: 16000})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := r.Read(make([]float32, 100)); n != 100 || err != nil {
		t.Errorf("%d %v", n, err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

func BenchmarkDecode(b *testing.B) {
	stereo, err := AppendWAV(nil, 44100, 2, toInt16(nil, signal(44100, 2, 5)))
	if err != nil {
		b.Fatal(err)
	}
	files := map[string][]byte{"stereo44k.wav": stereo}
	for _, r := range recipes {
		if needsFFmpeg[r.file] {
			continue
		}
		if files[r.file], err = os.ReadFile(filepath.Join("testdata", r.file)); err != nil {
			b.Fatal(err)
		}
	}
	for name, data := range files {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var seconds float64
			buffer := make([]float32, 0, 1<<20)
			for b.Loop() {
				clip, err := Decode(context.Background(), name, data, Options{FFmpeg: "none", Rate: 16000, Buffer: buffer})
				if err != nil {
					b.Fatal(err)
				}
				seconds = clip.Duration().Seconds()
			}
			b.ReportMetric(seconds*float64(b.N)/b.Elapsed().Seconds(), "audio-s/s")
		})
	}
}
