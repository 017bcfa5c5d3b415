package pysrc

// Operator is the operator of a BinOp or AugAssign.
type Operator uint8

const (
	Add Operator = iota
	Sub
	Mult
	MatMult
	Div
	Mod
	Pow
	LShift
	RShift
	BitOr
	BitXor
	BitAnd
	FloorDiv
)

var operatorNames = [...]string{
	"Add", "Sub", "Mult", "MatMult", "Div", "Mod", "Pow", "LShift", "RShift", "BitOr",
	"BitXor", "BitAnd", "FloorDiv",
}

// String is the name CPython gives the operator.
func (o Operator) String() string { return operatorNames[o] }

// UnaryOperator is the operator of a UnaryOp.
type UnaryOperator uint8

const (
	Invert UnaryOperator = iota
	Not
	UAdd
	USub
)

var unaryNames = [...]string{"Invert", "Not", "UAdd", "USub"}

func (o UnaryOperator) String() string { return unaryNames[o] }

// BoolOperator is the operator of a BoolOp.
type BoolOperator uint8

const (
	And BoolOperator = iota
	Or
)

var boolNames = [...]string{"And", "Or"}

func (o BoolOperator) String() string { return boolNames[o] }

// CmpOp is an operator of a Compare.
type CmpOp uint8

const (
	Eq CmpOp = iota
	NotEq
	Lt
	LtE
	Gt
	GtE
	Is
	IsNot
	In
	NotIn
)

var cmpNames = [...]string{"Eq", "NotEq", "Lt", "LtE", "Gt", "GtE", "Is", "IsNot", "In", "NotIn"}

func (o CmpOp) String() string { return cmpNames[o] }
