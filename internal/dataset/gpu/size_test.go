package gpu

import "testing"

func TestRowsFor(t *testing.T) {
	const row = 1440 << 10
	for _, c := range []struct {
		most     int
		autosize bool
		free     uint64
		lanes    int
		want     int
	}{
		{8192, true, 100 << 30, 16, 34},    // what is comfortable
		{8, true, 100 << 30, 16, 8},        // what the user allows
		{8192, true, 64 << 20, 8, 4},       // what the GPU has left
		{8192, true, 0, 8, 1},              // never nothing
		{8192, false, 1 << 20, 8, 8192},    // as told
		{8192, true, 100 << 30, 10000, 5},  // many lanes share
		{8192, true, 1 << 62, 1 << 30, 34}, // no overflow
	} {
		if got := rowsFor(c.most, c.autosize, row, c.free, c.lanes); got != c.want {
			t.Errorf("%+v: %d rows", c, got)
		}
	}
}

// Halved when memory runs out, grown back after a while, with more patience after each vain try.
func TestSizeGrowsBack(t *testing.T) {
	s := newSize(16)
	for _, want := range []int{8, 4} {
		if !s.halve() || s.rows != want {
			t.Fatalf("%d rows, want %d", s.rows, want)
		}
	}
	batches := func() (n int) {
		for !s.worked() {
			n++
		}
		return n + 1
	}
	if n := batches(); n != 2*growAfter || s.rows != 8 {
		t.Errorf("after %d batches %d rows", n, s.rows)
	}
	s.halve() // it was too early
	if n := batches(); n != 4*growAfter || s.rows != 8 {
		t.Errorf("after %d more batches %d rows", n, s.rows)
	}
	batches()
	if s.rows != 16 {
		t.Errorf("%d rows at the end", s.rows)
	}
	for range 100 * growAfter {
		if s.worked() {
			t.Fatal("grown over what was wanted")
		}
	}
	for range 100 { // again and again
		s.halve()
	}
	if n := batches(); n != mostPatience {
		t.Errorf("grown after %d batches", n)
	}
	one := newSize(1)
	if one.halve() {
		t.Error("one row was halved")
	}
}
