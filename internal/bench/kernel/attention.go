package kernel

import "fmt"

// Attention computes softmax(scale·Q·Kᵀ)·V for every head by way of the whole table of scores,
// which the caller gives and which holds the weights afterwards. Q and out have a row per query,
// K and V a row per key; a single head of K and V serves all.
func (p *Pool) Attention(out, q, k, v, scores Stack, mask Mask, scale float32) error {
	if err := checkAttention(out, q, k, v, scale); err != nil {
		return err
	}
	if err := scores.check("the table of scores"); err != nil {
		return err
	}
	if scores.Batch != out.Batch || scores.Heads != out.Heads || scores.Rows != q.Rows || scores.Cols != k.Rows {
		return fmt.Errorf("kernel: the table of scores is %s, %d×%d×%d×%d is needed", scores.size(), out.Batch, out.Heads,
			q.Rows, k.Rows)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return errClosed
	}
	p.multiplyLocked(scores, q, k, true)
	p.softmaxLocked(scores, mask, scale)
	p.multiplyLocked(out, scores, v, false)
	return nil
}

func checkAttention(out, q, k, v Stack, scale float32) error {
	for _, s := range []struct {
		name  string
		stack Stack
	}{{"out", out}, {"Q", q}, {"K", k}, {"V", v}} {
		if err := s.stack.check(s.name); err != nil {
			return err
		}
		if !s.stack.serves(out) {
			return fmt.Errorf("kernel: %s has %d×%d heads, out has %d×%d", s.name, s.stack.Batch, s.stack.Heads, out.Batch,
				out.Heads)
		}
	}
	if q.Cols != k.Cols || k.Rows != v.Rows || out.Rows != q.Rows || out.Cols != v.Cols {
		return fmt.Errorf("kernel: Q of %d×%d, K of %d×%d and V of %d×%d do not give an out of %d×%d",
			q.Rows, q.Cols, k.Rows, k.Cols, v.Rows, v.Cols, out.Rows, out.Cols)
	}
	return checkScale(scale)
}
