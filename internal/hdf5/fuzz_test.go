package hdf5

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// packed is a file without the room that Writer leaves: a column of two strings, one of numbers
// and three attributes in a few hundred bytes, so that a fuzzer meets metadata wherever it looks.
func packed(f *testing.F) []byte {
	file := make([]byte, superblockSize)
	var heapBytes []byte
	h := heap{address: superblockSize, write: func(p []byte, _ uint64) error {
		used := collectionHead + len(bytes.TrimRight(p[collectionHead:], "\x00"))
		heapBytes = p[:(used+7)/8*8]
		binary.LittleEndian.PutUint64(heapBytes[8:], uint64(len(heapBytes)))
		return nil
	}}
	var references []byte
	for _, s := range []string{"a.wav", "", "another.wav"} {
		r, err := h.add(s)
		if err != nil {
			f.Fatal(err)
		}
		references = append(references, r[:]...)
	}
	root := &header{}
	root.add(messageLinkInfo, inHeader())
	root.add(messageGroupInfo, []byte{0, 0})
	if err := root.addAttributes([]attributeValue{
		{name: "scaling", kind: String, text: "whisper"},
		{name: "n_fft", kind: Int64, value: make([]byte, 8)},
		{name: "fmax", kind: Float64, value: make([]byte, 8)},
	}, &h); err != nil {
		f.Fatal(err)
	}
	if err := h.flush(); err != nil {
		f.Fatal(err)
	}
	file = append(file, heapBytes...)
	for _, d := range []struct {
		name string
		kind Type
		data []byte
		dims []int64
	}{{"path", String, references, []int64{3}}, {"mel", Float16, make([]byte, 12), []int64{2, 3}}} {
		at := uint64(len(file))
		file = append(file, d.data...)
		o := &header{}
		o.add(messageDataspace, dataspace(d.dims))
		o.add(messageDatatype, d.kind.encode())
		o.add(messageFill, fillValue())
		o.add(messageLayout, contiguous(at, uint64(len(d.data))))
		root.add(messageLink, link(d.name, uint64(len(file))))
		file = append(file, o.encode()...)
	}
	address := uint64(len(file))
	file = append(file, root.encode()...)
	copy(file, superblock(address, uint64(len(file))))
	return file
}

// FuzzRead reads anything, with and without a look at checksums, which a fuzzer would not get past.
func FuzzRead(f *testing.F) {
	seed := packed(f)
	if file, err := Read(bytes.NewReader(seed), int64(len(seed))); err != nil || len(file.Datasets) != 2 || len(file.Attributes) != 3 {
		f.Fatalf("the seed does not read: %v", err)
	}
	f.Add(seed)
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, force := range []bool{false, true} {
			file, err := read(bytes.NewReader(data), int64(len(data)), force)
			if err != nil {
				continue
			}
			for _, d := range file.Datasets {
				if d.Offset < 0 || d.Size < 0 || d.Offset+d.Size > int64(len(data)) {
					t.Fatalf("data set %+v in a file of %d bytes", d, len(data))
				}
				if d.Type != String {
					continue
				}
				for i := int64(0); i < 2; i++ { // the second time from what was kept
					_ = file.Strings(d, func(int64, string) error { return nil })
				}
			}
		}
	})
}
