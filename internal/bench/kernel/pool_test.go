package kernel

import (
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestBadInput(t *testing.T) {
	p, err := NewPool(1, "")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	x := make([]float32, 100)
	square := Matrix(x, 10, 10)
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"no threads":   {second(NewPool(0, "")), "0 threads"},
		"level":        {second(NewPool(1, "sse9")), `does not support "sse9"`},
		"empty":        {p.Multiply(Matrix(x, 0, 10), square, square), "C is 1×1×0×10"},
		"short":        {p.Multiply(square, Matrix(x, 10, 11), square), "takes 110 values, its slice has 100"},
		"huge":         {p.Multiply(square, Matrix(x, math.MaxInt, math.MaxInt), square), "its slice has 100"},
		"shapes":       {p.Multiply(square, Matrix(x, 10, 9), square), "C of 10×10 is not A of 10×9 times B of 10×10"},
		"transposed":   {p.MultiplyTransposed(square, square, Matrix(x, 9, 10)), "Bᵀ of 10×9"},
		"steps":        {p.Softmax(Split(x, 1, 1, 2, 10, 9), Mask{}, 1), "rows do not overlap"},
		"negative":     {p.Softmax(Split(x, 1, 1, 1, 10, -9), Mask{}, 1), "not negative"},
		"scale":        {p.Softmax(square, Mask{}, float32(math.NaN())), "scale of NaN"},
		"matrices":     {p.Multiply(Dense(x, 2, 1, 5, 5), Dense(x, 3, 1, 5, 5), Dense(x, 2, 1, 5, 5)), "as many or one"},
		"attention":    {p.TiledAttention(square, square, square, Matrix(x, 9, 10), Mask{}, 1), "do not give an out"},
		"heads":        {p.TiledAttention(square, Dense(x, 2, 1, 5, 10), square, square, Mask{}, 1), "Q has 2×1 heads"},
		"scores":       {p.Attention(square, square, square, square, Matrix(x, 9, 10), Mask{}, 1), "table of scores is 1×1×9×10"},
		"copy":         {p.Copy(x, x[:5]), "from 5 values to 100"},
		"triad":        {p.Triad(x, x, x[:5], 1), "100, 100 and 5"},
		"infinite":     {p.TiledAttention(square, square, square, square, Mask{}, float32(math.Inf(1))), "scale of +Inf"},
		"fine, nearly": {p.Multiply(square, Matrix(make([]float32, 99), 10, 10), square), "its slice has 99"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: %v, expected %q", name, c.err, c.want)
		}
	}
}

func second(_ *Pool, err error) error { return err }

func TestStoppedPool(t *testing.T) {
	p, err := NewPool(2, "")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	values := func(v float32) []float32 {
		x := make([]float32, 1000)
		for i := range x {
			x[i] = v
		}
		return x
	}
	to := values(1)
	p.Stop()
	if err := p.Copy(to, values(2)); err != nil || to[0] != 1 || to[999] != 1 {
		t.Errorf("%v, and a stopped pool copied: %v…%v", err, to[0], to[999])
	}
}

func TestClosedPool(t *testing.T) {
	p, err := NewPool(3, "")
	if err != nil {
		t.Fatal(err)
	}
	p.Close()
	p.Close()
	x := Matrix(make([]float32, 4), 2, 2)
	for _, err := range []error{
		p.Multiply(x, x, x), p.Softmax(x, Mask{}, 1), p.Attention(x, x, x, x, x, Mask{}, 1), p.TiledAttention(x, x, x, x, Mask{}, 1), p.Copy(x.Data, x.Data),
	} {
		if err != errClosed {
			t.Errorf("a closed pool says %v", err)
		}
	}
	if p.Held() != 0 {
		t.Errorf("a closed pool holds %d bytes", p.Held())
	}
}

// TestCallsQueue: one pool serves several goroutines.
func TestCallsQueue(t *testing.T) {
	p, err := NewPool(3, "")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var all sync.WaitGroup
	for seed := range uint64(4) {
		all.Go(func() {
			r := numbers(seed)
			for range 5 {
				a, b := Matrix(normal(r, 150*90, 1), 150, 90), Matrix(normal(r, 90*200, 1), 90, 200)
				c := Matrix(guarded(150*200), 150, 200)
				if err := p.Multiply(c, a, b); err != nil {
					t.Error(err)
				}
				sameProduct(t, c, a, b, false)
			}
		})
	}
	all.Wait()
}

// tally counts how often each piece is done.
type tally []atomic.Int32

func (c tally) piece(_ *worker, i int) { c[i].Add(1) }

// TestEveryPieceOnce: short jobs in quick succession, so that helpers come late, or for the next one.
func TestEveryPieceOnce(t *testing.T) {
	p, err := NewPool(4, "")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for round := range 3000 {
		c := make(tally, 1+round%9)
		p.run(c, len(c), round%5 == 0)
		for i := range c {
			if n := c[i].Load(); n != 1 {
				t.Fatalf("round %d: piece %d of %d is done %d times", round, i, len(c), n)
			}
		}
	}
}

// slowHelper is a job whose caller is done while the helper is still at its piece.
type slowHelper struct {
	caller  *worker
	started chan struct{}
	pieces  atomic.Int32
}

func (s *slowHelper) piece(w *worker, _ int) {
	if w == s.caller {
		<-s.started
	} else {
		s.started <- struct{}{}
		time.Sleep(30 * time.Millisecond)
	}
	s.pieces.Add(1)
}

// TestHelpersAreWaitedFor: a call returns when the last piece is done, not when its own is.
func TestHelpersAreWaitedFor(t *testing.T) {
	p, err := NewPool(2, "")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for range 3 {
		j := &slowHelper{caller: p.workers[0], started: make(chan struct{}, 2)}
		p.run(j, 2, false)
		if n := j.pieces.Load(); n != 2 {
			t.Fatalf("the call has returned with %d of 2 pieces done", n)
		}
	}
}

func TestStreams(t *testing.T) {
	everyPool(t, func(t *testing.T, p *Pool) {
		r := numbers(10)
		for _, n := range []int{0, 1, 15, 16, 17, 1000, 1<<20 + 3, 3<<20 - 1} {
			a, b, to := normal(r, n+1, 1)[1:], normal(r, n+2, 1)[2:], make([]float32, n+1)
			if err := p.Copy(to[:n], a); err != nil {
				t.Fatal(err)
			}
			for i := range a {
				if to[i] != a[i] {
					t.Fatalf("%d values: number %d is not copied", n, i)
				}
			}
			if err := p.Triad(to[:n], a, b, 3); err != nil {
				t.Fatal(err)
			}
			for i := range a {
				want := float64(a[i]) + 3*float64(b[i])
				if math.Abs(float64(to[i])-want) > 4*eps*(math.Abs(float64(a[i]))+3*math.Abs(float64(b[i]))) {
					t.Fatalf("%d values: number %d is %v, not %v", n, i, to[i], want)
				}
			}
			if to[n] != 0 {
				t.Fatalf("%d values: one too many is written", n)
			}
		}
	})
}
