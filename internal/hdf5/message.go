package hdf5

import "encoding/binary"

// Messages are the parts of an object header.
const (
	messageDataspace = 0x01
	messageLinkInfo  = 0x02
	messageDatatype  = 0x03
	messageFill      = 0x05
	messageLink      = 0x06
	messageLayout    = 0x08
	messageGroupInfo = 0x0a
	messageAttribute = 0x0c
	messageAttrInfo  = 0x15
)

// undefined is the address of what does not exist.
const undefined = ^uint64(0)

// header collects the messages of an object.
type header struct{ messages []byte }

func (h *header) add(kind byte, data []byte) {
	h.messages = append(h.messages, kind)
	h.messages = binary.LittleEndian.AppendUint16(h.messages, uint16(len(data)))
	h.messages = append(h.messages, 0) // flags
	h.messages = append(h.messages, data...)
}

// encode gives the whole object header, version 2, in one chunk.
func (h *header) encode() []byte {
	const fourByteSize = 2
	out := append([]byte("OHDR"), 2, fourByteSize)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(h.messages)))
	out = append(out, h.messages...)
	return binary.LittleEndian.AppendUint32(out, checksum(out))
}

// dataspace gives the shape's message; no dimensions are a single value.
func dataspace(dims []int64) []byte {
	const scalar, simple = 0, 1
	m := []byte{2, byte(len(dims)), 0, scalar}
	if len(dims) > 0 {
		m[3] = simple
	}
	for _, d := range dims {
		m = binary.LittleEndian.AppendUint64(m, uint64(d))
	}
	return m
}

// fillValue says that space is allocated late and unwritten elements are zero, the usual default.
func fillValue() []byte {
	const late, ifSet = 2, 2 << 2
	return []byte{3, late | ifSet}
}

// contiguous gives the layout's message.
func contiguous(address, size uint64) []byte {
	m := binary.LittleEndian.AppendUint64([]byte{3, 1}, address)
	return binary.LittleEndian.AppendUint64(m, size)
}

// link gives the message of a name in the root group.
func link(name string, address uint64) []byte {
	const twoByteLength, hasCharacterSet, utf8 = 1, 1 << 4, 1
	m := []byte{1, twoByteLength | hasCharacterSet, utf8}
	m = binary.LittleEndian.AppendUint16(m, uint16(len(name)))
	m = append(m, name...)
	return binary.LittleEndian.AppendUint64(m, address)
}

// inHeader says that links, or attributes, are in the header itself and nowhere else. Libraries
// take an object without it for one that has none.
func inHeader() []byte {
	m := binary.LittleEndian.AppendUint64([]byte{0, 0}, undefined)
	return binary.LittleEndian.AppendUint64(m, undefined)
}

// attribute gives the message of a named value.
func attribute(name string, t Type, dims []int64, value []byte) []byte {
	const utf8 = 1
	kind, shape := t.encode(), dataspace(dims)
	m := []byte{3, 0}
	for _, n := range []int{len(name) + 1, len(kind), len(shape)} {
		m = binary.LittleEndian.AppendUint16(m, uint16(n))
	}
	m = append(m, utf8)
	m = append(append(m, name...), 0)
	return append(append(append(m, kind...), shape...), value...)
}

const superblockSize = 48

var signature = []byte("\x89HDF\r\n\x1a\n")

func superblock(root, end uint64) []byte {
	const version, offsetSize, lengthSize, flags = 3, 8, 8, 0
	m := append(append([]byte{}, signature...), version, offsetSize, lengthSize, flags)
	for _, v := range []uint64{0, undefined, end, root} { // base, extension, end of file, root group
		m = binary.LittleEndian.AppendUint64(m, v)
	}
	return binary.LittleEndian.AppendUint32(m, checksum(m))
}
