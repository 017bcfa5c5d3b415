package pysrc

// Span is the range of bytes File.Src[Start:End].
type Span struct {
	Start, End int32
}

// Bounds returns the span itself: every node embeds one.
func (s Span) Bounds() Span { return s }

// Contains reports whether the offset lies in the span.
func (s Span) Contains(offset int) bool { return int(s.Start) <= offset && offset < int(s.End) }

// Node is any part of the tree.
type Node interface {
	Bounds() Span
}

// Stmt is a statement.
type Stmt interface {
	Node
	stmt()
}

// Expr is an expression.
type Expr interface {
	Node
	expr()
}

// Pattern is what stands after case.
type Pattern interface {
	Node
	pattern()
}

// TypeParam is a TypeVar, ParamSpec or TypeVarTuple (PEP 695).
type TypeParam interface {
	Node
	typeParam()
}

// Context says whether a name, attribute, subscript, star, list or tuple is read, written or deleted.
type Context uint8

const (
	Load Context = iota
	Store
	Del
)

// Module is a whole file.
type Module struct {
	Span
	Body []Stmt
}

// Statements.
type (
	// FunctionDef is a def; its span starts at def or async, after the decorators.
	FunctionDef struct {
		Span
		NameSpan   Span
		Name       string
		Async      bool
		Decorators []Expr
		TypeParams []TypeParam
		Args       *Arguments
		Returns    Expr // nil when absent
		Body       []Stmt
	}
	// ClassDef is a class; its span starts at class, after the decorators.
	ClassDef struct {
		Span
		NameSpan   Span
		Name       string
		Decorators []Expr
		TypeParams []TypeParam
		Bases      []Expr
		Keywords   []*Keyword
		Body       []Stmt
	}
	// Return is return, with Value nil when bare.
	Return struct {
		Span
		Value Expr
	}
	// Delete is del.
	Delete struct {
		Span
		Targets []Expr
	}
	// Assign is a = b = value.
	Assign struct {
		Span
		Targets []Expr
		Value   Expr
	}
	// TypeAlias is type Name[T] = Value (PEP 695).
	TypeAlias struct {
		Span
		Name       *Name
		TypeParams []TypeParam
		Value      Expr
	}
	// AugAssign is target += value.
	AugAssign struct {
		Span
		Target Expr
		Op     Operator
		Value  Expr
	}
	// AnnAssign is target: annotation = value, with Value nil when absent.
	// Simple is set for a bare name without parentheses.
	AnnAssign struct {
		Span
		Target     Expr
		Annotation Expr
		Value      Expr
		Simple     bool
	}
	// For is for … in, and async for.
	For struct {
		Span
		Async  bool
		Target Expr
		Iter   Expr
		Body   []Stmt
		Orelse []Stmt
	}
	// While is while.
	While struct {
		Span
		Test   Expr
		Body   []Stmt
		Orelse []Stmt
	}
	// If is if; an elif is an If alone in Orelse.
	If struct {
		Span
		Test   Expr
		Body   []Stmt
		Orelse []Stmt
	}
	// With is with, and async with.
	With struct {
		Span
		Async bool
		Items []*WithItem
		Body  []Stmt
	}
	// Match is match.
	Match struct {
		Span
		Subject Expr
		Cases   []*MatchCase
	}
	// Raise is raise Exc from Cause; both may be nil.
	Raise struct {
		Span
		Exc   Expr
		Cause Expr
	}
	// Try is try; Star is set when its handlers are except*.
	Try struct {
		Span
		Star      bool
		Body      []Stmt
		Handlers  []*ExceptHandler
		Orelse    []Stmt
		Finalbody []Stmt
	}
	// Assert is assert Test, Msg.
	Assert struct {
		Span
		Test Expr
		Msg  Expr
	}
	// Import is import a.b as c.
	Import struct {
		Span
		Names []*Alias
	}
	// ImportFrom is from .module import name; Level counts the dots.
	ImportFrom struct {
		Span
		Module string
		Names  []*Alias
		Level  int
	}
	// Global is global.
	Global struct {
		Span
		Names []string
	}
	// Nonlocal is nonlocal.
	Nonlocal struct {
		Span
		Names []string
	}
	// ExprStmt is an expression standing alone.
	ExprStmt struct {
		Span
		Value Expr
	}
	// Pass is pass.
	Pass struct{ Span }
	// Break is break.
	Break struct{ Span }
	// Continue is continue.
	Continue struct{ Span }
	// BadStmt is source that does not parse. Body holds the statements of an
	// indented block below it, so that a broken header does not hide them.
	BadStmt struct {
		Span
		Body []Stmt
	}
)

// Expressions.
type (
	// BoolOp is a and b and c, or a or b or c.
	BoolOp struct {
		Span
		Op     BoolOperator
		Values []Expr
	}
	// NamedExpr is target := value.
	NamedExpr struct {
		Span
		Target *Name
		Value  Expr
	}
	// BinOp is left op right.
	BinOp struct {
		Span
		Left  Expr
		Op    Operator
		Right Expr
	}
	// UnaryOp is op operand.
	UnaryOp struct {
		Span
		Op      UnaryOperator
		Operand Expr
	}
	// Lambda is lambda args: body.
	Lambda struct {
		Span
		Args *Arguments
		Body Expr
	}
	// IfExp is body if test else orelse.
	IfExp struct {
		Span
		Test   Expr
		Body   Expr
		Orelse Expr
	}
	// Dict is a display; the key of a **value is nil.
	Dict struct {
		Span
		Keys   []Expr
		Values []Expr
	}
	// Set is {a, b}.
	Set struct {
		Span
		Elts []Expr
	}
	// ListComp is [elt for …].
	ListComp struct {
		Span
		Elt        Expr
		Generators []*Comprehension
	}
	// SetComp is {elt for …}.
	SetComp struct {
		Span
		Elt        Expr
		Generators []*Comprehension
	}
	// DictComp is {key: value for …}.
	DictComp struct {
		Span
		Key        Expr
		Value      Expr
		Generators []*Comprehension
	}
	// GeneratorExp is (elt for …).
	GeneratorExp struct {
		Span
		Elt        Expr
		Generators []*Comprehension
	}
	// Await is await value.
	Await struct {
		Span
		Value Expr
	}
	// Yield is yield value, with Value nil when bare.
	Yield struct {
		Span
		Value Expr
	}
	// YieldFrom is yield from value.
	YieldFrom struct {
		Span
		Value Expr
	}
	// Compare is left op comparator op comparator ….
	Compare struct {
		Span
		Left        Expr
		Ops         []CmpOp
		Comparators []Expr
	}
	// Call is func(args, keywords).
	Call struct {
		Span
		Func     Expr
		Args     []Expr
		Keywords []*Keyword
		Number   int32 // for who lists the calls of a file
	}
	// FormattedValue is {value!r:spec} of an f-string. Conversion is 0, 's', 'r' or 'a'.
	FormattedValue struct {
		Span
		Value      Expr
		Conversion byte
		FormatSpec *JoinedStr // nil when absent
	}
	// Interpolation is {value!r:spec} of a t-string (PEP 750). Str is the source of the value.
	Interpolation struct {
		Span
		Value      Expr
		Str        string
		Conversion byte
		FormatSpec *JoinedStr
	}
	// JoinedStr is an f-string: Constants and FormattedValues.
	JoinedStr struct {
		Span
		Values []Expr
	}
	// TemplateStr is a t-string: Constants and Interpolations.
	TemplateStr struct {
		Span
		Values []Expr
	}
	// Constant is a literal. Value is the text of a string after escapes and
	// concatenation (a lone surrogate as its three bytes), the bytes of a bytes
	// literal, or the source of a number; see also IntValue and its sisters.
	Constant struct {
		Span
		Kind    ConstKind
		Unicode bool // u"…": CPython's kind
		Value   string
	}
	// Attribute is value.attr; the attribute's name starts at AttrStart.
	Attribute struct {
		Span
		AttrStart int32
		Ctx       Context
		Value     Expr
		Attr      string
	}
	// Subscript is value[slice].
	Subscript struct {
		Span
		Ctx   Context
		Value Expr
		Slice Expr
	}
	// Starred is *value.
	Starred struct {
		Span
		Ctx   Context
		Value Expr
	}
	// Name is an identifier.
	Name struct {
		Span
		Ctx Context
		ID  string
	}
	// List is [a, b].
	List struct {
		Span
		Ctx  Context
		Elts []Expr
	}
	// Tuple is a, b or (a, b); Parens tells which.
	Tuple struct {
		Span
		Ctx    Context
		Parens bool
		Elts   []Expr
	}
	// Slice is lower:upper:step; each may be nil.
	Slice struct {
		Span
		Lower Expr
		Upper Expr
		Step  Expr
	}
)

func (*FunctionDef) stmt() {}
func (*ClassDef) stmt()    {}
func (*Return) stmt()      {}
func (*Delete) stmt()      {}
func (*Assign) stmt()      {}
func (*TypeAlias) stmt()   {}
func (*AugAssign) stmt()   {}
func (*AnnAssign) stmt()   {}
func (*For) stmt()         {}
func (*While) stmt()       {}
func (*If) stmt()          {}
func (*With) stmt()        {}
func (*Match) stmt()       {}
func (*Raise) stmt()       {}
func (*Try) stmt()         {}
func (*Assert) stmt()      {}
func (*Import) stmt()      {}
func (*ImportFrom) stmt()  {}
func (*Global) stmt()      {}
func (*Nonlocal) stmt()    {}
func (*ExprStmt) stmt()    {}
func (*Pass) stmt()        {}
func (*Break) stmt()       {}
func (*Continue) stmt()    {}
func (*BadStmt) stmt()     {}

func (*BoolOp) expr()         {}
func (*NamedExpr) expr()      {}
func (*BinOp) expr()          {}
func (*UnaryOp) expr()        {}
func (*Lambda) expr()         {}
func (*IfExp) expr()          {}
func (*Dict) expr()           {}
func (*Set) expr()            {}
func (*ListComp) expr()       {}
func (*SetComp) expr()        {}
func (*DictComp) expr()       {}
func (*GeneratorExp) expr()   {}
func (*Await) expr()          {}
func (*Yield) expr()          {}
func (*YieldFrom) expr()      {}
func (*Compare) expr()        {}
func (*Call) expr()           {}
func (*FormattedValue) expr() {}
func (*Interpolation) expr()  {}
func (*JoinedStr) expr()      {}
func (*TemplateStr) expr()    {}
func (*Constant) expr()       {}
func (*Attribute) expr()      {}
func (*Subscript) expr()      {}
func (*Starred) expr()        {}
func (*Name) expr()           {}
func (*List) expr()           {}
func (*Tuple) expr()          {}
func (*Slice) expr()          {}
