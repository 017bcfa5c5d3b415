package dataset

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// What rows have no room for is counted: of a build that was stopped and goes on, of one that is complete, and of a
// plan. A file that does not say how long it is counts as one.
func TestCut(t *testing.T) {
	dir := t.TempDir()
	for i, n := range []int{8000, 16000, 16001, 40000, 24000} { // at 16 kHz, in rows of a second
		write(t, filepath.Join(dir, string(rune('a'+i))+".wav"), wav(t, 16000, 1, voice(n, uint64(i))))
	}
	write(t, filepath.Join(dir, "f.wav"), wav(t, 44100, 2, voice(2*66150, 9))) // 1.5 s
	write(t, filepath.Join(dir, "g.wav"), []byte("broken"))
	flac, err := os.ReadFile("../audio/testdata/mono16k.flac")
	if err != nil {
		t.Fatal(err)
	}
	for i, mask := range []byte{0xF0, 0, 0, 0, 0} { // of the 36 bits that say how many samples there are
		flac[21+i] &= mask
	}
	write(t, filepath.Join(dir, "h.flac"), flac)
	l := find(t, dir)
	length := 600 * time.Millisecond
	same := func(how string, c Cut, files, unknown int, seconds float64) {
		if c.Files != files || c.Unknown != unknown || math.Abs(c.Seconds-seconds) > 1e-9 {
			t.Errorf("%s: %+v, want %d files, %d of them unknown, %g s", how, c, files, unknown, seconds)
		}
	}
	for _, to := range FormatNames() {
		o := small(t, dir, to)
		ctx, cancel := context.WithCancel(t.Context())
		o.Computer, o.Workers, o.Buffers, o.Batch = stopAfter(o, cancel, 3), 1, 1, 1
		if _, err := Build(ctx, l, o); err == nil {
			t.Fatal("not stopped")
		}
		cancel()
		o.Computer = nil
		r := build(t, l, o)
		if r.Resumed == 0 {
			t.Error("nothing was resumed")
		}
		// One sample of c, 1.5 s of d, 0.5 s of e and of f; the one of c reads as if it had not said more.
		same(to, r.Cut, 4, 1, 2.5)
		r = build(t, l, o)
		if !r.Existing {
			t.Error("not complete")
		}
		same(to+", complete", r.Cut, 4, 1, 2.5)
		o.Length, o.Output = length, filepath.Join(t.TempDir(), "short")
		same(to+", short rows", build(t, l, o).Cut, 6, 1, 0.4+0.4+1.0/16000+1.9+0.9+0.9)
		if c, err := Check(t.Context(), o.Output, Options{Dir: dir}, 0); err != nil || len(c.Problems) > 0 || c.Equal < 7 {
			t.Errorf("%v %+v", err, c)
		}
	}
	o := small(t, dir, "hdf5")
	o.Length = length
	e, err := Plan(t.Context(), l, o)
	if err != nil {
		t.Fatal(err)
	}
	same("planned", e.Cut, 6, 1, 0.4+0.4+1.0/16000+1.9+0.9+0.9)
	for _, v := range layouts[1:] { // which keep all
		o := small(t, dir, "hdf5")
		v.set(&o)
		same(v.name, build(t, l, o).Cut, 0, 0, 0)
	}
}
