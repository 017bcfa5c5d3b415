package pysrc

import (
	"encoding/hex"
	"math"
	"strconv"
)

// dumper writes a tree in the shape of testdata/dump.py, as CPython 3.minor has it.
type dumper struct {
	f     *File
	minor int
	out   []byte
	plain bool // inside an f-string of a version that does not know positions there
	line  int  // where the last position was found; the next is near
}

func dump(f *File, minor int) []byte {
	d := &dumper{f: f, minor: minor}
	d.out = append(d.out, "\nModule("...)
	stmts(d, f.Module.Body)
	d.out = append(d.out, ")"...)
	return d.out
}

// node opens a node that has a position.
func (d *dumper) node(name string, s Span) {
	d.bare(name)
	if !d.plain {
		// Python 3.8 does not count the semicolon that ends a block.
		for d.minor == 8 && s.End > s.Start && (d.f.Src[s.End-1] == ';' || d.f.Src[s.End-1] == ' ') {
			s.End--
		}
		d.out = d.out[:len(d.out)-1]
		d.out = append(d.out, ' ')
		d.place(s.Start)
		d.out = append(d.out, '-')
		d.place(s.End)
		d.out = append(d.out, '(')
	}
}

// bare opens a node without a position.
func (d *dumper) bare(name string) {
	d.out = append(d.out, '\n')
	d.out = append(d.out, name...)
	d.out = append(d.out, '(')
}

func (d *dumper) place(offset int32) {
	starts := d.f.LineStarts
	for d.line > 0 && starts[d.line] > offset {
		d.line--
	}
	for d.line+1 < len(starts) && starts[d.line+1] <= offset {
		d.line++
	}
	d.out = strconv.AppendInt(d.out, int64(d.line+1), 10)
	d.out = append(d.out, ':')
	d.out = strconv.AppendInt(d.out, int64(offset-starts[d.line]), 10)
}

func (d *dumper) end()      { d.out = append(d.out, ')') }
func (d *dumper) fieldEnd() { d.out = append(d.out, ';') }
func (d *dumper) none()     { d.out = append(d.out, '-', ';') }

func (d *dumper) raw(s string) {
	d.out = append(d.out, s...)
	d.fieldEnd()
}

func (d *dumper) str(s string) {
	d.text(s)
	d.fieldEnd()
}

func (d *dumper) text(s string) {
	d.out = append(d.out, 's')
	d.out = strconv.AppendInt(d.out, int64(len(s)), 10)
	d.out = append(d.out, ':')
	d.out = append(d.out, s...)
}

// optional writes a name that is None when empty.
func (d *dumper) optional(s string) {
	if s == "" {
		d.none()
	} else {
		d.str(s)
	}
}

func (d *dumper) expr(e Expr) {
	if e == nil {
		d.none()
		return
	}
	d.expression(e)
	d.fieldEnd()
}

func (d *dumper) strs(items []string) {
	d.out = append(d.out, '[')
	for _, s := range items {
		d.text(s)
		d.out = append(d.out, ',')
	}
	d.out = append(d.out, ']', ';')
}

// seq writes a list of nodes; write writes one of them.
func seq[T any](d *dumper, items []T, write func(T)) {
	d.out = append(d.out, '[')
	for _, item := range items {
		write(item)
		d.out = append(d.out, ',')
	}
	d.out = append(d.out, ']', ';')
}

func exprs(d *dumper, items []Expr) {
	seq(d, items, func(e Expr) {
		if e == nil {
			d.out = append(d.out, '-')
		} else {
			d.expression(e)
		}
	})
}

func stmts(d *dumper, items []Stmt) { seq(d, items, d.stmt) }

func (d *dumper) ctx(c Context) { d.raw([]string{"Load", "Store", "Del"}[c]) }

func (d *dumper) float(f float64) {
	var b [8]byte
	bits := math.Float64bits(f)
	for i := range b {
		b[i] = byte(bits >> (56 - 8*i))
	}
	d.out = hex.AppendEncode(d.out, b[:])
}

func (d *dumper) constant(c *Constant) {
	switch c.Kind {
	case Str:
		d.text(c.Value)
	case Bytes:
		d.out = append(d.out, 'b')
		d.out = hex.AppendEncode(d.out, []byte(c.Value))
	case Int:
		d.out = append(d.out, 'i')
		d.out = append(d.out, c.BigInt().Text(16)...)
	case Float:
		d.out = append(d.out, 'f')
		d.float(parseFloat(c.Value))
	case Complex:
		d.out = append(d.out, 'c')
		d.float(parseFloat(c.Value[:len(c.Value)-1]))
	default:
		d.out = append(d.out, c.Kind.String()...)
	}
	d.fieldEnd()
	if c.Unicode && !d.plain {
		d.out = append(d.out, " u"...)
	}
	d.fieldEnd()
}

func (d *dumper) keyword(k *Keyword) {
	if d.minor >= 9 {
		d.node("keyword", k.Span)
	} else {
		d.bare("keyword")
	}
	d.optional(k.Name)
	d.expr(k.Value)
	d.end()
}

func (d *dumper) alias(a *Alias) {
	if d.minor >= 10 {
		d.node("alias", a.Span)
	} else {
		d.bare("alias")
	}
	d.str(a.Name)
	d.optional(a.Asname)
	d.end()
}

func (d *dumper) arguments(a *Arguments) {
	d.bare("arguments")
	seq(d, a.PosOnly, d.arg)
	seq(d, a.Args, d.arg)
	d.optionalArg(a.Vararg)
	seq(d, a.KwOnly, func(arg *Arg) {
		// Python 3.8 leaves out the annotation of these.
		if d.minor == 8 && arg.Annotation != nil {
			short := *arg
			short.End = short.Start + int32(len(short.Name))
			arg = &short
		}
		d.arg(arg)
	})
	exprs(d, a.KwDefaults)
	d.optionalArg(a.Kwarg)
	exprs(d, a.Defaults)
	d.end()
	d.fieldEnd()
}

func (d *dumper) optionalArg(a *Arg) {
	if a == nil {
		d.none()
		return
	}
	d.arg(a)
	d.fieldEnd()
}

func (d *dumper) arg(a *Arg) {
	d.node("arg", a.Span)
	d.str(a.Name)
	d.expr(a.Annotation)
	d.end()
}

func (d *dumper) comprehension(c *Comprehension) {
	d.bare("comprehension")
	d.expr(c.Target)
	d.expr(c.Iter)
	exprs(d, c.Ifs)
	d.flag(c.Async)
	d.end()
}

func (d *dumper) flag(b bool) {
	if b {
		d.raw("1")
	} else {
		d.raw("0")
	}
}

func (d *dumper) withItem(w *WithItem) {
	d.bare("withitem")
	d.expr(w.Context)
	d.expr(w.Vars)
	d.end()
}

func (d *dumper) handler(h *ExceptHandler) {
	d.node("ExceptHandler", h.Span)
	d.expr(h.Type)
	d.optional(h.Name)
	stmts(d, h.Body)
	d.end()
}

func (d *dumper) matchCase(c *MatchCase) {
	d.bare("match_case")
	d.pattern(c.Pattern)
	d.fieldEnd()
	d.expr(c.Guard)
	stmts(d, c.Body)
	d.end()
}

func (d *dumper) typeParams(list []TypeParam) {
	if d.minor >= 12 {
		seq(d, list, d.typeParam)
	}
}

func (d *dumper) typeParam(t TypeParam) {
	def := func(e Expr) {
		if d.minor >= 13 {
			d.expr(e)
		}
		d.end()
	}
	switch t := t.(type) {
	case *TypeVar:
		d.node("TypeVar", t.Span)
		d.str(t.Name)
		d.expr(t.Bound)
		def(t.Default)
	case *ParamSpec:
		d.node("ParamSpec", t.Span)
		d.str(t.Name)
		def(t.Default)
	case *TypeVarTuple:
		d.node("TypeVarTuple", t.Span)
		d.str(t.Name)
		def(t.Default)
	}
}
