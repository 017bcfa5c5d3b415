//go:build amd64 && !noasm

package mp3

import "golang.org/x/sys/cpu"

// vector is whether this processor has instructions for eight floats at once that are used here.
var vector = cpu.X86.HasAVX2 && cpu.X86.HasFMA

//go:noescape
func rowsAVX2(rows, x, cosines *float32)

//go:noescape
func sumAVX2(out, rows, weights, first *float32)

func (t *filterTables) rowsVector(f *filter, x *[lines]float32) {
	rowsAVX2(&f.rows[history*subbands], &x[0], &t.cosines[0][0])
}

func (t *filterTables) sumVector(f *filter, out *[lines]float32) {
	sumAVX2(&out[0], &f.rows[history*subbands], &t.weights[0][0][0], &t.first[0])
}
