package xplane

import "encoding/binary"

// message is the encoded form of a protobuf message: a run of numbered fields.
type message []byte

// field is one field of a message: a number, or bytes.
type field struct {
	number int
	value  uint64 // of a number
	bytes  []byte // of anything else
	wire   uint8
}

// The ways a field can be encoded.
const (
	varint     = 0
	eightBytes = 1
	delimited  = 2
	fourBytes  = 5
)

// next takes the first field off the message. It returns false at the end, and where the
// rest cannot be understood; then the message is not empty.
func (m *message) next() (f field, ok bool) {
	b := *m
	tag, n := binary.Uvarint(b)
	if n <= 0 || tag>>3 == 0 || tag>>3 > 1<<29 {
		return field{}, false
	}
	b = b[n:]
	f = field{number: int(tag >> 3), wire: uint8(tag & 7)}
	switch f.wire {
	case varint:
		f.value, n = binary.Uvarint(b)
		if n <= 0 {
			return field{}, false
		}
		b = b[n:]
	case eightBytes:
		if len(b) < 8 {
			return field{}, false
		}
		f.value, b = binary.LittleEndian.Uint64(b), b[8:]
	case fourBytes:
		if len(b) < 4 {
			return field{}, false
		}
		f.value, b = uint64(binary.LittleEndian.Uint32(b)), b[4:]
	case delimited:
		size, n := binary.Uvarint(b)
		if n <= 0 || size > uint64(len(b)-n) {
			return field{}, false
		}
		f.bytes, b = b[n:n+int(size)], b[n+int(size):]
	default:
		return field{}, false
	}
	*m = b
	return f, true
}
