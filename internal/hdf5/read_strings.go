package hdf5

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// collection is one of the global heap.
type collection struct {
	address uint64
	objects map[uint32]string
}

// Strings gives the strings of a column, in order, to do.
func (f *File) Strings(d Info, do func(i int64, s string) error) error {
	if d.Type != String || len(d.Dims) != 1 {
		return fmt.Errorf("hdf5: dataset %q is not a column of strings", d.Name)
	}
	const some = 1024 // references read at a time
	for from := int64(0); from < d.Dims[0]; from += some {
		n := min(some, d.Dims[0]-from)
		references, err := f.bytes(uint64(d.Offset+from*referenceSize), n*referenceSize)
		if err != nil {
			return fmt.Errorf("hdf5: dataset %q: %w", d.Name, err)
		}
		for i := range n {
			s, err := f.text(references[i*referenceSize:][:referenceSize])
			if err != nil {
				return fmt.Errorf("hdf5: string %d of %q: %w", from+i, d.Name, err)
			}
			if err := do(from+i, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// text follows a reference.
func (f *File) text(reference []byte) (string, error) {
	c := newCursor(reference)
	length, address, index := c.u32(), c.u64(), c.u32()
	if *c.bad {
		return "", errors.New("a reference is truncated")
	}
	if length == 0 {
		return "", nil
	}
	if f.last.address != address || f.last.objects == nil {
		last, err := f.collection(address)
		if err != nil {
			return "", err
		}
		f.last = last
	}
	s, ok := f.last.objects[index]
	if !ok || uint64(len(s)) != uint64(length) {
		return "", fmt.Errorf("the heap at %d has no string %d of %d bytes", address, index, length)
	}
	return s, nil
}

func (f *File) collection(address uint64) (collection, error) {
	head, err := f.bytes(address, collectionHead)
	if err != nil {
		return collection{}, err
	}
	size := binary.LittleEndian.Uint64(head[8:])
	if string(head[:4]) != "GCOL" || size < collectionHead || size > uint64(f.size) {
		return collection{}, fmt.Errorf("no heap at %d", address)
	}
	data, err := f.bytes(address, int64(size))
	if err != nil {
		return collection{}, err
	}
	out := collection{address: address, objects: map[uint32]string{}}
	for c := newCursor(data[collectionHead:]); len(c.data) >= objectHead; {
		index := c.u16()
		c.take(6) // count of references, reserved
		n := c.u64()
		if index == 0 { // free from here on
			break
		}
		if n > uint64(len(c.data)) {
			return collection{}, fmt.Errorf("the heap at %d is damaged", address)
		}
		s := c.take(int(n))
		c.take(min(len(c.data), int(8-n%8)%8))
		out.objects[uint32(index)] = string(s)
	}
	return out, nil
}
