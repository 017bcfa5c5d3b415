package dataset

import "testing"

// What was laid down last comes back first, and no more than there is.
func TestPile(t *testing.T) {
	p := newPile[int](3)
	var got []*int
	for range 3 {
		<-p.some
		got = append(got, p.take())
	}
	select {
	case <-p.some:
		t.Fatal("an empty pile has something")
	default:
	}
	for _, v := range got {
		p.put(v)
	}
	for i := range got {
		<-p.some
		if v, want := p.take(), got[len(got)-1-i]; v != want {
			t.Errorf("%d: another one than the last", i)
		}
	}
}
