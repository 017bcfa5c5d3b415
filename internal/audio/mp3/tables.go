package mp3

import (
	"math"
	"sync"
)

// tables are everything that is computed once.
type tables struct {
	pairs  [32]pairTable
	quads  [64]uint8 // four bits of lines, four of length, by the next six bits
	powers [maxValue + 1]float32
	steps  [maxGain - minGain + 1]float32
	bands  [9][3]bands
	hybrid hybridTables
	filter filterTables
}

const (
	maxValue = 15 + 1<<13 - 1 // the largest code with the most bits behind it
	minGain  = -210 - 2 - 8*7 - 4*(31+3)
	maxGain  = 255 - 210
)

var theTables = sync.OnceValue(func() *tables {
	t := &tables{}
	t.makeCodes()
	for i := range t.powers {
		t.powers[i] = float32(float64(i) * math.Cbrt(float64(i)))
	}
	for i := range t.steps {
		t.steps[i] = float32(math.Exp2(float64(i+minGain) / 4))
	}
	for rate := range t.bands {
		for l := range t.bands[rate] {
			t.bands[rate][l] = makeBands(rate, layout(l))
		}
	}
	t.hybrid.make()
	t.filter.make()
	return t
})

// gain is a power of the fourth root of 2.
func (t *tables) gain(e int) float32 { return t.steps[e-minGain] }
