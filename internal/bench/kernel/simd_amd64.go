//go:build !noasm

package kernel

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

//go:generate go run -C _gen . -o ..

// simdSets lists the instruction sets that processor and system have, the fastest first.
func simdSets() []set {
	var list []set
	avx2 := cpu.X86.HasAVX2 && cpu.X86.HasFMA
	if avx2 && cpu.X86.HasAVX512F && cpu.X86.HasBMI2 {
		list = append(list, set{level: AVX512, lanes: 16, width: 32})
	}
	if avx2 {
		list = append(list, set{level: AVX2, lanes: 8, width: 16})
	}
	return list
}

// The assembly takes a pointer to its arguments and checks nothing. The generator knows the layout
// of these types; steps are in bytes. The calls are direct, so that the arguments stay on the
// stack.
type (
	panelCall struct {
		c     *float32
		cStep int
		a     *float32
		aStep int
		b     *float32
		rows  int
		depth int
		add   int
		two   int // vectors across: two, else one
		last  int // lanes of the last vector that are stored
	}
	packCall struct {
		to       *float32
		toStep   int
		from     *float32
		fromStep int
		count    int
	}
	rowCall struct {
		to, a, b *float32
		count    int
		largest  float32
		factor   float32
		result   float32
	}
)

//go:noescape
func panelAVX512(p *panelCall)

//go:noescape
func panelAVX2(p *panelCall)

func (s *set) panel(c []float32, cStep int, a []float32, aStep int, b []float32, rows, cols, depth int, add bool) {
	if s.level == Go {
		panelGo(c, cStep, a, aStep, b, rows, cols, depth, add)
		return
	}
	_, _, _ = c[(rows-1)*cStep+cols-1], a[(rows-1)*aStep+depth-1], b[depth*s.width-1]
	p := panelCall{c: &c[0], cStep: 4 * cStep, a: &a[0], aStep: 4 * aStep, b: &b[0], rows: rows, depth: depth, last: cols}
	if cols > s.lanes {
		p.two, p.last = 1, cols-s.lanes
	}
	if add {
		p.add = 1
	}
	if s.level == AVX512 {
		panelAVX512(&p)
	} else {
		panelAVX2(&p)
	}
}

//go:noescape
func packAVX512(p *packCall)

//go:noescape
func packAVX2(p *packCall)

func (s *set) packRows(to, from []float32, step, depth int) {
	if s.level == Go {
		packRowsGo(to, from, step, depth)
		return
	}
	_, _ = to[depth*s.width-1], from[(depth-1)*step+s.width-1]
	p := packCall{&to[0], 4 * s.width, &from[0], 4 * step, depth}
	if s.level == AVX512 {
		packAVX512(&p)
	} else {
		packAVX2(&p)
	}
}

//go:noescape
func transposeAVX2(p *packCall)

// transpose does eight rows at a time in vectors of eight, at both levels.
func (s *set) transpose(to, from []float32, step, depth int) {
	blocks := 0
	if s.level != Go {
		_, _ = to[depth*s.width-1], from[(s.width-1)*step+depth-1]
		blocks = depth / 8
	}
	for i := 0; i < s.width && blocks > 0; i += 8 {
		p := packCall{&to[i], 4 * s.width, &from[i*step], 4 * step, blocks}
		transposeAVX2(&p)
	}
	transposeGo(to, from, s.width, step, 8*blocks, depth)
}

//go:noescape
func largestAVX512(p *rowCall)

//go:noescape
func largestAVX2(p *rowCall)

func (s *set) largest(x []float32) float32 {
	if s.level == Go {
		return largestGo(x)
	}
	p := rowCall{to: unsafe.SliceData(x), count: len(x)}
	if s.level == AVX512 {
		largestAVX512(&p)
	} else {
		largestAVX2(&p)
	}
	return p.result
}

//go:noescape
func expsAVX512(p *rowCall)

//go:noescape
func expsAVX2(p *rowCall)

func (s *set) exps(x []float32, largest, scale float32) (sum float32) {
	if s.level == Go {
		return expsGo(x, largest, scale)
	}
	p := rowCall{to: unsafe.SliceData(x), count: len(x), largest: largest, factor: scale}
	if s.level == AVX512 {
		expsAVX512(&p)
	} else {
		expsAVX2(&p)
	}
	return p.result
}

//go:noescape
func timesAVX512(p *rowCall)

//go:noescape
func timesAVX2(p *rowCall)

func (s *set) times(x []float32, factor float32) {
	if s.level == Go {
		timesGo(x, factor)
		return
	}
	p := rowCall{to: unsafe.SliceData(x), count: len(x), factor: factor}
	if s.level == AVX512 {
		timesAVX512(&p)
	} else {
		timesAVX2(&p)
	}
}

//go:noescape
func copyAVX512(p *rowCall)

//go:noescape
func copyAVX2(p *rowCall)

//go:noescape
func triadAVX512(p *rowCall)

//go:noescape
func triadAVX2(p *rowCall)

// copy and triad leave the ends to Go: the assembly writes whole cache lines past the caches.
func (s *set) copy(to, from []float32) {
	head, whole := s.lines(to)
	copy(to[:head], from)
	to, from = to[head:], from[head:]
	if whole > 0 {
		p := rowCall{to: &to[0], a: &from[0], count: whole}
		if s.level == AVX512 {
			copyAVX512(&p)
		} else {
			copyAVX2(&p)
		}
	}
	copy(to[whole:], from[whole:])
}

func (s *set) triad(to, a, b []float32, factor float32) {
	a, b = a[:len(to)], b[:len(to)]
	head, whole := s.lines(to)
	triadGo(to[:head], a, b, factor)
	to, a, b = to[head:], a[head:], b[head:]
	if whole > 0 {
		p := rowCall{to: &to[0], a: &a[0], b: &b[0], count: whole, factor: factor}
		if s.level == AVX512 {
			triadAVX512(&p)
		} else {
			triadAVX2(&p)
		}
	}
	triadGo(to[whole:], a[whole:], b[whole:], factor)
}

// lines is how many values come before the first cache line of to, and how many fill whole turns
// of the assembly from there on.
func (s *set) lines(to []float32) (head, whole int) {
	if s.level == Go || len(to) < 128 {
		return 0, 0
	}
	head = int(-uintptr(unsafe.Pointer(&to[0]))&63) / 4
	return head, (len(to) - head) &^ 63
}
