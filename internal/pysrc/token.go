package pysrc

// Kind is the kind of a token; every operator and every keyword has its own.
type Kind uint8

const (
	tokBad     Kind = iota // text that cannot be read as a token; an error tells why
	tokUnknown             // punctuation that Python does not have: $ ? ` <>
	tokEOF                 // end of the file
	tokNewline             // end of a logical line
	tokIndent
	tokDedent
	tokName          // identifier; the soft keywords match, case and type too
	tokNumber        // any number
	tokString        // a whole string or bytes literal
	tokFStringStart  // prefix and opening quotes of an f-string or t-string
	tokFStringMiddle // literal text of an f-string or t-string
	tokFStringEnd    // closing quotes

	// brackets and punctuation
	tokLParen
	tokRParen
	tokLBracket
	tokRBracket
	tokLBrace
	tokRBrace
	tokColon
	tokComma
	tokSemicolon
	tokDot
	tokEllipsis // ...
	tokArrow
	tokBang   // ! of a replacement field
	tokWalrus // :=
	tokEqual

	// augmented assignment, in the order of the Operators
	tokAddEqual
	tokSubEqual
	tokMultEqual
	tokMatMultEqual
	tokDivEqual
	tokModEqual
	tokPowEqual
	tokLShiftEqual
	tokRShiftEqual
	tokBitOrEqual
	tokBitXorEqual
	tokBitAndEqual
	tokFloorDivEqual

	// binary operators, in the order of the Operators
	tokAdd
	tokSub
	tokMult
	tokMatMult
	tokDiv
	tokMod
	tokPow
	tokLShift
	tokRShift
	tokBitOr
	tokBitXor
	tokBitAnd
	tokFloorDiv

	tokTilde

	// comparisons, in the order of the CmpOps
	tokEqEqual
	tokNotEqual
	tokLess
	tokLessEqual
	tokGreater
	tokGreaterEqual

	// keywords
	tokAnd
	tokAs
	tokAssert
	tokAsync
	tokAwait
	tokBreak
	tokClass
	tokContinue
	tokDef
	tokDel
	tokElif
	tokElse
	tokExcept
	tokFalse
	tokFinally
	tokFor
	tokFrom
	tokGlobal
	tokIf
	tokImport
	tokIn
	tokIs
	tokLambda
	tokNone
	tokNonlocal
	tokNot
	tokOr
	tokPass
	tokRaise
	tokReturn
	tokTrue
	tokTry
	tokWhile
	tokWith
	tokYield

	numKinds
)

// IsKeyword reports whether the token is a reserved word.
func (k Kind) IsKeyword() bool { return k >= tokAnd && k < numKinds }

// IsOperator reports whether the token is an operator, bracket or other punctuation.
func (k Kind) IsOperator() bool { return k >= tokLParen && k < tokAnd }

// token is a piece of source.
type token struct {
	Span
	Kind  Kind
	flags tokenFlags
}

type tokenFlags uint16

// What the parser wants to know of a name or string without reading it again.
const (
	flagNonASCII  tokenFlags = 1 << iota // a name to be normalised
	flagRaw                              // r
	flagBytes                            // b
	flagUnicode                          // u
	flagTemplate                         // t
	flagTriple                           // three quotes
	flagBackslash                        // has a backslash: escapes to decode
	flagReturn                           // has a carriage return: newlines to translate
	flagBraces                           // text of an f-string that has {{ or }}
)

type keywordEntry struct {
	text string
	kind Kind
}

// keywordTable is a perfect hash of the keywords by keywordHash.
var keywordTable = func() (table [128]keywordEntry) {
	for i, text := range [...]string{
		"and", "as", "assert", "async", "await", "break", "class", "continue", "def",
		"del", "elif", "else", "except", "False", "finally", "for", "from", "global",
		"if", "import", "in", "is", "lambda", "None", "nonlocal", "not", "or",
		"pass", "raise", "return", "True", "try", "while", "with", "yield",
	} {
		table[keywordHash(text[0], text[len(text)-1], len(text))] = keywordEntry{text, tokAnd + Kind(i)}
	}
	return table
}()

func keywordHash(first, last byte, length int) uint8 {
	return (first + last + 19*uint8(length)) & 127
}

// nameKind tells a keyword from an identifier.
func nameKind(text []byte) Kind {
	if len(text) < 2 || len(text) > 8 {
		return tokName
	}
	entry := &keywordTable[keywordHash(text[0], text[len(text)-1], len(text))]
	if entry.text == string(text) {
		return entry.kind
	}
	return tokName
}
