package dataset

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"saturate/internal/audio"
)

// voice makes samples that sound a little like speech.
func voice(n int, seed uint64) []int16 {
	r := rand.New(rand.NewPCG(seed, 1))
	pitch, swing := 90+100*r.Float64(), 0.5+2*r.Float64()
	out := make([]int16, n)
	phase := 0.0
	for i := range out {
		t := float64(i) / 16000
		phase += 2 * math.Pi * (pitch + 20*math.Sin(2*math.Pi*swing*t)) / 16000
		loud := max(0, math.Sin(2*math.Pi*swing*t))
		v := math.Sin(phase) + math.Sin(2*phase)/2 + math.Sin(5*phase)/5
		out[i] = int16(6000*loud*v + 20*r.NormFloat64())
	}
	return out
}

func wav(t testing.TB, rate, channels int, samples []int16) []byte {
	t.Helper()
	data, err := audio.AppendWAV(nil, rate, channels, samples)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func write(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	// The same time every run, so that outputs of two tests can be compared.
	if err := os.Chtimes(path, time.Unix(1, 0), time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
}

// corpus is a folder of good files of many lengths and some bad ones.
func corpus(t testing.TB, files int) string {
	t.Helper()
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(uint64(files), 2))
	for i := range files {
		path := filepath.Join(dir, fmt.Sprintf("%04d.wav", i))
		n := 200 + 2*r.IntN(20000)
		switch {
		case i%17 == 3:
			write(t, path, nil)
		case i%17 == 9:
			whole := wav(t, 16000, 1, voice(n, uint64(i)))
			write(t, path, whole[:len(whole)/2])
		case i%17 == 12:
			write(t, path, wav(t, 8000, 2, voice(n, uint64(i))))
		default:
			write(t, path, wav(t, 16000, 1, voice(n, uint64(i))))
		}
	}
	return dir
}

// small are options whose rows are short, so that tests are fast.
func small(t testing.TB, dir, to string) Options {
	o := Defaults()
	o.Dir, o.To, o.Length = dir, to, time.Second
	o.Workers, o.Fsync = 2, false
	o.Output = filepath.Join(t.TempDir(), "out")
	return o
}

func find(t testing.TB, dir string, args ...string) *List {
	t.Helper()
	if len(args) == 0 {
		args = []string{"."}
	}
	l, err := Find(t.Context(), args, FindOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func build(t testing.TB, l *List, o Options) Result {
	t.Helper()
	r, err := Build(t.Context(), l, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// fingerprint is a hash of everything under a path.
func fingerprint(t testing.TB, path string) string {
	t.Helper()
	h := sha256.New()
	err := filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(path, p)
		data, err := os.ReadFile(p)
		fmt.Fprintf(h, "%s %d\n", rel, len(data))
		h.Write(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// variant is one kind of output.
type variant struct {
	name string
	set  func(*Options)
}

var layouts = []variant{
	{"fixed", func(o *Options) {}},
	{"segments", func(o *Options) { o.Segment, o.Overlap = 700*time.Millisecond, 200*time.Millisecond }},
	{"ragged", func(o *Options) { o.Layout = Ragged }},
}
