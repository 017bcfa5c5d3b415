package kernel

// A packed block of B is panels of s.width columns, one after the other: depth rows of s.width
// values. What the last panel has beyond the columns of B is not written: nobody stores what it
// gives.

// pack lays b out, whose rows are the depth.
func (s *set) pack(to []float32, b view) {
	const together = 16 // rows; each is read on from panel to panel
	for row := 0; row < b.rows; row += together {
		rows := min(together, b.rows-row)
		for col := 0; col < b.cols; col += s.width {
			panel := to[col*b.rows+row*s.width:][:rows*s.width]
			from := b.data[row*b.step+col:]
			if cols := min(s.width, b.cols-col); cols == s.width {
				s.packRows(panel, from, b.step, rows)
			} else {
				for k := range rows {
					copy(panel[k*s.width:], from[k*b.step:][:cols])
				}
			}
		}
	}
}

// packTransposed lays b out, whose columns are the depth.
func (s *set) packTransposed(to []float32, b view) {
	depth := b.cols
	for row := 0; row < b.rows; row += s.width {
		panel := to[:s.width*depth]
		if rows := min(s.width, b.rows-row); rows == s.width {
			s.transpose(panel, b.data[row*b.step:], b.step, depth)
		} else {
			for i := range rows {
				for k, v := range b.row(row + i) {
					panel[k*s.width+i] = v
				}
			}
		}
		to = to[len(panel):]
	}
}

// packRowsGo is set.packRows in Go.
func packRowsGo(to, from []float32, step, depth int) {
	for k := range depth {
		*(*[goWidth]float32)(to[k*goWidth:]) = *(*[goWidth]float32)(from[k*step:])
	}
}

// transposeGo is set.transpose in Go, for the values of a row from first to depth.
func transposeGo(to, from []float32, rows, step, first, depth int) {
	for i := range rows {
		for k := first; k < depth; k++ {
			to[k*rows+i] = from[i*step+k]
		}
	}
}

// rowPitch is how far apart rows of n values are laid: an odd number of cache lines, so that the
// rows that are read together fall into different sets of the cache.
func rowPitch(n int) int { return roundUp(n, line)/line*line | line }

// copyRows lays the rows of a out with the given pitch.
func copyRows(to []float32, pitch int, a view) {
	for i := range a.rows {
		copy(to[i*pitch:], a.row(i))
	}
}
