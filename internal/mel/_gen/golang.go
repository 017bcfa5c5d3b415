package main

import (
	"bytes"
	"fmt"
	"go/format"
)

// goSource prints the DFT programs as Go for one frame, in float64: with scalar instructions that
// takes no longer than float32.
func goSource() ([]byte, error) {
	var o bytes.Buffer
	fmt.Fprint(&o, header, "\n\npackage mel\n\n")
	for b := range 5 {
		p := newProgram()
		p.dft16(b)
		fmt.Fprintf(&o, "func dft16Column%d(P0, P1, P2, P3, P4 *[80]float64, Z *[30]float64, Y *[360]float64, window *[80]float64) {\n", b)
		p.printGo(&o)
		fmt.Fprint(&o, "}\n\n")
	}
	for _, f := range []struct {
		name  string
		slots int
		write func(p *program)
	}{{"dft25", 50, (*program).dft25}, {"dft25Real", 25, (*program).dft25Real}} {
		p := newProgram()
		f.write(p)
		fmt.Fprintf(&o, "func %s(Y *[%d]float64) {\n", f.name, f.slots)
		p.printGo(&o)
		fmt.Fprint(&o, "}\n\n")
	}
	fmt.Fprint(&o, "// powerSlots is where the power of each frequency lies in the work area.\nvar powerSlots = [201]int16{")
	for k := range 201 {
		if k%20 == 0 {
			fmt.Fprint(&o, "\n")
		}
		fmt.Fprintf(&o, "%d, ", powerSlot(k))
	}
	fmt.Fprint(&o, "\n}\n")
	return format.Source(o.Bytes())
}

func (p *program) printGo(o *bytes.Buffer) {
	name := func(id int) string {
		if n := p.nodes[id]; n.op == constant {
			return fmt.Sprintf("%.17g", n.number)
		}
		return fmt.Sprintf("v%d", id)
	}
	for i, n := range p.nodes {
		if n.op == constant {
			continue
		}
		if n.op == store {
			fmt.Fprintf(o, "%s[%d] = %s\n", n.at.region, n.at.index, name(n.a))
			continue
		}
		fmt.Fprintf(o, "v%d := ", i)
		switch n.op {
		case load, broadcast:
			fmt.Fprintf(o, "%s[%d]\n", n.at.region, n.at.index)
		case add:
			fmt.Fprintf(o, "%s + %s\n", name(n.a), name(n.b))
		case sub:
			fmt.Fprintf(o, "%s - %s\n", name(n.a), name(n.b))
		case mul:
			fmt.Fprintf(o, "%s * %s\n", name(n.a), name(n.b))
		case fma:
			// The conversion keeps a compiler from fusing: the result is the same on every processor.
			product := fmt.Sprintf("float64(%s*%s)", name(n.a), name(n.b))
			switch {
			case n.negProduct && n.negAddend:
				fmt.Fprintf(o, "-%s - %s\n", product, name(n.c))
			case n.negProduct:
				fmt.Fprintf(o, "%s - %s\n", name(n.c), product)
			case n.negAddend:
				fmt.Fprintf(o, "%s - %s\n", product, name(n.c))
			default:
				fmt.Fprintf(o, "%s + %s\n", product, name(n.c))
			}
		}
	}
}
