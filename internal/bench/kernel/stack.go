package kernel

import "fmt"

// Stack is a batch of heads of matrices in one slice. A row's values lie side by side; rows, heads
// and batches lie as far apart as their steps say, counted in values.
type Stack struct {
	Data                         []float32
	Batch, Heads, Rows, Cols     int
	BatchStep, HeadStep, RowStep int
}

// Matrix is a single matrix whose rows follow each other.
func Matrix(data []float32, rows, cols int) Stack {
	return Stack{Data: data, Batch: 1, Heads: 1, Rows: rows, Cols: cols, RowStep: cols}
}

// Dense is (batch, heads, rows, cols) without gaps.
func Dense(data []float32, batch, heads, rows, cols int) Stack {
	return Stack{
		Data: data, Batch: batch, Heads: heads, Rows: rows, Cols: cols,
		BatchStep: heads * rows * cols, HeadStep: rows * cols, RowStep: cols,
	}
}

// Split is (batch, rows, heads, cols): a row of a projection holds its heads side by side. step is
// the length of that row, heads·cols or more: the three parts of a joint QKV projection are
// Split(data, …, 3·d), Split(data[d:], …, 3·d) and Split(data[2*d:], …, 3·d).
func Split(data []float32, batch, heads, rows, cols, step int) Stack {
	return Stack{
		Data: data, Batch: batch, Heads: heads, Rows: rows, Cols: cols,
		BatchStep: rows * step, HeadStep: cols, RowStep: step,
	}
}

// at is one matrix of the stack; a stack of one serves every index.
func (s Stack) at(batch, head int) view {
	from := min(batch, s.Batch-1)*s.BatchStep + min(head, s.Heads-1)*s.HeadStep
	return view{s.Data[from:], s.Rows, s.Cols, s.RowStep}
}

// check says what is wrong with the stack; nothing may be read or written outside it later.
func (s Stack) check(name string) error {
	if s.Batch < 1 || s.Heads < 1 || s.Rows < 1 || s.Cols < 1 {
		return fmt.Errorf("kernel: %s is %s: every size has to be 1 or more", name, s.size())
	}
	if s.BatchStep < 0 || s.HeadStep < 0 || s.RowStep < 0 || (s.Rows > 1 && s.RowStep < s.Cols) {
		return fmt.Errorf("kernel: %s has rows of %d values %d apart: steps are not negative and rows do not overlap", name,
			s.Cols, s.RowStep)
	}
	// In float64, where nothing wraps around.
	last := float64(s.Batch-1)*float64(s.BatchStep) + float64(s.Heads-1)*float64(s.HeadStep) +
		float64(s.Rows-1)*float64(s.RowStep) + float64(s.Cols)
	if last > float64(len(s.Data)) {
		return fmt.Errorf("kernel: %s is %s and takes %.0f values, its slice has %d", name, s.size(), last, len(s.Data))
	}
	return nil
}

func (s Stack) size() string { return fmt.Sprintf("%d×%d×%d×%d", s.Batch, s.Heads, s.Rows, s.Cols) }

// serves says whether the stack has a matrix for each one of c: as many, or a single one.
func (s Stack) serves(c Stack) bool {
	return (s.Batch == c.Batch || s.Batch == 1) && (s.Heads == c.Heads || s.Heads == 1)
}

// view is one matrix.
type view struct {
	data             []float32
	rows, cols, step int
}

func (v view) row(i int) []float32 { return v.data[i*v.step:][:v.cols] }

// part is the matrix from a row and a column on.
func (v view) part(row, col, rows, cols int) view {
	return view{v.data[row*v.step+col:], rows, cols, v.step}
}
