package hdf5

import (
	"encoding/binary"
	"fmt"
)

// Type is what a dataset or an attribute holds; all numbers are little-endian.
type Type uint8

const (
	Int8 Type = iota + 1
	Int16
	Int32
	Int64
	Uint8
	Uint16
	Uint32
	Uint64
	Float16
	Float32
	Float64
	String // UTF-8 of any length, without zero bytes
)

// kind is how a type is encoded.
type kind struct {
	name     string
	size     int
	class    uint8
	signed   bool
	exponent int // bits; floats
}

const (
	classFixed  = 0
	classFloat  = 1
	classString = 9 // a sequence of variable length, here always of characters
)

var kinds = map[Type]kind{
	Int8:    {"int8", 1, classFixed, true, 0},
	Int16:   {"int16", 2, classFixed, true, 0},
	Int32:   {"int32", 4, classFixed, true, 0},
	Int64:   {"int64", 8, classFixed, true, 0},
	Uint8:   {"uint8", 1, classFixed, false, 0},
	Uint16:  {"uint16", 2, classFixed, false, 0},
	Uint32:  {"uint32", 4, classFixed, false, 0},
	Uint64:  {"uint64", 8, classFixed, false, 0},
	Float16: {"float16", 2, classFloat, true, 5},
	Float32: {"float32", 4, classFloat, true, 8},
	Float64: {"float64", 8, classFloat, true, 11},
	String:  {"string", referenceSize, classString, false, 0},
}

// Size is the bytes of an element in its dataset; of a string, those of its reference.
func (t Type) Size() int { return kinds[t].size }

func (t Type) String() string {
	if k, ok := kinds[t]; ok {
		return k.name
	}
	return fmt.Sprintf("type %d", uint8(t))
}

// encode gives the datatype message.
func (t Type) encode() []byte {
	k := kinds[t]
	bits := uint16(8 * k.size)
	head := func(class, bits0, bits1 byte, size int) []byte {
		return binary.LittleEndian.AppendUint32([]byte{1<<4 | class, bits0, bits1, 0}, uint32(size))
	}
	switch k.class {
	case classFloat:
		const impliedOne = 2 << 4 // the mantissa's first bit is not stored
		m := head(classFloat, impliedOne, byte(bits-1), k.size)
		m = binary.LittleEndian.AppendUint16(m, 0)
		m = binary.LittleEndian.AppendUint16(m, bits)
		mantissa := int(bits) - 1 - k.exponent
		m = append(m, byte(mantissa), byte(k.exponent), 0, byte(mantissa))
		return binary.LittleEndian.AppendUint32(m, 1<<(k.exponent-1)-1)
	case classString:
		const characters, utf8 = 1, 1
		return append(head(classString, characters, utf8, k.size), Uint8.encode()...)
	}
	var sign byte
	if k.signed {
		sign = 1 << 3
	}
	m := head(classFixed, sign, 0, k.size)
	m = binary.LittleEndian.AppendUint16(m, 0)
	return binary.LittleEndian.AppendUint16(m, bits)
}

// typeOf finds the type of a datatype message.
func typeOf(message []byte) (Type, error) {
	for t := Int8; t <= String; t++ {
		if e := t.encode(); len(message) >= len(e) && string(message[:len(e)]) == string(e) {
			return t, nil
		}
	}
	return 0, fmt.Errorf("unsupported type")
}
