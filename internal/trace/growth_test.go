package trace

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestDepthIsBounded: a walk up from an event is short, whatever the file holds, and quality says so.
func TestDepthIsBounded(t *testing.T) {
	const events = 20_000
	var rows []row
	for i := range int64(events) {
		rows = append(rows, row{"op", CPUOp, 1, i, 2*events - i, nil})
	}
	tr := build(rows...)
	deepest := 0
	for range tr.Ancestors(events - 1) {
		deepest++
	}
	if deepest != mostDepth {
		t.Errorf("the innermost event has %d around it, want %d", deepest, mostDepth)
	}
	if notes := tr.Quality().Notes; len(notes) != 1 || !strings.HasPrefix(notes[0].String(), "19,000 events nested more than 1000 deep") {
		t.Errorf("notes %v", notes)
	}
}

// TestSharedNumbers: where calls share a number, the index finds the one that a walk over all of them does.
func TestSharedNumbers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var rows []row
	attrs := func() map[Attr]int64 {
		all := map[Attr]int64{Correlation: 1 + random.Int64N(3)}
		if random.IntN(3) > 0 {
			all[External] = random.Int64N(3)
		}
		return all
	}
	for i := range int64(300) {
		rows = append(rows, row{"call", Runtime, 1, 10 * i, 10*i + 5, attrs()}, row{"kernel", Kernel, 7, 10*i + 3, 10*i + 8, attrs()})
	}
	tr := build(rows...)
	for work := range tr.OfKind(Kernel) {
		number, _ := tr.Int(work, Correlation)
		external, ok := tr.Int(work, External)
		want := None
		agrees := func(id EventID) bool {
			v, has := tr.Int(id, External)
			return ok && has && v == external
		}
		for id := range tr.OfKind(Runtime) {
			if n, _ := tr.Int(id, Correlation); n != number {
				continue
			}
			if want == None || agrees(id) && !agrees(want) || agrees(id) == agrees(want) && tr.Start(id) <= tr.Start(work) {
				want = id
			}
		}
		if got, _ := tr.Launch(work); got != want {
			t.Errorf("kernel %d: launched by %d, want %d", work, got, want)
		}
	}
}
