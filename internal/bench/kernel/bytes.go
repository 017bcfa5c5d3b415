package kernel

// Shape is the size of an attention: Queries rows of Width values against Keys rows, for every head
// of every batch.
type Shape struct {
	Batch, Heads, Queries, Keys, Width int
}

// OperandBytes is what Q, K, V and the result take.
func (s Shape) OperandBytes() int64 {
	return 4 * int64(s.Batch) * int64(s.Heads) * int64(s.Width) * 2 * (int64(s.Queries) + int64(s.Keys))
}

// PlainBytes is what Attention takes beside its operands on this pool: the table of scores and the
// working memory.
func (p *Pool) PlainBytes(s Shape) int64 {
	return 4*int64(s.Batch)*int64(s.Heads)*int64(s.Queries)*int64(s.Keys) + p.ProductBytes()
}

// TiledBytes is what TiledAttention takes beside its operands on this pool. It depends on the width
// of a head and the number of threads only.
func (p *Pool) TiledBytes(s Shape) int64 {
	return p.scratchBytes(p.set.tileScratch(s.Width, s.Width))
}

// ProductBytes is the working memory of any product.
func (p *Pool) ProductBytes() int64 { return p.scratchBytes(productScratch()) }

func (p *Pool) scratchBytes(values int) int64 { return 4 * int64(values+line) * int64(len(p.workers)) }
