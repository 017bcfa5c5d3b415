// Package wire reads the encoded form of protobuf messages field by field, so that a file is read without holding all
// of it.
package wire

import "encoding/binary"

// Message is the encoded form of a protobuf message: a run of numbered fields.
type Message []byte

// Field is one field of a message: a number, or bytes.
type Field struct {
	Number int
	Value  uint64 // of a number
	Bytes  []byte // of anything else
	Wire   uint8
}

// The ways a field can be encoded.
const (
	Varint     = 0
	EightBytes = 1
	Delimited  = 2
	FourBytes  = 5
)

// Next takes the first field off the message. It returns false at the end, and where the
// rest cannot be understood; then the message is not empty.
func (m *Message) Next() (f Field, ok bool) {
	b := *m
	tag, n := binary.Uvarint(b)
	if n <= 0 || tag>>3 == 0 || tag>>3 > 1<<29 {
		return Field{}, false
	}
	b = b[n:]
	f = Field{Number: int(tag >> 3), Wire: uint8(tag & 7)}
	switch f.Wire {
	case Varint:
		f.Value, n = binary.Uvarint(b)
		if n <= 0 {
			return Field{}, false
		}
		b = b[n:]
	case EightBytes:
		if len(b) < 8 {
			return Field{}, false
		}
		f.Value, b = binary.LittleEndian.Uint64(b), b[8:]
	case FourBytes:
		if len(b) < 4 {
			return Field{}, false
		}
		f.Value, b = uint64(binary.LittleEndian.Uint32(b)), b[4:]
	case Delimited:
		size, n := binary.Uvarint(b)
		if n <= 0 || size > uint64(len(b)-n) {
			return Field{}, false
		}
		f.Bytes, b = b[n:n+int(size)], b[n+int(size):]
	default:
		return Field{}, false
	}
	*m = b
	return f, true
}
