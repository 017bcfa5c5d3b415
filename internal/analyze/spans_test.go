package analyze

import (
	"math/rand/v2"
	"slices"
	"testing"

	"saturate/internal/trace"
)

// Sets of intervals against sets of instants.
func TestSpansAgainstInstants(t *testing.T) {
	const length = 60
	random := rand.New(rand.NewPCG(1, 2))
	draw := func() (spans, [length]bool) {
		var list []trace.Interval
		var at [length]bool
		for range random.IntN(8) {
			start := random.Int64N(length)
			i := trace.Interval{Start: start, End: min(length, start+random.Int64N(12))}
			list = append(list, i)
			for ns := i.Start; ns < i.End; ns++ {
				at[ns] = true
			}
		}
		return sorted(list), at
	}
	count := func(in func(ns int) bool) (n int64) {
		for ns := range length {
			if in(ns) {
				n++
			}
		}
		return n
	}
	for range 2000 {
		a, ia := draw()
		b, ib := draw()
		from := random.Int64N(length)
		w := trace.Interval{Start: from, End: from + random.Int64N(length)}
		for what, pair := range map[string][2]int64{
			"length":  {a.length(), count(func(ns int) bool { return ia[ns] })},
			"union":   {a.union(b).length(), count(func(ns int) bool { return ia[ns] || ib[ns] })},
			"minus":   {a.minus(b).length(), count(func(ns int) bool { return ia[ns] && !ib[ns] })},
			"overlap": {a.overlap(b), count(func(ns int) bool { return ia[ns] && ib[ns] })},
			"within":  {a.within(w), count(func(ns int) bool { return ia[ns] && w.Contains(int64(ns)) })},
		} {
			if pair[0] != pair[1] {
				t.Fatalf("%s of %v and %v in %v is %d, want %d", what, a, b, w, pair[0], pair[1])
			}
		}
	}
}

func TestShared(t *testing.T) {
	a, b, c := spans{{Start: 0, End: 10}, {Start: 20, End: 30}}, spans{{Start: 5, End: 22}}, spans{{Start: 10, End: 12}, {Start: 40, End: 50}}
	want := spans{{Start: 5, End: 12}, {Start: 20, End: 22}}
	if got := shared([]spans{a, b, c}); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := a.overlap(b.union(c)); got != a.overlap(want) {
		t.Errorf("%d with the others, %d with what is shared", got, a.overlap(want))
	}
	if shared([]spans{a}) != nil {
		t.Error("one set shares nothing")
	}
}
