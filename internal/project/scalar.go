package project

// ScalarType is the type of a Scalar.
type ScalarType uint8

const (
	Null ScalarType = iota
	Bool
	Int
	Float
	String
)

// Scalar is a number, a string, a truth value or nothing, from any language.
type Scalar struct {
	Type  ScalarType
	Bool  bool
	Int   int64
	Float float64
	Text  string // of a String; the source of a number
}

func (s Scalar) equals(want any) bool {
	switch want := want.(type) {
	case nil:
		return s.Type == Null
	case bool:
		return s.Type == Bool && s.Bool == want
	case int:
		return s.Type == Int && s.Int == int64(want)
	case int64:
		return s.Type == Int && s.Int == want
	case float64:
		return s.Type == Float && s.Float == want || s.Type == Int && float64(s.Int) == want
	case string:
		return s.Type == String && s.Text == want
	}
	return false
}
