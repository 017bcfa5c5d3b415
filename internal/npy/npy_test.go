package npy

import (
	"bytes"
	"fmt"
	"testing"
)

func TestHeader(t *testing.T) {
	for _, shape := range [][]int64{{}, {0}, {7}, {2, 80, 3000}, {1 << 60, 1, 1}} {
		for _, size := range []int{128, 4096} {
			h, err := Header("<f2", shape, size)
			if err != nil || len(h) != size || h[size-1] != '\n' {
				t.Fatalf("%v: %d bytes, %v", shape, len(h), err)
			}
			info, err := Read(append(h, 1, 2, 3))
			if err != nil || info.Type != "<f2" || fmt.Sprint(info.Shape) != fmt.Sprint(shape) || info.Start != int64(size) || info.Size() != 2 {
				t.Errorf("%v: %+v, %v", shape, info, err)
			}
		}
	}
	if _, err := Header("<f2", []int64{1}, 64); err == nil {
		t.Error("a header that does not fit is made")
	}
	if _, err := Header("<f2", []int64{1}, 100); err == nil {
		t.Error("a header of 100 bytes is made")
	}
	for _, bad := range [][]byte{nil, []byte("\x93NUMPY\x02\x00"), []byte(magic + "\xff\xff{}"), []byte(magic + "\x02\x00{}")} {
		if _, err := Read(bad); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

func TestWhole(t *testing.T) {
	for _, tt := range []struct {
		info Info
		size int64
		ok   bool
	}{
		{Info{"<f2", []int64{2, 3}, 128}, 140, true},
		{Info{"<f2", []int64{2, 3}, 128}, 139, false},
		{Info{"<f2", []int64{2, 3}, 128}, 141, false},
		{Info{"<i8", []int64{0}, 128}, 128, true},
		{Info{"<i8", []int64{1 << 40, 1 << 40}, 128}, 128, false},
		{Info{"<U5", []int64{1 << 62}, 128}, 128, false},
		{Info{"|S9", []int64{1}, 128}, 137, false},
	} {
		if err := tt.info.Whole(tt.size); (err == nil) != tt.ok {
			t.Errorf("%+v, %d bytes: %v", tt.info, tt.size, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	h, _ := Header("<i8", []int64{3, 4}, 128)
	f.Add(h)
	f.Fuzz(func(t *testing.T, data []byte) {
		info, err := Read(data)
		if err != nil {
			return
		}
		if info.Start > int64(len(data)) || info.Size() < 0 {
			t.Fatalf("%+v of %d bytes", info, len(data))
		}
		if size := int(info.Start); size%64 == 0 && len(info.Type) < 10 && !bytes.ContainsAny([]byte(info.Type), "'\\") {
			if again, err := Header(info.Type, info.Shape, size); err == nil {
				if second, err := Read(again); err != nil || fmt.Sprint(second) != fmt.Sprint(info) {
					t.Fatalf("%+v became %+v, %v", info, second, err)
				}
			}
		}
	})
}
