//go:build !noasm

package mel

import "golang.org/x/sys/cpu"

//go:generate go run -C _gen . -o ..

//go:noescape
func stepAVX512(b *block)

//go:noescape
func stepAVX2(b *block)

//go:noescape
func clampHalfAVX512(p *uint16, n int, least uint16)

//go:noescape
func clampHalfAVX2(p *uint16, n int, least uint16)

//go:noescape
func clampSingleAVX512(p *float32, n int, least float32)

//go:noescape
func clampSingleAVX2(p *float32, n int, least float32)

// simdSets lists the instruction sets that processor and system have, the fastest first.
func simdSets() []simdSet {
	var sets []simdSet
	avx2 := cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasF16C
	if avx2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL {
		sets = append(sets, simdSet{
			level: AVX512, lanes: 16, pitch: 72,
			step: stepAVX512, clampHalf: clampHalfAVX512, clampSingle: clampSingleAVX512,
		})
	}
	if avx2 {
		sets = append(sets, simdSet{
			level: AVX2, lanes: 8, pitch: 40,
			step: stepAVX2, clampHalf: clampHalfAVX2, clampSingle: clampSingleAVX2,
		})
	}
	return sets
}
