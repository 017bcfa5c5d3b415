package mel

import (
	"math"
	"math/rand/v2"
	"strconv"
)

// signal is a test clip in all its forms.
type signal struct {
	name   string
	pcm    []int16   // nil where int16 cannot hold it
	single []float32 // the same
	double []float64

	periodic bool // frames repeat exactly, and so do their rounding errors
}

// forms are the ways in which the signal can be given.
func (s signal) forms() map[string]Samples {
	m := map[string]Samples{"float": {Float: s.single}}
	if s.pcm != nil {
		m["pcm"] = Samples{PCM: s.pcm}
	}
	return m
}

func fromPCM(name string, pcm []int16) signal {
	s := signal{name: name, pcm: pcm}
	for _, v := range pcm {
		s.single = append(s.single, float32(v)/32768)
		s.double = append(s.double, float64(v)/32768)
	}
	return s
}

func fromFloat(name string, n int, at func(i int) float64) signal {
	s := signal{name: name}
	for i := range n {
		v := float32(at(i))
		s.single = append(s.single, v)
		s.double = append(s.double, float64(v))
	}
	return s
}

func pcm(name string, n int, at func(i int) float64) signal {
	out := make([]int16, n)
	for i := range out {
		out[i] = int16(math.RoundToEven(max(-32768, min(32767, at(i)))))
	}
	return fromPCM(name, out)
}

// voice is like speech in its dynamics: modulated harmonics, breath, pauses.
func voice() func(i int) float64 {
	r := rand.New(rand.NewPCG(1, 2))
	phase := 0.0
	return func(i int) float64 {
		t := float64(i) / 16000
		phase += 2 * math.Pi * (140 + 60*math.Sin(2*math.Pi*0.7*t)) / 16000
		loud := max(0, math.Sin(2*math.Pi*1.3*t)) * max(0, math.Sin(2*math.Pi*0.11*t+1))
		v := 0.0
		for h := 1.0; h < 24; h++ {
			v += math.Sin(h*phase) / h
		}
		return 9000*loud*v + 20*r.NormFloat64()*(0.05+loud)
	}
}

// signals are clips that have broken a mel implementation or could.
func signals() []signal {
	r := rand.New(rand.NewPCG(3, 4))
	noise := func(size float64) func(int) float64 {
		return func(int) float64 { return size * r.NormFloat64() }
	}
	tone := func(size, hertz float64) func(int) float64 {
		return func(i int) float64 { return size * math.Sin(2*math.Pi*hertz*float64(i)/16000) }
	}
	constant := func(v float64) func(int) float64 { return func(int) float64 { return v } }
	list := []signal{
		pcm("voice", 48000, voice()),
		pcm("noise", 16000, noise(6000)),
		pcm("faint noise", 16000, noise(2)),
		pcm("tone", 16000, tone(20000, 440)),
		pcm("high tone", 16000, tone(32767, 7900)),
		pcm("silence", 12000, constant(0)),
		pcm("constant", 12000, constant(12345)),
		pcm("full scale", 12000, func(int) float64 { return float64(65535*r.IntN(2) - 32768) }),
		pcm("clicks", 20000, func(i int) float64 {
			if i%5000 == 2500 {
				return 32767
			}
			return 0
		}),
		pcm("chirp", 24000, func(i int) float64 {
			t := float64(i) / 16000
			return 15000 * math.Sin(2*math.Pi*(50+1300*t)*t)
		}),
		fromFloat("float noise", 12000, noise(0.1)),
		fromFloat("loud floats", 12000, noise(30000)),
		fromFloat("subnormal floats", 12000, noise(1e-41)),
		fromFloat("very quiet floats", 12000, noise(1e-21)),
		fromFloat("quiet floats", 12000, noise(1e-6)),
	}
	square := pcm("square wave", 12000, func(i int) float64 { return float64(65535*(i/7%2) - 32768) })
	square.periodic = true
	list = append(list, square)
	for _, n := range []int{1, 2, 100, 159, 160, 161, 199, 200, 201, 320, 400, 1279, 1280, 2559, 2560, 2561, 2719, 2720, 12345} {
		list = append(list, pcm("noise of "+strconv.Itoa(n), n, noise(5000)))
	}
	return list
}
