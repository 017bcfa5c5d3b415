package chrome

import (
	"bytes"
	"errors"
	"io"
)

// input is the part of the file that the document reader looks at: a buffer that ends
// with a zero byte, as the scanning functions need it, and what comes after.
type input struct {
	r      io.Reader
	buf    []byte
	pos    int
	offset int64 // of buf in the file
	err    error // why reading ended
}

func newInput(r io.Reader) *input { return &input{r: r, buf: make([]byte, 1, 4096)} }

// at is the position in the file.
func (in *input) at() int64 { return in.offset + int64(in.pos) }

// failed is why the file ended, unless it simply did.
func (in *input) failed() error {
	if errors.Is(in.err, io.EOF) {
		return nil
	}
	return in.err
}

// more reads more of the file behind what is left of the buffer. It reports whether
// there was any.
func (in *input) more() bool {
	if in.err != nil {
		return false
	}
	left := len(in.buf) - 1 - in.pos
	size := max(4096, 2*left)
	buf := in.buf
	if cap(buf) < left+size {
		buf = make([]byte, left+size)
	}
	buf = buf[:cap(buf)]
	copy(buf, in.buf[in.pos:in.pos+left])
	in.offset += int64(in.pos)
	in.pos = 0
	n := 0
	for n == 0 && in.err == nil {
		n, in.err = in.r.Read(buf[left : len(buf)-1])
	}
	in.buf = buf[:left+n+1]
	in.buf[left+n] = 0
	return n > 0
}

func (in *input) skipMark() {
	for len(in.buf) < 4 && in.more() {
	}
	if bytes.HasPrefix(in.buf, []byte(byteOrderMark)) {
		in.pos = len(byteOrderMark)
	}
}

// token skips white space and commas and returns the byte there, 0 at the end.
func (in *input) token() byte {
	for {
		for c := in.buf[in.pos]; c <= ' ' || c == ','; c = in.buf[in.pos] {
			if in.pos == len(in.buf)-1 {
				break
			}
			in.pos++
		}
		if in.pos < len(in.buf)-1 {
			return in.buf[in.pos]
		}
		if !in.more() {
			return 0
		}
	}
}

// key reads a name and its colon. It reports a reason as the scanning functions do.
func (in *input) key() (key string, problem int) {
	if in.token() != '"' {
		return "", malformed
	}
	for {
		key, _, value, _ := member(in.buf, in.pos)
		if value == malformed {
			return "", malformed
		}
		if value >= 0 && value < len(in.buf)-1 { // the value's first byte is needed too
			in.pos = value
			return string(key), 0
		}
		if len(in.buf) > 1<<20 || !in.more() {
			return "", cut
		}
	}
}

// value reads a whole value of at most limit bytes.
func (in *input) value(limit int64) ([]byte, bool) {
	for {
		next := skip(in.buf, in.pos)
		switch {
		case next >= 0:
			value := append(bytes.Clone(in.buf[in.pos:next]), ',', 0) // it must be seen to end
			in.pos = next
			return value, true
		case next == malformed:
			in.pos++
			return []byte{',', 0}, true
		case int64(len(in.buf)) > limit || !in.more():
			return nil, false
		}
	}
}

// skipNested skips an object or array of any size without keeping it.
func (in *input) skipNested() bool {
	depth, inString, escaped := 0, false, false
	for {
		for ; in.pos < len(in.buf)-1; in.pos++ {
			switch c := in.buf[in.pos]; {
			case escaped:
				escaped = false
			case inString:
				escaped = c == '\\'
				inString = c != '"'
			case c == '"':
				inString = true
			case c == '{' || c == '[':
				depth++
			case c == '}' || c == ']':
				if depth--; depth == 0 {
					in.pos++
					return true
				}
			}
		}
		if !in.more() {
			return false
		}
	}
}

// discard reads the rest of the file for nothing.
func (in *input) discard() {
	for in.pos = len(in.buf) - 1; in.more(); in.pos = len(in.buf) - 1 {
	}
}
