package pysrc

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// maxSource keeps offsets well inside int32.
const maxSource = 1 << 30

// source is decoded text, ready for the lexer.
type source struct {
	text     []byte
	bom      int // length of the byte order mark
	encoding string
	faults   []fault
	// unreadable is set for what is not a text at all; it is not lexed.
	unreadable bool
}

// fault is an error before it is given a line and a column.
type fault struct {
	Span
	message string
	kind    faultKind
	found   int32 // the token at which the grammar failed
}

// decode turns the bytes of a file into UTF-8. Text in UTF-8, which is nearly
// all, is not copied. Bytes that cannot be decoded are noted and replaced, so
// that the rest of the file can be read.
func decode(src []byte) source {
	s := source{text: src, encoding: "utf-8"}
	if len(src) > maxSource {
		s.text = nil
		s.refuse(Span{}, fmt.Sprintf("the file has %d bytes; the limit is %d", len(src), maxSource))
		return s
	}
	if bytes.HasPrefix(src, []byte("\xef\xbb\xbf")) {
		s.bom = 3
	}
	cookie, at := codingCookie(src[s.bom:])
	at.Start += int32(s.bom)
	at.End += int32(s.bom)
	switch name := normalEncoding(cookie); {
	case name == "utf-8" && (s.bom == 0 || strings.Contains(cookie, "8") && !strings.EqualFold(cookie, "utf8")):
		s.checkUTF8()
	case s.bom > 0:
		s.fault(at, "encoding problem: "+cookie+" with BOM")
		s.checkUTF8()
	default:
		s.encoding = cookie
		s.decodeTable(name, cookie, at)
	}
	if nul := bytes.IndexByte(s.text, 0); nul >= 0 {
		s.refuse(Span{int32(nul), int32(nul + 1)}, "source code cannot contain null bytes")
	}
	return s
}

func (s *source) fault(at Span, message string) {
	s.faults = append(s.faults, fault{Span: at, message: message, kind: faultToken})
}

func (s *source) refuse(at Span, message string) {
	s.faults = []fault{{Span: at, message: message, kind: faultToken}}
	s.unreadable = true
}

// checkUTF8 replaces each invalid byte by a question mark, which keeps offsets.
func (s *source) checkUTF8() {
	if utf8.Valid(s.text) {
		return
	}
	s.text = bytes.Clone(s.text)
	for i := 0; i < len(s.text); {
		r, size := utf8.DecodeRune(s.text[i:])
		if r == utf8.RuneError && size == 1 {
			if len(s.faults) == 0 {
				s.fault(Span{int32(i), int32(i + 1)}, fmt.Sprintf("'utf-8' codec can't decode byte 0x%02x in position %d",
					s.text[i], i))
			}
			s.text[i] = '?'
		}
		i += size
	}
}

// decodeTable decodes an encoding of one byte per character.
func (s *source) decodeTable(name, cookie string, at Span) {
	table := charmaps[name]
	if table == nil && name != "ascii" {
		s.fault(at, "unknown encoding: "+cookie)
	}
	if table == nil {
		table = charmap.ISO8859_1
	}
	text := make([]byte, 0, len(s.text)+len(s.text)/8)
	for i, b := range s.text {
		r := table.DecodeByte(b)
		if r == utf8.RuneError && b < 0xA0 && strings.HasPrefix(name, "iso-") {
			r = rune(b) // control characters, which these tables leave out
		}
		if (r == utf8.RuneError || name == "ascii" && b >= utf8.RuneSelf) && len(s.faults) == 0 {
			s.fault(Span{int32(len(text)), int32(len(text) + 1)},
				fmt.Sprintf("'%s' codec can't decode byte 0x%02x in position %d", cookie, b, i))
		}
		text = utf8.AppendRune(text, r)
	}
	s.text = text
}

// codingCookie finds the declaration of PEP 263 in the first two lines. Only
// a comment may stand before it.
func codingCookie(src []byte) (name string, at Span) {
	offset := 0
	for range 2 {
		line := src[offset:]
		if end := bytes.IndexAny(line, "\r\n"); end >= 0 {
			line = line[:end]
		}
		comment := bytes.TrimLeft(line, " \t\f")
		if len(comment) > 0 && comment[0] != '#' {
			break
		}
		if from, to := findCoding(comment); to > from {
			start := offset + len(line) - len(comment)
			return string(comment[from:to]), Span{int32(start + from), int32(start + to)}
		}
		offset += len(line)
		if offset < len(src) && src[offset] == '\r' {
			offset++
		}
		if offset < len(src) && src[offset] == '\n' {
			offset++
		}
	}
	return "utf-8", Span{}
}

// findCoding finds the name in coding[:=]\s*([-\w.]+).
func findCoding(comment []byte) (from, to int) {
	for at := 0; ; {
		i := bytes.Index(comment[at:], []byte("coding"))
		if i < 0 {
			return 0, 0
		}
		at += i + len("coding")
		if at >= len(comment) || comment[at] != ':' && comment[at] != '=' {
			continue
		}
		from = at + 1
		for from < len(comment) && (comment[from] == ' ' || comment[from] == '\t') {
			from++
		}
		to = from
		for to < len(comment) && (class[comment[to]] <= classDigit && comment[to] < utf8.RuneSelf || comment[to] == '-' ||
			comment[to] == '.') {
			to++
		}
		if to > from {
			return from, to
		}
	}
}

// normalEncoding brings the spellings of an encoding to one.
func normalEncoding(name string) string {
	n := strings.ReplaceAll(strings.ToLower(name), "_", "-")
	switch {
	case n == "utf-8", strings.HasPrefix(n, "utf-8-"), n == "utf8", n == "u8", n == "utf":
		return "utf-8"
	case n == "ascii", n == "us-ascii", n == "646":
		return "ascii"
	case n == "latin-1", strings.HasPrefix(n, "latin-1-"), n == "latin1", n == "l1", n == "iso-latin-1",
		n == "iso8859-1", n == "8859", strings.HasPrefix(n, "iso-8859-1-"):
		return "iso-8859-1"
	}
	n = strings.Replace(n, "windows-", "cp", 1)
	n = strings.Replace(n, "iso8859-", "iso-8859-", 1)
	return n
}

// charmaps are the encodings of one byte per character. Others need tables
// that are larger than this program; what they encode is read as Latin-1 and
// reported.
var charmaps = map[string]*charmap.Charmap{
	"iso-8859-1": charmap.ISO8859_1, "iso-8859-2": charmap.ISO8859_2, "iso-8859-3": charmap.ISO8859_3,
	"iso-8859-4": charmap.ISO8859_4, "iso-8859-5": charmap.ISO8859_5, "iso-8859-6": charmap.ISO8859_6,
	"iso-8859-7": charmap.ISO8859_7, "iso-8859-8": charmap.ISO8859_8, "iso-8859-9": charmap.ISO8859_9,
	"iso-8859-10": charmap.ISO8859_10, "iso-8859-13": charmap.ISO8859_13, "iso-8859-14": charmap.ISO8859_14,
	"iso-8859-15": charmap.ISO8859_15, "iso-8859-16": charmap.ISO8859_16,
	"cp1250": charmap.Windows1250, "cp1251": charmap.Windows1251, "cp1252": charmap.Windows1252,
	"cp1253": charmap.Windows1253, "cp1254": charmap.Windows1254, "cp1255": charmap.Windows1255,
	"cp1256": charmap.Windows1256, "cp1257": charmap.Windows1257, "cp1258": charmap.Windows1258,
	"cp437": charmap.CodePage437, "cp850": charmap.CodePage850, "cp852": charmap.CodePage852,
	"cp855": charmap.CodePage855, "cp858": charmap.CodePage858, "cp860": charmap.CodePage860,
	"cp862": charmap.CodePage862, "cp863": charmap.CodePage863, "cp865": charmap.CodePage865,
	"cp866": charmap.CodePage866, "koi8-r": charmap.KOI8R, "koi8-u": charmap.KOI8U,
	"mac-roman": charmap.Macintosh, "mac-cyrillic": charmap.MacintoshCyrillic,
}

// lineStarts returns the offset of each line's first byte. A line ends with
// \n, \r\n or \r. A newline at the very end starts no line of its own.
func lineStarts(text []byte, bom int) []int32 {
	return appendLineStarts(make([]int32, 0, 16+len(text)/32), text, bom)
}

func appendLineStarts(lines []int32, text []byte, bom int) []int32 {
	lines = append(lines, int32(bom))
	if bytes.IndexByte(text, '\r') < 0 {
		for at := bom; ; {
			i := bytes.IndexByte(text[at:], '\n')
			if i < 0 {
				return lines
			}
			at += i + 1
			lines = append(lines, int32(at))
		}
	}
	for at := bom; at < len(text); at++ {
		if text[at] == '\n' || text[at] == '\r' && (at+1 == len(text) || text[at+1] != '\n') {
			lines = append(lines, int32(at+1))
		}
	}
	return lines
}
