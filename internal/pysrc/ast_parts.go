package pysrc

// Parts of statements and expressions.
type (
	// Comprehension is for target in iter if … of a comprehension.
	Comprehension struct {
		Span
		Async  bool
		Target Expr
		Iter   Expr
		Ifs    []Expr
	}
	// ExceptHandler is except type as name. Type is nil when bare, Name empty when absent.
	ExceptHandler struct {
		Span
		Type Expr
		Name string
		Body []Stmt
	}
	// Arguments are the parameters of a def or lambda. Defaults are those of the
	// last of PosOnly and Args; KwDefaults has one entry per KwOnly, nil where none.
	Arguments struct {
		Span
		PosOnly    []*Arg
		Args       []*Arg
		Vararg     *Arg
		KwOnly     []*Arg
		KwDefaults []Expr
		Kwarg      *Arg
		Defaults   []Expr
	}
	// Arg is one parameter.
	Arg struct {
		Span
		Name       string
		Annotation Expr
	}
	// Keyword is name=value of a call or class; Name is empty for **value.
	Keyword struct {
		Span
		Name  string
		Value Expr
	}
	// Alias is name as asname of an import.
	Alias struct {
		Span
		Name   string
		Asname string
	}
	// WithItem is context as vars of a with; Vars may be nil.
	WithItem struct {
		Span
		Context Expr
		Vars    Expr
	}
	// MatchCase is case pattern if guard.
	MatchCase struct {
		Span
		Pattern Pattern
		Guard   Expr
		Body    []Stmt
	}
)

// Patterns.
type (
	// MatchValue is a literal or dotted name.
	MatchValue struct {
		Span
		Value Expr
	}
	// MatchSingleton is None, True or False.
	MatchSingleton struct {
		Span
		Kind ConstKind
	}
	// MatchSequence is [a, b] or (a, b).
	MatchSequence struct {
		Span
		Patterns []Pattern
	}
	// MatchMapping is {key: pattern, **rest}; Rest is empty when absent.
	MatchMapping struct {
		Span
		Keys     []Expr
		Patterns []Pattern
		Rest     string
	}
	// MatchClass is Class(pattern, name=pattern).
	MatchClass struct {
		Span
		Class       Expr
		Patterns    []Pattern
		KwdAttrs    []string
		KwdPatterns []Pattern
	}
	// MatchStar is *name; Name is empty for *_.
	MatchStar struct {
		Span
		Name string
	}
	// MatchAs is pattern as name, a bare name, or the wildcard _, which has neither.
	MatchAs struct {
		Span
		Pattern Pattern
		Name    string
	}
	// MatchOr is a | b.
	MatchOr struct {
		Span
		Patterns []Pattern
	}
)

// Type parameters.
type (
	// TypeVar is T: Bound = Default.
	TypeVar struct {
		Span
		Name    string
		Bound   Expr
		Default Expr
	}
	// ParamSpec is **P = Default.
	ParamSpec struct {
		Span
		Name    string
		Default Expr
	}
	// TypeVarTuple is *Ts = Default.
	TypeVarTuple struct {
		Span
		Name    string
		Default Expr
	}
)

func (*MatchValue) pattern()     {}
func (*MatchSingleton) pattern() {}
func (*MatchSequence) pattern()  {}
func (*MatchMapping) pattern()   {}
func (*MatchClass) pattern()     {}
func (*MatchStar) pattern()      {}
func (*MatchAs) pattern()        {}
func (*MatchOr) pattern()        {}

func (*TypeVar) typeParam()      {}
func (*ParamSpec) typeParam()    {}
func (*TypeVarTuple) typeParam() {}
