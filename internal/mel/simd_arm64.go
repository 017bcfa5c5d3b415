//go:build !noasm

package mel

//go:noescape
func stepNEON(b *block)

//go:noescape
func clampHalfNEON(p *uint16, n int, least uint16)

//go:noescape
func clampSingleNEON(p *float32, n int, least float32)

// simdSets is NEON, which every processor of this kind has.
func simdSets() []simdSet {
	return []simdSet{{
		level: NEON, lanes: 4, pitch: 32,
		step: stepNEON, clampHalf: clampHalfNEON, clampSingle: clampSingleNEON,
	}}
}
