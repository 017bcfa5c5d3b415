package kernel

import (
	"fmt"
	"math"
)

// Blocks of a product, in values: depth·blockRows of A stay in the second cache while panels of B,
// depth·width each, pass through the first one.
const (
	blockRows  = 96
	blockCols  = 512
	blockDepth = 512

	rowUnit = 12 // a multiple of the rows that any inner loop takes at a time
)

// Multiply computes C = A·B for every matrix of C. A stack of a single batch or head serves all.
func (p *Pool) Multiply(c, a, b Stack) error { return p.multiply(c, a, b, false) }

// MultiplyTransposed computes C = A·Bᵀ: rows of A times rows of B.
func (p *Pool) MultiplyTransposed(c, a, b Stack) error { return p.multiply(c, a, b, true) }

func (p *Pool) multiply(c, a, b Stack, transposed bool) error {
	if err := checkProduct(c, a, b, transposed); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return errClosed
	}
	p.multiplyLocked(c, a, b, transposed)
	return nil
}

func checkProduct(c, a, b Stack, transposed bool) error {
	for _, s := range []struct {
		name  string
		stack Stack
	}{{"C", c}, {"A", a}, {"B", b}} {
		if err := s.stack.check(s.name); err != nil {
			return err
		}
	}
	depth, cols, sign := b.Rows, b.Cols, "B"
	if transposed {
		depth, cols, sign = b.Cols, b.Rows, "Bᵀ"
	}
	if a.Cols != depth || c.Rows != a.Rows || c.Cols != cols {
		return fmt.Errorf("kernel: C of %d×%d is not A of %d×%d times %s of %d×%d", c.Rows, c.Cols, a.Rows, a.Cols, sign,
			depth, cols)
	}
	if !a.serves(c) || !b.serves(c) {
		return fmt.Errorf("kernel: C has %d×%d matrices, A %d×%d and B %d×%d: they have to be as many or one",
			c.Batch, c.Heads, a.Batch, a.Heads, b.Batch, b.Heads)
	}
	return nil
}

// product is one call of Multiply, cut into pieces: matrix by matrix, and each matrix of C into
// across by down parts.
type product struct {
	c, a, b      Stack
	transposed   bool
	across, down int
	cols, rows   int // of a part
}

// A piece has about so many multiplications where there are enough of them. Below the smaller
// number waking another goroutine costs more than it saves.
const (
	pieceProduct = 4 << 20
	smallProduct = 1 << 19
)

func (p *Pool) multiplyLocked(c, a, b Stack, transposed bool) {
	p.reserve(productScratch())
	j := &p.product
	*j = product{c: c, a: a, b: b, transposed: transposed}
	matrices := c.Batch * c.Heads
	work := float64(matrices) * float64(c.Rows) * float64(c.Cols) * float64(a.Cols)
	threads := float64(len(p.workers))
	pieces := 1.0
	if threads > 1 {
		pieces = max(min(4*threads, work/pieceProduct), min(threads, work/smallProduct))
	}
	j.cut(int(math.Ceil(pieces/float64(matrices))), p.set.width)
	p.run(j, matrices*j.across*j.down, work < smallProduct)
	*j = product{} // nothing of the caller's is kept alive
}

// cut divides a matrix of C into about want parts. Every part packs its rows of A and its columns of
// B for itself, so the cut with the least edge is best.
func (j *product) cut(want, width int) {
	least := math.MaxInt
	for across := range want {
		across++
		cols := roundUp((j.c.Cols+across-1)/across, width)
		down := (want + across - 1) / across
		rows := roundUp((j.c.Rows+down-1)/down, rowUnit)
		if edge := across*j.c.Rows + down*j.c.Cols; edge < least {
			least = edge
			j.cols, j.rows = cols, rows
		}
	}
	j.across = (j.c.Cols + j.cols - 1) / j.cols
	j.down = (j.c.Rows + j.rows - 1) / j.rows
}

func roundUp(n, unit int) int { return (n + unit - 1) / unit * unit }

func (j *product) piece(w *worker, i int) {
	across, i := i%j.across, i/j.across
	down, i := i%j.down, i/j.down
	batch, head := i/j.c.Heads, i%j.c.Heads
	c, a, b := j.c.at(batch, head), j.a.at(batch, head), j.b.at(batch, head)
	row, col := down*j.rows, across*j.cols
	rows, cols := min(j.rows, c.rows-row), min(j.cols, c.cols-col)
	c, a = c.part(row, col, rows, cols), a.part(row, 0, rows, a.cols)
	if j.transposed {
		b = b.part(col, 0, cols, b.cols)
	} else {
		b = b.part(0, col, b.rows, cols)
	}
	w.multiply(c, a, b, j.transposed)
}

// productScratch is the values of working memory a worker needs for any product.
func productScratch() int {
	return blockDepth*blockCols + blockRows*rowPitch(blockDepth)
}

func (w *worker) multiply(c, a, b view, transposed bool) {
	packed := w.scratch[:blockDepth*blockCols]
	rows := w.scratch[blockDepth*blockCols:]
	depthStep := evenly(a.cols, blockDepth, 4)
	rowStep := evenly(c.rows, blockRows, rowUnit)
	pitch := rowPitch(depthStep)
	for col := 0; col < c.cols; col += blockCols {
		cols := min(blockCols, c.cols-col)
		for from := 0; from < a.cols; from += depthStep {
			depth := min(depthStep, a.cols-from)
			if transposed {
				w.set.packTransposed(packed, b.part(col, from, cols, depth))
			} else {
				w.set.pack(packed, b.part(from, col, depth, cols))
			}
			for row := 0; row < c.rows; row += rowStep {
				n := min(rowStep, c.rows-row)
				copyRows(rows, pitch, a.part(row, from, n, depth))
				w.set.panels(c.part(row, col, n, cols), rows, pitch, packed, depth, from > 0)
			}
		}
	}
}

// panels multiplies rows of A with packed panels of B into C.
func (s *set) panels(c view, a []float32, aStep int, packed []float32, depth int, add bool) {
	for col := 0; col < c.cols; col += s.width {
		s.panel(c.data[col:], c.step, a, aStep, packed[col*depth:], c.rows, min(s.width, c.cols-col), depth, add)
	}
}

// evenly is the step that cuts n into as few parts of at most most as possible, all about as long.
func evenly(n, most, unit int) int {
	parts := (n + most - 1) / most
	return min(most, roundUp((n+parts-1)/parts, unit))
}
