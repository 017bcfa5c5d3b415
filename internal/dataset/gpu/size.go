package gpu

// comfortable is how many bytes a lane's batch has when nobody says otherwise: 33 rows of 30 s and
// 80 bands. Larger batches make every worker wait longer; smaller ones leave each worker a row or two
// at a time, and it waits as long for them as for more.
const comfortable = 48 << 20

// memoryShare is the part of a GPU's free memory that all lanes on it may take together.
const memoryShare = 0.8

// growAfter is how many batches a lane that ran out of memory waits before it tries twice its size.
const growAfter = 32

// mostPatience is what the wait grows to when memory runs out again and again.
const mostPatience = growAfter << 10

// rowsFor is the number of rows of a batch. most is what the user allows; with autosize it is only
// an upper bound.
func rowsFor(most int, autosize bool, rowBytes int, free uint64, lanes int) int {
	if !autosize {
		return max(1, most)
	}
	room := min(float64(comfortable), memoryShare*float64(free)/float64(max(1, lanes)))
	return max(1, min(most, int(room/float64(max(1, rowBytes)))))
}

// size is a lane's number of rows as memory comes and goes.
type size struct {
	rows, wanted int
	since        int // batches since the last change
	patience     int // batches until the next try to grow
}

func newSize(rows int) size { return size{rows: rows, wanted: rows, patience: growAfter} }

// halve is called when memory ran out; it is false when there is nothing left to halve.
func (s *size) halve() bool {
	if s.since == 0 && s.rows < s.wanted {
		s.patience = min(2*s.patience, mostPatience) // growing was too early
	}
	s.since = 0
	if s.rows == 1 {
		return false
	}
	s.rows = (s.rows + 1) / 2
	return true
}

// worked is called after every batch, and says whether it is time to try a larger lane.
func (s *size) worked() (grow bool) {
	s.since++
	if s.rows == s.wanted || s.since < s.patience {
		return false
	}
	s.rows, s.since = min(s.wanted, 2*s.rows), 0
	return true
}
