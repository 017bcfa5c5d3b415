package tts

import (
	"context"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"saturate/internal/audio"
)

// formantEngine is the built-in voice: pulses and noise through moving resonances. It needs nothing, the
// same text always gives the same samples, and it is for tests and demos: nobody will take it for a person.
type formantEngine struct{}

// formantVersion changes whenever the samples do.
const formantVersion = "1"

const (
	formantRate  = 16000
	formantFrame = formantRate / 200 // samples between two positions of the vocal tract: 5 ms
)

// formantVoice is a size of head and a pitch.
type formantVoice struct {
	pitch float64 // Hz
	scale float64 // of all formants: 1 for a man
}

var formantVoices = map[string]formantVoice{
	"m1": {110, 1}, "m2": {92, 0.95}, "m3": {128, 1.04},
	"f1": {205, 1.16}, "f2": {185, 1.12}, "f3": {228, 1.2},
	"c1": {270, 1.3},
}

func (formantEngine) Name() string { return "formant" }

func (formantEngine) Prepare(_ context.Context, voices []string) (Identity, error) {
	for _, v := range voices {
		if _, ok := formantVoices[v]; !ok {
			return Identity{}, fmt.Errorf("formant has no voice %q; use %s", v, strings.Join(formantVoiceNames(), ", "))
		}
	}
	return Identity{Version: formantVersion}, nil
}

func formantVoiceNames() []string {
	var names []string
	for name := range formantVoices {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (formantEngine) Speak(ctx context.Context, r Request) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	tract := articulate(sounds(r.Text), r.Speed)
	if len(tract) == 0 {
		return nil, permanent("formant supports only English spelling, and this text has no letter it can speak")
	}
	v := formantVoices[r.Voice]
	samples := synthesize(tract, v.pitch*r.Pitch, v.scale, strings.HasSuffix(strings.TrimSpace(r.Text), "?"),
		crc32.ChecksumIEEE([]byte(r.Text)))
	return audio.AppendWAV(nil, formantRate, 1, samples)
}

// sounds spells a text in phonemes; words without a known letter are left out.
func sounds(text string) []string {
	var out []string
	spoken := false
	for _, word := range strings.Fields(strings.ToLower(text)) {
		letters := strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' {
				return r
			}
			return -1
		}, plainLetters.Replace(word))
		said := pronounce(letters)
		out = append(out, said...)
		spoken = spoken || len(said) > 0
		if strings.ContainsAny(word[len(word)-1:], ",;:") && spoken {
			out = append(out, ",")
		}
	}
	if !spoken {
		return nil
	}
	return append(out, ".")
}

// plainLetters takes accents off common letters and reads digits one by one.
var plainLetters = strings.NewReplacer(
	"à", "a", "á", "a", "â", "a", "ã", "a", "ä", "a", "å", "a", "æ", "a", "ç", "c", "è", "e", "é", "e", "ê", "e", "ë", "e",
	"ì", "i", "í", "i", "î", "i", "ï", "i", "ñ", "n", "ò", "o", "ó", "o", "ô", "o", "õ", "o", "ö", "o", "œ", "o",
	"ù", "u", "ú", "u", "û", "u", "ü", "u", "ý", "y", "ÿ", "y", "ß", "s",
	"0", "zero", "1", "one", "2", "two", "3", "three", "4", "four", "5", "five", "6", "six", "7", "seven", "8", "eight", "9", "nine",
)

// pronounce is the sounds of a word in plain letters.
func pronounce(word string) []string {
	if whole, ok := wholeWords[word]; ok {
		return strings.Fields(whole)
	}
	if n := len(word); n > 3 && word[n-1] == 'e' && !strings.ContainsRune("aeiou", rune(word[n-2])) {
		silent := word[:n-1]
		if word[n-2] == 'c' {
			silent = word[:n-2] + "s"
		}
		word = silent
	}
	var out []string
	for at := 0; at < len(word); {
		length := min(4, len(word)-at)
		for ; length > 1; length-- {
			if _, ok := spelling[word[at:at+length]]; ok {
				break
			}
		}
		out = append(out, strings.Fields(spelling[word[at:at+length]])...)
		at += length
	}
	return out
}

// articulate is one row for each frame. The mouth moves from one sound to the next; it does not jump.
func articulate(names []string, speed float64) []phoneme {
	var rows []phoneme
	for _, name := range names {
		p := phonemes[name]
		if p.centre == 0 {
			p.centre = 4000
		}
		for range max(1, int(math.Round(p.ms/speed*formantRate/1000/formantFrame))) {
			rows = append(rows, p)
		}
	}
	smooth := slices.Clone(rows)
	for i := range rows {
		var sum phoneme
		weights, loud := 0.0, 0.0
		for d := -5; d <= 5; d++ {
			p := rows[min(max(i+d, 0), len(rows)-1)]
			w := 1 + math.Cos(math.Pi*float64(d)/6)
			weights += w
			for f := range sum.formants {
				sum.formants[f] += float64(w * p.formants[f])
			}
			if d >= -3 && d <= 3 { // the vocal folds are quicker than the tongue
				sum.voice += float64(w * p.voice)
				loud += w
			}
		}
		for f := range sum.formants {
			smooth[i].formants[f] = sum.formants[f] / weights
		}
		smooth[i].voice = sum.voice / loud
	}
	return smooth
}

// resonator is a pair of poles, at 0 Hz with gain 1.
type resonator struct{ a, b, c, y1, y2 float64 }

func (r *resonator) tune(hz, bandwidth float64) {
	radius := math.Exp(-math.Pi * bandwidth / formantRate)
	r.c = -float64(radius * radius)
	r.b = 2 * radius * math.Cos(2*math.Pi*math.Min(hz, 7600)/formantRate)
	r.a = 1 - r.b - r.c
}

// step filters one sample. The conversions keep products from being fused into sums, so that every
// processor gives the same bits.
func (r *resonator) step(x float64) float64 {
	y := float64(r.a*x) + float64(r.b*r.y1) + float64(r.c*r.y2)
	r.y1, r.y2 = y, r.y1
	return y
}

var bandwidths = [5]float64{70, 100, 150, 250, 300}

// synthesize turns the positions of the vocal tract into sound.
func synthesize(tract []phoneme, pitch, scale float64, question bool, seed uint32) []int16 {
	noise := rand.New(rand.NewPCG(uint64(seed), 1))
	var poles [5]resonator
	var friction resonator
	out := make([]float64, 0, len(tract)*formantFrame)
	phase, lastFlow, lastHiss, loudest := 0.0, 0.0, 0.0, 0.0
	for i, now := range tract {
		for f := range poles {
			hz := [5]float64{now.formants[0], now.formants[1], now.formants[2], 3500, 4500}[f]
			poles[f].tune(hz*scale, bandwidths[f])
		}
		friction.tune(now.centre, 1200)
		narrow := 0.04 / (2 * math.Sin(math.Pi*now.centre/formantRate)) // differences of noise hiss, and do not rumble
		next := tract[min(i+1, len(tract)-1)]
		at := float64(i) / float64(len(tract))
		hz := pitch * intonation(at, i, now.voice, question)
		for s := range formantFrame {
			part := float64(s) / formantFrame
			phase = math.Mod(phase+hz/formantRate, 1)
			flow := glottis(phase)
			hiss := noise.NormFloat64()
			source := float64((flow-lastFlow)*(now.voice+float64(part*(next.voice-now.voice)))) + float64(0.05*hiss*now.breath)
			lastFlow = flow
			for f := range poles {
				source = poles[f].step(source)
			}
			source += friction.step(float64(narrow*(hiss-lastHiss)) * now.friction)
			lastHiss = hiss
			out = append(out, source)
			loudest = math.Max(loudest, math.Abs(source))
		}
	}
	samples := make([]int16, len(out))
	for i, v := range out {
		samples[i] = int16(math.Round(v * (22000 / math.Max(loudest, 1e-9))))
	}
	return samples
}

// intonation falls through a sentence, is higher on loud vowels, trembles a little, and rises at the end of a question.
func intonation(at float64, frame int, voice float64, question bool) float64 {
	contour := 1.12 - float64(0.24*at) + float64(0.06*voice)
	contour *= 1 + float64(0.008*math.Sin(2*math.Pi*5.5*float64(frame)*formantFrame/formantRate))
	if question && at > 0.8 {
		contour *= 1 + 0.35*(at-0.8)/0.2
	}
	return contour
}

// glottis is the flow of air through the vocal folds over one period (Rosenberg's pulse).
func glottis(phase float64) float64 {
	switch {
	case phase < 0.45:
		return 0.5 * (1 - math.Cos(math.Pi*phase/0.45))
	case phase < 0.5:
		return math.Cos(0.5 * math.Pi * (phase - 0.45) / 0.05)
	}
	return 0
}
