// Package kernel is the arithmetic of attention in float32 on the CPU: matrix products,
// softmax, attention with and without its table of scores, and streams through memory. It needs
// neither Python nor a BLAS, so that the lab gives a real answer on any machine.
//
// Everything runs on a Pool, which owns goroutines and their working memory:
//
//	pool, err := kernel.NewPool(threads, "")     // "" is the fastest instruction set here
//	defer pool.Close()
//	pool.Multiply(c, a, b)                       // C = A·B      a projection, the weighted sum
//	pool.MultiplyTransposed(c, a, b)             // C = A·Bᵀ     the scores, a torch Linear
//	pool.Softmax(x, mask, scale)                 // rows, in place
//	pool.Attention(out, q, k, v, scores, mask, scale)
//	pool.TiledAttention(out, q, k, v, mask, scale)
//	pool.Copy(to, from)                          // the memory's ceiling
//	pool.Triad(to, a, b, factor)
//
// Operands are Stacks, batches and heads of matrices with steps between them, so that a head is
// used where a projection has left it and nothing is transposed by hand. Calls check shapes and
// bounds, allocate nothing once the pool has grown to its size, and may come from any goroutine:
// they queue. Results must not overlap operands. Values makes slices that suit large operands.
//
// A product (multiply.go) is cut into pieces of C for the threads. A piece goes block by block:
// pack.go lays a block of B out in panels as wide as the inner loop and a block of A in rows that
// do not fall into each other's cache sets, and the inner loop computes a panel of C. Softmax
// (softmax.go) takes the largest value of a row, then exponentials and their sum, then divides.
// Tiled attention (tiled.go) goes over the keys block by block with a running maximum and sum per
// query; it holds one tile of scores a thread and never the whole table. bytes.go says how much
// memory each asks for.
//
// The inner loops exist three times: in assembly for AVX-512 and for AVX2 with FMA, written by
// _gen, a module of its own, and in plain Go, the only ones on arm64 and with the build tag
// noasm. Levels lists what runs here.
//
// Reference... functions compute the same in float64. What the tests hold every level to:
//
//	product      |error| ≤ (depth+2)·2⁻²⁴·Σ|a·b|, the classical bound, with any cancellation
//	exponential  one unit in the last place; below 2⁻¹²⁶ it is zero
//	softmax      |error| ≤ p·(2⁻²⁰ + |t|·2⁻²² + n·2⁻²⁸) + 2⁻¹²⁶, t the scaled distance from the row's
//	             largest value, n the length of the row
//	attention    |error| ≤ (e^2δ - 1 + (keys+2)·2⁻²³ + 2⁻¹⁸)·Σp·|v|, δ = scale·(width+4)·2⁻²³·max Σ|q·k|;
//	             a query that sees no key gives zeros, never NaN
//
// NaN and infinite scores make their row NaN, as they do in torch; a score of minus infinity is a
// key that is not seen.
package kernel
