package pysrc

// Kind is the kind of a token; every operator and every keyword has its own.
type Kind uint8

const (
	TokBad     Kind = iota // source that is no token; an error tells why
	TokUnknown             // punctuation that Python does not have: $ ? ` <>
	TokEOF                 // end of the file
	TokNewline             // end of a logical line
	TokIndent
	TokDedent
	TokName          // identifier; the soft keywords match, case and type too
	TokNumber        // any number
	TokString        // a whole string or bytes literal
	TokFStringStart  // prefix and opening quotes of an f-string or t-string
	TokFStringMiddle // literal text of an f-string or t-string
	TokFStringEnd    // closing quotes

	// brackets and punctuation
	TokLParen
	TokRParen
	TokLBracket
	TokRBracket
	TokLBrace
	TokRBrace
	TokColon
	TokComma
	TokSemicolon
	TokDot
	TokEllipsis // ...
	TokArrow
	TokBang   // ! of a replacement field
	TokWalrus // :=
	TokEqual

	// augmented assignment, in the order of the Operators
	TokAddEqual
	TokSubEqual
	TokMultEqual
	TokMatMultEqual
	TokDivEqual
	TokModEqual
	TokPowEqual
	TokLShiftEqual
	TokRShiftEqual
	TokBitOrEqual
	TokBitXorEqual
	TokBitAndEqual
	TokFloorDivEqual

	// binary operators, in the order of the Operators
	TokAdd
	TokSub
	TokMult
	TokMatMult
	TokDiv
	TokMod
	TokPow
	TokLShift
	TokRShift
	TokBitOr
	TokBitXor
	TokBitAnd
	TokFloorDiv

	TokTilde

	// comparisons, in the order of the CmpOps
	TokEqEqual
	TokNotEqual
	TokLess
	TokLessEqual
	TokGreater
	TokGreaterEqual

	// keywords
	TokAnd
	TokAs
	TokAssert
	TokAsync
	TokAwait
	TokBreak
	TokClass
	TokContinue
	TokDef
	TokDel
	TokElif
	TokElse
	TokExcept
	TokFalse
	TokFinally
	TokFor
	TokFrom
	TokGlobal
	TokIf
	TokImport
	TokIn
	TokIs
	TokLambda
	TokNone
	TokNonlocal
	TokNot
	TokOr
	TokPass
	TokRaise
	TokReturn
	TokTrue
	TokTry
	TokWhile
	TokWith
	TokYield

	numKinds
)

// IsKeyword reports whether the token is a reserved word.
func (k Kind) IsKeyword() bool { return k >= TokAnd && k < numKinds }

// IsOperator reports whether the token is an operator, bracket or other punctuation.
func (k Kind) IsOperator() bool { return k >= TokLParen && k < TokAnd }

// Token is a piece of source.
type Token struct {
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
		table[keywordHash(text[0], text[len(text)-1], len(text))] = keywordEntry{text, TokAnd + Kind(i)}
	}
	return table
}()

func keywordHash(first, last byte, length int) uint8 {
	return (first + last + 19*uint8(length)) & 127
}

// nameKind tells a keyword from an identifier.
func nameKind(text []byte) Kind {
	if len(text) < 2 || len(text) > 8 {
		return TokName
	}
	entry := &keywordTable[keywordHash(text[0], text[len(text)-1], len(text))]
	if entry.text == string(text) {
		return entry.kind
	}
	return TokName
}
