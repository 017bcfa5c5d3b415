package hdf5

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// File is what a file that this package wrote holds.
type File struct {
	Datasets   []Info
	Attributes map[string]any // string, int64 or float64

	r     io.ReaderAt
	size  int64
	last  collection // the heap collection read last
	force bool       // do not compare checksums, for tests of what lies behind them
}

// Info is one dataset.
type Info struct {
	Name       string
	Type       Type
	Dims       []int64
	Offset     int64 // of its first byte in the file
	Size       int64 // bytes
	Attributes map[string]any
}

// Dataset finds a dataset by its name.
func (f *File) Dataset(name string) (Info, bool) {
	for _, d := range f.Datasets {
		if d.Name == name {
			return d, true
		}
	}
	return Info{}, false
}

var errForeign = errors.New("it was not written by this package")

// Read reads the structure of a file of that size. It knows what Writer writes, and says so of
// other files.
func Read(r io.ReaderAt, size int64) (*File, error) { return read(r, size, false) }

func read(r io.ReaderAt, size int64, force bool) (*File, error) {
	f := &File{r: r, size: size, force: force}
	if err := f.readAll(); err != nil {
		return nil, fmt.Errorf("hdf5: %w", err)
	}
	return f, nil
}

func (f *File) readAll() error {
	head, err := f.bytes(0, superblockSize)
	if err != nil {
		return fmt.Errorf("no superblock: %w", err)
	}
	if !bytes.HasPrefix(head, signature) {
		return errors.New("it is not an HDF5 file, or it is unfinished")
	}
	end, root := binary.LittleEndian.Uint64(head[28:]), binary.LittleEndian.Uint64(head[36:])
	if want := superblock(root, end); !bytes.Equal(head[:44], want[:44]) {
		return fmt.Errorf("its superblock is not of version 3 with 8-byte addresses: %w", errForeign)
	} else if !f.force && !bytes.Equal(head, want) {
		return errors.New("its superblock is damaged")
	}
	if end > uint64(f.size) {
		return fmt.Errorf("it is truncated: %d of %d bytes", f.size, end)
	}
	f.Attributes = map[string]any{}
	return f.eachMessage(root, func(kind byte, data cursor) error {
		switch kind {
		case messageLinkInfo, messageGroupInfo, messageAttrInfo:
			return nil
		case messageAttribute:
			return f.attribute(f.Attributes, data)
		case messageLink:
			return f.dataset(data)
		}
		return fmt.Errorf("the root group has a message of type %#x: %w", kind, errForeign)
	})
}

// bytes reads n bytes; all of them must be in the file.
func (f *File) bytes(at uint64, n int64) ([]byte, error) {
	if n < 0 || n > f.size || at > uint64(f.size-n) {
		return nil, fmt.Errorf("%d bytes at %d are outside the file of %d bytes", n, at, f.size)
	}
	p := make([]byte, n)
	if _, err := f.r.ReadAt(p, int64(at)); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return p, nil
}

// cursor reads a message from front to back; what is missing becomes zero and bad.
type cursor struct {
	data []byte
	bad  *bool
}

func newCursor(data []byte) cursor { return cursor{data, new(bool)} }

func (c *cursor) take(n int) []byte {
	if n < 0 || n > len(c.data) {
		*c.bad = true
		return make([]byte, max(0, min(n, 8)))
	}
	p := c.data[:n]
	c.data = c.data[n:]
	return p
}

func (c *cursor) u8() byte    { return c.take(1)[0] }
func (c *cursor) u16() int    { return int(binary.LittleEndian.Uint16(c.take(2))) }
func (c *cursor) u32() uint32 { return binary.LittleEndian.Uint32(c.take(4)) }
func (c *cursor) u64() uint64 { return binary.LittleEndian.Uint64(c.take(8)) }

// eachMessage walks through the object header at an address.
func (f *File) eachMessage(address uint64, do func(kind byte, data cursor) error) error {
	const headSize, sumSize = 10, 4
	head, err := f.bytes(address, headSize)
	if err != nil {
		return err
	}
	if string(head[:6]) != "OHDR\x02\x02" {
		return fmt.Errorf("no object header of version 2 at %d: %w", address, errForeign)
	}
	size := int64(binary.LittleEndian.Uint32(head[6:]))
	all, err := f.bytes(address, headSize+size+sumSize)
	if err != nil {
		return err
	}
	body := all[:headSize+size]
	if !f.force && binary.LittleEndian.Uint32(all[len(body):]) != checksum(body) {
		return fmt.Errorf("the object header at %d is damaged", address)
	}
	for c := newCursor(body[headSize:]); len(c.data) > 0; {
		kind := c.u8()
		n := c.u16()
		c.u8() // flags
		data := newCursor(c.take(n))
		if *c.bad {
			return fmt.Errorf("the object header at %d ends inside a message", address)
		}
		if err := do(kind, data); err != nil {
			return err
		}
	}
	return nil
}

// dataset reads a link and the dataset it leads to.
func (f *File) dataset(c cursor) error {
	c.take(3) // version, flags, character set
	name := string(c.take(c.u16()))
	address := c.u64()
	if *c.bad || name == "" {
		return errors.New("a link is damaged")
	}
	d := Info{Name: name, Attributes: map[string]any{}}
	var placed uint64
	err := f.eachMessage(address, func(kind byte, c cursor) (err error) {
		switch kind {
		case messageFill, messageAttrInfo:
		case messageDataspace:
			d.Dims, err = dims(&c)
		case messageDatatype:
			d.Type, err = typeOf(c.data)
		case messageLayout:
			if c.u8() != 3 || c.u8() != 1 {
				return fmt.Errorf("it is not contiguous: %w", errForeign)
			}
			placed = c.u64()
			size := c.u64()
			if *c.bad || size > uint64(f.size) {
				return errors.New("its layout is damaged")
			}
			d.Size = int64(size)
		case messageAttribute:
			err = f.attribute(d.Attributes, c)
		default:
			err = fmt.Errorf("it has a message of type %#x: %w", kind, errForeign)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("dataset %q: %w", name, err)
	}
	if err := f.place(&d, placed); err != nil {
		return err
	}
	f.Datasets = append(f.Datasets, d)
	return nil
}

// place checks that a dataset has the size of its shape, and is in the file.
func (f *File) place(d *Info, placed uint64) error {
	shape := Dataset{kind: d.Type, dims: d.Dims}
	switch size, ok := shape.bytes(); {
	case d.Type == 0 || len(d.Dims) == 0 || !ok || size != d.Size:
		return fmt.Errorf("dataset %q of %s %v has %d bytes", d.Name, d.Type, d.Dims, d.Size)
	case size > 0 && (placed > uint64(f.size) || uint64(size) > uint64(f.size)-placed):
		return fmt.Errorf("dataset %q is outside the file", d.Name)
	case size > 0:
		d.Offset = int64(placed)
	}
	return nil
}

// dims reads a dataspace.
func dims(c *cursor) ([]int64, error) {
	version, rank, flags := c.u8(), int(c.u8()), c.u8()
	c.u8() // scalar or simple: the rank says it too
	list := make([]int64, rank)
	for i := range list {
		n := c.u64()
		if n > math.MaxInt64 {
			*c.bad = true
			break
		}
		list[i] = int64(n)
	}
	if *c.bad || version != 2 || flags != 0 {
		return nil, fmt.Errorf("its shape has an unsupported version, or is damaged: %w", errForeign)
	}
	return list, nil
}

func (f *File) attribute(into map[string]any, c cursor) error {
	version, flags := c.u8(), c.u8()
	nameSize, typeSize, spaceSize := c.u16(), c.u16(), c.u16()
	c.u8() // character set
	name := string(bytes.TrimRight(c.take(nameSize), "\x00"))
	kind, typeErr := typeOf(c.take(typeSize))
	space := newCursor(c.take(spaceSize))
	shape, spaceErr := dims(&space)
	if *c.bad || version != 3 || flags != 0 || typeErr != nil || spaceErr != nil || len(shape) > 0 {
		return fmt.Errorf("attribute %q: %w", name, errForeign)
	}
	switch kind {
	case String:
		s, err := f.text(c.take(referenceSize))
		if err != nil {
			return fmt.Errorf("attribute %q: %w", name, err)
		}
		into[name] = s
	case Int64:
		into[name] = int64(c.u64())
	case Float64:
		into[name] = math.Float64frombits(c.u64())
	default:
		return fmt.Errorf("attribute %q is a %s: %w", name, kind, errForeign)
	}
	if *c.bad {
		return fmt.Errorf("attribute %q is truncated", name)
	}
	return nil
}
