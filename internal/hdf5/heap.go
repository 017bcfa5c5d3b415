package hdf5

import "encoding/binary"

// A string lies in a collection of the global heap; its dataset holds a reference: length,
// address of the collection, index in it.
const referenceSize = 16

const (
	collectionHead = 16   // signature, version, size
	objectHead     = 16   // index, count, size
	leastHeap      = 4096 // the smallest collection that libraries accept
	usualHeap      = 1 << 16
	mostObjects    = 1<<16 - 1
)

// heap fills collections one after the other, from address on.
type heap struct {
	address uint64 // of the collection being filled
	objects []byte
	count   int
	write   func(p []byte, at uint64) error
}

// add puts a string into the heap and gives its reference. The empty string goes there too: a
// reference to nothing would be no string at all for some readers.
func (h *heap) add(s string) (reference [referenceSize]byte, err error) {
	need := objectHead + (len(s)+7)/8*8
	if h.count == mostObjects || h.count > 0 && collectionHead+len(h.objects)+need > usualHeap {
		if err := h.flush(); err != nil {
			return reference, err
		}
	}
	h.count++
	h.objects = binary.LittleEndian.AppendUint16(h.objects, uint16(h.count))
	h.objects = append(h.objects, make([]byte, 6)...) // a count that libraries leave at zero, and nothing
	h.objects = binary.LittleEndian.AppendUint64(h.objects, uint64(len(s)))
	h.objects = append(h.objects, s...)
	h.objects = append(h.objects, make([]byte, (8-len(s)%8)%8)...)
	binary.LittleEndian.PutUint32(reference[0:], uint32(len(s)))
	binary.LittleEndian.PutUint64(reference[4:], h.address)
	binary.LittleEndian.PutUint32(reference[12:], uint32(h.count))
	return reference, nil
}

// flush writes the collection and starts the next one behind it.
func (h *heap) flush() error {
	if h.count == 0 {
		return nil
	}
	size := max(leastHeap, collectionHead+len(h.objects))
	out := append(make([]byte, 0, size), "GCOL\x01\x00\x00\x00"...)
	out = binary.LittleEndian.AppendUint64(out, uint64(size))
	out = append(out, h.objects...)
	if free := size - len(out); free >= objectHead { // object 0 is what is left
		out = append(out, make([]byte, 8)...)
		out = binary.LittleEndian.AppendUint64(out, uint64(free))
	}
	out = append(out, make([]byte, size-len(out))...)
	if err := h.write(out, h.address); err != nil {
		return err
	}
	h.address += uint64(size)
	h.objects, h.count = h.objects[:0], 0
	return nil
}
