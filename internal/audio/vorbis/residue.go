package vorbis

// residue is what of the spectrum the floor does not say: vectors, added up in up to eight passes, each finer than the
// one before.
type residue struct {
	kind       int
	begin, end int
	size       int // of a partition
	classes    int
	classBook  *book
	books      [][mostPasses]*book // by class; nil where a pass adds nothing
	passes     int
}

const mostPasses = 8

func readResidue(b *bits, books []book) (*residue, bool) {
	r := &residue{kind: b.take(16), begin: b.take(24), end: b.take(24), size: b.take(24) + 1, classes: b.take(6) + 1}
	n := b.take(8)
	if r.kind > 2 || r.begin > r.end || n >= len(books) {
		return nil, false
	}
	r.classBook = &books[n]
	cascade := make([]int, r.classes)
	for i := range cascade {
		cascade[i] = b.take(3)
		if b.flag() {
			cascade[i] |= b.take(5) << 3
		}
	}
	r.books = make([][mostPasses]*book, r.classes)
	for i, present := range cascade {
		for pass := range mostPasses {
			if present>>pass&1 == 0 {
				continue
			}
			n := b.take(8)
			if n >= len(books) || books[n].values == nil || r.size%books[n].dimensions != 0 {
				return nil, false
			}
			r.books[i][pass] = &books[n]
			r.passes = max(r.passes, pass+1)
		}
	}
	return r, !b.over()
}

// read adds the vectors of several spectra; what a packet that ends early does not say stays 0.
func (r *residue) read(b *bits, spectra [][]float32, work *work) {
	if len(spectra) == 0 {
		return
	}
	begin, end := min(r.begin, len(spectra[0])), min(r.end, len(spectra[0]))
	partitions := (end - begin) / r.size
	words := r.classBook.dimensions // classes to a code word
	stride := partitions + words
	work.classes = sized(work.classes, stride*len(spectra))
	for pass := range r.passes {
		for first := 0; first < partitions; first += words {
			if pass == 0 {
				for i := range spectra {
					entry := r.classBook.next(b)
					if b.over() {
						return
					}
					for k := words - 1; k >= 0; k-- {
						work.classes[i*stride+first+k] = uint8(entry % r.classes)
						entry /= r.classes
					}
				}
			}
			for at := first; at < min(first+words, partitions); at++ {
				for i, lines := range spectra {
					book := r.books[work.classes[i*stride+at]][pass]
					from := begin + at*r.size
					if book != nil && !r.add(b, book, lines[from:from+r.size]) {
						return
					}
				}
			}
		}
	}
}

// add reads one partition; false means that the packet ended.
func (r *residue) add(b *bits, k *book, lines []float32) bool {
	n := k.dimensions
	if r.kind == 0 { // the values of a vector lie apart
		apart := len(lines) / n
		for i := range apart {
			entry := k.next(b)
			if b.over() {
				return false
			}
			for j, v := range k.values[entry*n:][:n] {
				lines[i+j*apart] += v
			}
		}
		return true
	}
	for len(lines) >= n { // as book.next, which is too long to be inlined
		ahead := b.ahead()
		e := k.table[ahead&k.mask]
		if e == 0 {
			e = k.search(ahead)
		}
		if b.at += int(e & 63); b.over() {
			return false
		}
		part := lines[:n]
		for j, v := range k.values[int(e>>6)*n:][:n] {
			part[j] += v
		}
		lines = lines[n:]
	}
	return true
}
