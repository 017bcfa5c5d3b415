package kernel

import (
	"fmt"
	"math"
)

// Mask says which keys a query sees. The zero value shows all of them.
type Mask struct {
	Causal bool // query i sees the keys up to i+Shift
	// 0 as in torch; keys-queries lets the last query see all, and with fewer keys than queries hides all from the first
	Shift int
}

// seen is how many keys, from the first on, query row sees.
func (m Mask) seen(row, keys int) int {
	if !m.Causal {
		return keys
	}
	return max(0, min(keys, row+m.Shift+1))
}

// Softmax replaces every row of x by the softmax of scale·x. Masked values become zero; a row
// without any other becomes all zeros.
func (p *Pool) Softmax(x Stack, mask Mask, scale float32) error {
	if err := x.check("x"); err != nil {
		return err
	}
	if err := checkScale(scale); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return errClosed
	}
	p.softmaxLocked(x, mask, scale)
	return nil
}

func checkScale(scale float32) error {
	if v := float64(scale); math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Errorf("kernel: a scale of %v, it has to be a finite number", scale)
	}
	return nil
}

// softmax is one call of Softmax, cut into groups of rows.
type softmax struct {
	x      Stack
	mask   Mask
	scale  float32
	group  int // rows of a piece
	groups int // pieces of a matrix
}

// A piece of softmax has at least so many values.
const smallSoftmax = 1 << 14

func (p *Pool) softmaxLocked(x Stack, mask Mask, scale float32) {
	j := &p.rows
	*j = softmax{x: x, mask: mask, scale: scale}
	j.group = min(x.Rows, (smallSoftmax+x.Cols-1)/x.Cols)
	j.groups = (x.Rows + j.group - 1) / j.group
	pieces := x.Batch * x.Heads * j.groups
	p.run(j, pieces, pieces == 1)
	*j = softmax{}
}

func (j *softmax) piece(w *worker, i int) {
	group, i := i%j.groups, i/j.groups
	x := j.x.at(i/j.x.Heads, i%j.x.Heads)
	for row := group * j.group; row < min(x.rows, (group+1)*j.group); row++ {
		values := x.row(row)
		seen := j.mask.seen(row, x.cols)
		clear(values[seen:])
		w.softmax(values[:seen], j.scale)
	}
}

func (w *worker) softmax(x []float32, scale float32) {
	if scale <= 0 {
		w.set.times(x, scale)
		scale = 1
	}
	top := w.set.largest(x)
	if nothing(x, top) {
		clear(x)
		return
	}
	w.set.times(x, 1/w.set.exps(x, top, scale))
}

// nothing says that every value is minus infinity, or there is none. NaN, which a maximum passes
// over, is something.
func nothing(x []float32, top float32) bool {
	if !math.IsInf(float64(top), -1) {
		return false
	}
	for _, v := range x {
		if v != v {
			return false
		}
	}
	return true
}
