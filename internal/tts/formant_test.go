package tts

import (
	"context"
	"hash/crc32"
	"math"
	"math/cmplx"
	"strings"
	"testing"

	"saturate/internal/audio"
)

func formantSamples(t *testing.T, text, voice string) []float32 {
	t.Helper()
	data, err := formantEngine{}.Speak(context.Background(), Request{Text: text, Voice: voice, Speed: 1, Pitch: 1})
	if err != nil {
		t.Fatal(err)
	}
	clip, err := audio.Decode(context.Background(), "formant", data, audio.Options{Rate: 16000})
	if err != nil {
		t.Fatal(err)
	}
	return clip.Float32(nil)
}

// Every voice gives the samples it always gave; a change of them needs a new formantVersion.
func TestFormantIsDeterministic(t *testing.T) {
	if formantVersion != "1" {
		t.Fatal("write the new checksums here")
	}
	for voice, want := range map[string]uint32{"m1": 0x39119591, "f1": 0xf2a88ba6} {
		data, err := formantEngine{}.Speak(context.Background(), Request{Text: "The birch canoe slid on the smooth planks.", Voice: voice, Speed: 1, Pitch: 1})
		if err != nil {
			t.Fatal(err)
		}
		if got := crc32.ChecksumIEEE(data); got != want {
			t.Errorf("%s: checksum %#x, want %#x", voice, got, want)
		}
	}
}

// band is the energy between two frequencies, by a plain DFT over the middle of the samples.
func band(samples []float32, low, high float64) float64 {
	const n = 1024
	middle := samples[len(samples)/2-n/2:][:n]
	sum := 0.0
	for hz := low; hz < high; hz += 16000.0 / n {
		var z complex128
		for i, v := range middle {
			w := 0.5 - 0.5*math.Cos(2*math.Pi*float64(i)/n)
			z += complex(float64(v)*w, 0) * cmplx.Exp(complex(0, -2*math.Pi*hz*float64(i)/16000))
		}
		sum += real(z)*real(z) + imag(z)*imag(z)
	}
	return sum
}

// speakPhoneme holds one sound for half a second.
func speakPhoneme(name string) []float32 {
	p := phonemes[name]
	p.ms = 500
	if p.centre == 0 {
		p.centre = 4000
	}
	rows := make([]phoneme, 100)
	for i := range rows {
		rows[i] = p
	}
	return audio.Clip{PCM: synthesize(rows, 110, 1, false, 1)}.Float32(nil)
}

// Vowels have their energy where Peterson and Barney (1952) measured it, hissing sounds where they hiss.
func TestFormantSounds(t *testing.T) {
	for _, tt := range []struct {
		sound             string
		more, moreTo      float64
		less, lessTo, gap float64 // dB
	}{
		{"ii", 2000, 3200, 800, 1800, 10}, // "see": the second formant is high
		{"a", 600, 1300, 1600, 2200, 15},  // "father": the first two are close together
		{"uu", 200, 1000, 1300, 2000, 15}, // "too": everything is low
		{"s", 5000, 7000, 200, 2500, 12},
		{"sh", 2500, 4200, 200, 1500, 10},
		{"m", 150, 400, 1200, 2000, 15},
	} {
		s := speakPhoneme(tt.sound)
		got := 10 * math.Log10(band(s, tt.more, tt.moreTo)/band(s, tt.less, tt.lessTo))
		if got < tt.gap {
			t.Errorf("%s: %.0f-%.0f Hz is %.1f dB over %.0f-%.0f Hz, want %.0f", tt.sound, tt.more, tt.moreTo, got, tt.less, tt.lessTo, tt.gap)
		}
	}
}

// The pitch is the voice's.
func TestFormantPitch(t *testing.T) {
	for voice, want := range map[string]float64{"m1": 110, "f1": 205} {
		s := formantSamples(t, "Amen, amen, amen, amen.", voice)
		middle := s[len(s)/3:][:4000]
		best, at := 0.0, 0
		for lag := 16000 / 350; lag < 16000/70; lag++ {
			sum := 0.0
			for i := lag; i < len(middle); i++ {
				sum += float64(middle[i]) * float64(middle[i-lag])
			}
			if sum > best {
				best, at = sum, lag
			}
		}
		if got := 16000 / float64(at); math.Abs(got/want-1) > 0.15 {
			t.Errorf("%s speaks at %.0f Hz, want about %.0f", voice, got, want)
		}
	}
}

func TestSpelling(t *testing.T) {
	for word, want := range map[string]string{
		"the": "dh u", "sheep": "sh ii P p", "night": "n a i T t", "nation": "n ae sh u n", "face": "f ae s", "box": "B b o K k s",
	} {
		if got := strings.Join(pronounce(word), " "); got != want {
			t.Errorf("%s: %s, want %s", word, got, want)
		}
	}
	for _, names := range []map[string]string{spelling, wholeWords} {
		for letters, said := range names {
			for _, p := range strings.Fields(said) {
				if _, ok := phonemes[p]; !ok {
					t.Errorf("%q is spelt with %q, which is no sound", letters, p)
				}
			}
		}
	}
	if got := strings.Join(sounds("Äh, 42!"), " "); got != strings.Join(append(append(append(pronounce("ah"), ","), pronounce("fourtwo")...), "."), " ") {
		t.Errorf("%s", got)
	}
}

func FuzzFormant(f *testing.F) {
	for _, text := range []string{"Hello, world?", "日本語", "---", "a", "ß œ 9", strings.Repeat("ough", 20)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 60 {
			return
		}
		data, err := formantEngine{}.Speak(context.Background(), Request{Text: text, Voice: "m1", Speed: 1, Pitch: 1})
		if err != nil {
			return
		}
		clip, err := audio.Decode(context.Background(), "x", data, audio.Options{})
		if err != nil || clip.Len() == 0 {
			t.Errorf("%q: %v", text, err)
		}
	})
}

func TestFormantRefusesOtherScripts(t *testing.T) {
	_, err := formantEngine{}.Speak(context.Background(), Request{Text: "日本語", Voice: "m1", Speed: 1, Pitch: 1})
	if err == nil || !strings.Contains(err.Error(), "only English spelling") {
		t.Errorf("%v", err)
	}
	if _, err := (formantEngine{}).Prepare(context.Background(), []string{"zz"}); err == nil || !strings.Contains(err.Error(), "c1, f1") {
		t.Errorf("%v", err)
	}
}
