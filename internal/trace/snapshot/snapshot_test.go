package snapshot

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

const mib = 1 << 20

// The snapshot of testdata/make.py: 100 steps that keep 3 MiB each, weights of 10 MiB, 1 MiB that comes and goes.
func TestMade(t *testing.T) {
	for _, name := range []string{"made2.pickle", "made4.pickle"} {
		text := read(t, name)
		if !Sniff(text[:min(len(text), 4096)]) {
			t.Errorf("%s is not recognized", name)
		}
		s, err := Read(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		answers := s.Explain()
		if len(answers) != 1 {
			t.Fatalf("%+v", answers)
		}
		a := answers[0]
		if a.PeakBytes != 311*mib || a.AllocatedBytes != 310*mib || a.ReservedBytes != 350*mib || a.UnusedBytes != 40*mib || a.RoundingBytes != 100 || !a.Complete {
			t.Errorf("%+v", a)
		}
		if len(a.Holders) != 3 {
			t.Fatalf("%+v", a.Holders)
		}
		most := a.Holders[0]
		if most.String() != "/src/model.py:20 forward" || most.Bytes != 300*mib || most.Blocks != 100 || !most.Grows || most.Callers[0].Line != 9 || most.Library.Line != 125 {
			t.Errorf("%+v", most)
		}
		if w := a.Holders[1]; w.String() != "/src/train.py:5 main" || w.Grows || w.Bytes != 10*mib {
			t.Errorf("%+v", w)
		}
		if w := a.Holders[2]; w.Line != 21 || w.Grows || w.Bytes != mib {
			t.Errorf("%+v", w)
		}
		if o := a.OOM; o == nil || o.Bytes != 64*mib || o.FreeBytes != mib || o.InUseBytes != 310*mib || o.Fragmented || o.Stack[0].Line != 20 {
			t.Errorf("%+v", a.OOM)
		}
	}
}

// A pickle that would run code is refused before anything else. TestRecorded: torch 2.11 wrote this one on an H200, of
// peers/ranks/runs_out.py, which keeps the losses of all steps in a list. The figures are torch's own, of the same
// moment.
func TestRecorded(t *testing.T) {
	s, err := Read(bytes.NewReader(read(t, "h200.pickle")))
	if err != nil {
		t.Fatal(err)
	}
	a := s.Explain()[0]
	if a.AllocatedBytes != 2937090560 || a.ReservedBytes != 2938109952 {
		t.Errorf("%d allocated, %d reserved", a.AllocatedBytes, a.ReservedBytes)
	}
	most := a.Holders[0]
	if most.Line != 20 || most.Function != "forward" || !most.Grows || most.Callers[0].Line != 31 || most.Callers[0].Function != "train" {
		t.Errorf("%+v", most)
	}
	if a.OOM == nil || a.OOM.Bytes != 64*mib || a.OOM.Fragmented {
		t.Errorf("%+v", a.OOM)
	}
}

// The same snapshot gives the same answer each time.
func TestRepeatable(t *testing.T) {
	s, err := Read(bytes.NewReader(read(t, "h200.pickle")))
	if err != nil {
		t.Fatal(err)
	}
	first := s.Explain()
	for range 20 {
		if again := s.Explain(); !reflect.DeepEqual(first, again) {
			t.Fatal("two answers to one snapshot differ")
		}
	}
}

func TestNothingIsExecuted(t *testing.T) {
	_, err := Read(bytes.NewReader(read(t, "evil.pickle")))
	if err == nil || !strings.Contains(err.Error(), "execute") {
		t.Errorf("%v", err)
	}
}

func TestDamaged(t *testing.T) {
	text := read(t, "made4.pickle")
	for _, cut := range []int{0, 1, 2, 11, 100, len(text) / 2, len(text) - 1} {
		if _, err := Read(bytes.NewReader(text[:cut])); err == nil || !strings.Contains(err.Error(), "truncated") {
			t.Errorf("cut at %d: %v", cut, err)
		}
	}
	for _, text := range []string{"\x80\x04}.", "\x80\x04N.", "\x80\x04.", "\x80\x04e.", "\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\xff."} {
		if _, err := Read(strings.NewReader(text)); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"made2.pickle", "evil.pickle"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if s, err := Read(bytes.NewReader(text)); err == nil {
			s.Explain()
		}
	})
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}
