package kernel

import "math"

// A tile of scores is at most so many queries by so many keys.
const (
	tileQueries = 192
	tileKeys    = 256
)

// TiledAttention computes what Attention does without ever holding the table of scores: a thread
// goes over the keys tile by tile and keeps, for every query, the largest score and the sum of
// exponentials so far.
func (p *Pool) TiledAttention(out, q, k, v Stack, mask Mask, scale float32) error {
	if err := checkAttention(out, q, k, v, scale); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return errClosed
	}
	p.reserve(p.set.tileScratch(q.Cols, v.Cols))
	j := &p.tiles
	*j = tiles{out: out, q: q, k: k, v: v, mask: mask, scale: scale}
	heads := out.Batch * out.Heads
	j.queries = tileQueries
	for j.queries > 24 && heads*((q.Rows+j.queries-1)/j.queries) < 2*len(p.workers) {
		j.queries /= 2
	}
	j.queries = evenly(q.Rows, j.queries, rowUnit)
	j.groups = (q.Rows + j.queries - 1) / j.queries
	p.run(j, heads*j.groups, float64(heads)*float64(q.Rows)*float64(k.Rows)*float64(q.Cols+v.Cols) < smallProduct)
	*j = tiles{}
	return nil
}

// tiles is one call of TiledAttention, cut into groups of queries.
type tiles struct {
	out, q, k, v Stack
	mask         Mask
	scale        float32
	queries      int // of a group
	groups       int // of a head
}

// tileScratch is the values of working memory a worker needs: the queries, a block of keys, a block
// of values, the tile of scores, and a maximum and a sum for every query.
func (s *set) tileScratch(width, valueWidth int) int {
	return tileQueries*rowPitch(width) + tileKeys*width + tileKeys*roundUp(valueWidth, s.width) +
		tileQueries*rowPitch(tileKeys) + 2*tileQueries
}

func (j *tiles) piece(w *worker, i int) {
	// The last groups see the most keys: they go first.
	group, i := j.groups-1-i%j.groups, i/j.groups
	batch, head := i/j.out.Heads, i%j.out.Heads
	q, k, v := j.q.at(batch, head), j.k.at(batch, head), j.v.at(batch, head)
	first := group * j.queries
	rows := min(j.queries, q.rows-first)
	out := j.out.at(batch, head).part(first, 0, rows, v.cols)

	t := w.newTile(q.part(first, 0, rows, q.cols), v.cols)
	for i := range rows {
		t.largest[i], t.sum[i] = float32(math.Inf(-1)), 0
		clear(out.row(i))
	}
	step := evenly(k.rows, tileKeys, w.set.width)
	for key := 0; key < k.rows; key += step {
		keys := min(step, j.mask.seen(first+rows-1, k.rows)-key) // what the last query sees
		if keys <= 0 {
			break
		}
		t.score(k.part(key, 0, keys, k.cols))
		for i := range rows {
			seen := max(0, min(keys, j.mask.seen(first+i, k.rows)-key))
			t.weigh(i, t.scores[i*t.pitch:][:keys], seen, out.row(i), j.scale)
		}
		w.set.pack(t.values, v.part(key, 0, keys, v.cols))
		w.set.panels(out, t.scores, t.pitch, t.values, keys, true)
	}
	for i := range rows {
		if t.sum[i] != 0 {
			w.set.times(out.row(i), 1/t.sum[i])
		}
	}
}

// tile is a worker's memory while it goes over the keys of a group of queries.
type tile struct {
	set          *set
	rows, width  int
	queries      []float32 // copied, with rows queryPitch apart
	queryPitch   int
	keys, values []float32 // packed
	scores       []float32 // then the weights, with rows pitch apart
	pitch        int
	largest, sum []float32
}

func (w *worker) newTile(q view, valueWidth int) tile {
	rest := w.scratch
	take := func(n int) []float32 {
		part := rest[:n:n]
		rest = rest[n:]
		return part
	}
	t := tile{set: w.set, rows: q.rows, width: q.cols, queryPitch: rowPitch(q.cols), pitch: rowPitch(tileKeys)}
	t.queries = take(tileQueries * t.queryPitch)
	t.keys = take(tileKeys * q.cols)
	t.values = take(tileKeys * roundUp(valueWidth, w.set.width))
	t.scores = take(tileQueries * t.pitch)
	t.largest = take(tileQueries)
	t.sum = take(tileQueries)
	copyRows(t.queries, t.queryPitch, q)
	return t
}

// score multiplies the queries with a block of keys.
func (t *tile) score(keys view) {
	t.set.packTransposed(t.keys, keys)
	scores := view{t.scores, t.rows, keys.rows, t.pitch}
	t.set.panels(scores, t.queries, t.queryPitch, t.keys, t.width, false)
}

// weigh turns the scores of query i into weights beside the largest so far. When that grows, what
// has been summed up before shrinks accordingly.
func (t *tile) weigh(i int, scores []float32, seen int, out []float32, scale float32) {
	clear(scores[seen:])
	scores = scores[:seen]
	if scale <= 0 {
		t.set.times(scores, scale)
		scale = 1
	}
	before := t.largest[i]
	top := max(before, t.set.largest(scores))
	if nothing(scores, top) {
		clear(scores)
		return
	}
	if top > before {
		shrink := exp32((before - top) * scale)
		t.set.times(out, shrink)
		t.sum[i] *= shrink
		t.largest[i] = top
	}
	t.sum[i] += t.set.exps(scores, top, scale)
}
