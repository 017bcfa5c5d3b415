package kernel

import "math"

// referenceProduct is the row of A·B, or of A·Bᵀ, in float64, for one matrix of the stacks.
func referenceProduct(to []float64, a, b Stack, transposed bool, batch, head, row int) {
	x, y := a.at(batch, head).row(row), b.at(batch, head)
	clear(to)
	for j := range to {
		for k, v := range x {
			if transposed {
				to[j] += float64(v) * float64(y.data[j*y.step+k])
			} else {
				to[j] += float64(v) * float64(y.data[k*y.step+j])
			}
		}
	}
}

// referenceSoftmax is the softmax of scale·x in float64; minus infinity is a value not seen.
func referenceSoftmax(x []float64, scale float64) {
	top := math.Inf(-1)
	for i := range x {
		x[i] *= scale
		top = max(top, x[i])
	}
	if math.IsInf(top, -1) {
		clear(x)
		return
	}
	sum := 0.0
	for i := range x {
		x[i] = math.Exp(x[i] - top)
		sum += x[i]
	}
	for i := range x {
		x[i] /= sum
	}
}

// ReferenceAttention is one row of the attention in float64: to has a value per column of V, and
// weights one per key.
func ReferenceAttention(to, weights []float64, q, k, v Stack, mask Mask, scale float64, batch, head, row int) {
	seen := mask.seen(row, k.Rows)
	weights = weights[:seen]
	referenceProduct(weights, q, k, true, batch, head, row)
	referenceSoftmax(weights, scale)
	clear(to)
	values := v.at(batch, head)
	for key, weight := range weights {
		for i, x := range values.row(key)[:len(to)] {
			to[i] += weight * float64(x)
		}
	}
}
