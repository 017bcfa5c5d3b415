package pysrc

import (
	"fmt"
	"strings"
	"testing"
)

func TestKeywords(t *testing.T) {
	words := strings.Fields("and as assert async await break class continue def del elif else except False finally for from global if import in is lambda None nonlocal not or pass raise return True try while with yield")
	for i, word := range words {
		kind := nameKind([]byte(word))
		if kind != tokAnd+Kind(i) || !kind.IsKeyword() || kind.IsOperator() {
			t.Errorf("%s is of kind %d", word, kind)
		}
		if nameKind([]byte(word+"_")) != tokName || nameKind([]byte("_"+word)) != tokName || nameKind([]byte(strings.ToUpper(word))) != tokName {
			t.Errorf("a name like %s is a keyword", word)
		}
	}
	if numKinds-tokAnd != Kind(len(words)) {
		t.Errorf("%d kinds of keywords, want %d", numKinds-tokAnd, len(words))
	}
}

func TestTokens(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"x = 1\n", "x|=|1|NL|"},
		{"if x:\n  y # c\nz", "if|x|:|NL|IN|y|NL|OUT|z|NL|"},
		{"f(\n a,\n)\n", "f|(|a|,|)|NL|"},
		{"a \\\n+ b", "a|+|b|NL|"},
		{"a<<=b>>c**d//e->f:=g...", "a|<<=|b|>>|c|**|d|//|e|->|f|:=|g|...|NL|"},
		{"1.5e-3j .5 0xFFor 1_0", "1.5e-3j|.5|0xFF|or|1_0|NL|"},
		{"rb'a' u\"b\" '''c\nd''' 'e\\'f'", "rb'a'|u\"b\"|'''c\nd'''|'e\\'f'|NL|"},
		{"f'a{b!r:>{c}}d{{'", "f'|a|{|b|!|r|:|>|{|c|}|}|d{{|'|NL|"},
		{"f'{a:=1}{b!=c}{d[1:2]}'", "f'|{|a|:|=1|}|{|b|!=|c|}|{|d|[|1|:|2|]|}|'|NL|"},
		{"t\"{x}\"", "t\"|{|x|}|\"|NL|"},
		{"f'{'a'}'", "f'|{|'a'|}|'|NL|"},
		{"a\r\nb\rc", "a|NL|b|NL|c|NL|"},
		{"if a:\n\tb\n        c\n", "if|a|:|NL|IN|b|NL|BAD|NL|OUT|"},
		{"a ? b", "a|?|b|NL|"},
		{"é = ü", "é|=|ü|NL|"},
	} {
		tokens, _, _ := allTokens([]byte(c.src))
		var b strings.Builder
		for _, tok := range tokens {
			switch tok.Kind {
			case tokNewline:
				b.WriteString("NL")
			case tokIndent:
				b.WriteString("IN")
			case tokDedent:
				b.WriteString("OUT")
			case tokBad:
				b.WriteString("BAD")
			case tokEOF:
				continue
			default:
				b.WriteString(c.src[tok.Start:tok.End])
			}
			b.WriteByte('|')
		}
		if got := b.String(); got != c.want {
			t.Errorf("%q is\n%s, want\n%s", c.src, got, c.want)
		}
	}
}

// TestTokenErrors has the messages of CPython 3.13, with shorter tails.
func TestTokenErrors(t *testing.T) {
	for src, want := range map[string]string{
		"0777":                  "leading zeros in decimal integer literals are not permitted",
		"0b12":                  "invalid digit '2' in binary literal",
		"0o8":                   "invalid digit '8' in octal literal",
		"0xg":                   "invalid hexadecimal literal",
		"1__0":                  "invalid decimal literal",
		"1_":                    "invalid decimal literal",
		"1.5_":                  "invalid decimal literal",
		"1e+":                   "invalid decimal literal",
		"1abc":                  "invalid decimal literal",
		"'abc":                  "unterminated string literal",
		"'''abc":                "unterminated triple-quoted string literal",
		"f'abc":                 "unterminated f-string literal",
		"f'''{a}":               "unterminated triple-quoted f-string literal",
		"t'abc":                 "unterminated t-string literal",
		"f'}'":                  "f-string: single '}' is not allowed",
		"f'{a)}'":               "f-string: unmatched ')'",
		"f'{}'":                 "f-string: valid expression required before '}'",
		"f'{a!x}'":              "f-string: invalid conversion character",
		"f'{a b}'":              "invalid syntax. Perhaps you forgot a comma?",
		"a = (":                 "'(' was never closed",
		"a)":                    "unmatched ')'",
		"(a]":                   "closing parenthesis ']' does not match opening parenthesis '('",
		"a $ b":                 "invalid syntax",
		"a <> b":                "invalid syntax",
		"“":                     "invalid character '“' (U+201C)",
		"a\u00a0b":              "invalid non-printable character U+00A0",
		"\x01":                  "invalid non-printable character U+0001",
		"a \\ b":                "unexpected character after line continuation character",
		"a \\":                  "unexpected EOF while parsing",
		"b'é'":                  "bytes can only contain ASCII literal characters",
		`b'\xg'`:                `(value error) invalid \x escape`,
		`'\x1'`:                 `(unicode error) 'unicodeescape' codec can't decode bytes: truncated \xXX escape`,
		`'\u12'`:                `(unicode error) 'unicodeescape' codec can't decode bytes: truncated \uXXXX escape`,
		`'\U00110000'`:          "(unicode error) 'unicodeescape' codec can't decode bytes: illegal Unicode character",
		`'\N{NO SUCH}'`:         "(unicode error) 'unicodeescape' codec can't decode bytes: unknown Unicode character name",
		`'\N'`:                  `(unicode error) 'unicodeescape' codec can't decode bytes: malformed \N character escape`,
		"'a' b'b'":              "cannot mix bytes and nonbytes literals",
		"t'a' 'b'":              "cannot mix t-string literals with string or bytes literals",
		"t'a' f'b'":             "cannot mix t-string literals with string or bytes literals",
		" a":                    "unexpected indent",
		"if a:\n  b\n c":        "unindent does not match any outer indentation level",
		"if a:\n        b\n\tc": "inconsistent use of tabs and spaces in indentation",
	} {
		err := Parse("", []byte(src)).Err()
		if err == nil || !strings.HasPrefix(err.Message, want) {
			t.Errorf("%q: %v, want %s", src, fmt.Sprint(err), want)
		}
	}
}
