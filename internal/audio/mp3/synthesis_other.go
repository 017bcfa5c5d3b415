//go:build !amd64 || noasm

package mp3

// vector is whether this processor has instructions for eight floats at once that are used here.
const vector = false

func (t *filterTables) rowsVector(*filter, *[lines]float32) {}
func (t *filterTables) sumVector(*filter, *[lines]float32)  {}
