//go:build !amd64 || noasm

package kernel

// simdSets is empty: there is assembly for amd64 only, and none with the build tag noasm.
func simdSets() []set { return nil }

func (s *set) panel(c []float32, cStep int, a []float32, aStep int, b []float32, rows, cols, depth int, add bool) {
	panelGo(c, cStep, a, aStep, b, rows, cols, depth, add)
}

func (s *set) packRows(to, from []float32, step, depth int) { packRowsGo(to, from, step, depth) }

func (s *set) transpose(to, from []float32, step, depth int) {
	transposeGo(to, from, s.width, step, 0, depth)
}
func (s *set) largest(x []float32) float32 { return largestGo(x) }
func (s *set) exps(x []float32, largest, scale float32) (sum float32) {
	return expsGo(x, largest, scale)
}
func (s *set) times(x []float32, factor float32)        { timesGo(x, factor) }
func (s *set) copy(to, from []float32)                  { copy(to, from) }
func (s *set) triad(to, a, b []float32, factor float32) { triadGo(to, a, b, factor) }
