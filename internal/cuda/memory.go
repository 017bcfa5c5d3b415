package cuda

import (
	"fmt"
	"unsafe"
)

// DeviceMemory is memory on the GPU.
type DeviceMemory struct {
	driver  *Driver
	Address uintptr
	Size    int
}

// AllocDevice takes memory on the GPU.
func (c *Context) AllocDevice(size int) (DeviceMemory, error) {
	if size <= 0 {
		return DeviceMemory{}, fmt.Errorf("cannot allocate %d bytes on the GPU", size)
	}
	var address uintptr
	if err := c.driver.call(cuMemAlloc, uintptr(unsafe.Pointer(&address)), uintptr(size)); err != nil {
		return DeviceMemory{}, fmt.Errorf("allocating %d bytes on GPU %d: %w", size, c.device.Index, err)
	}
	return DeviceMemory{driver: c.driver, Address: address, Size: size}, nil
}

// Free gives the memory back. The zero value needs no freeing.
func (m DeviceMemory) Free() error {
	if m.driver == nil {
		return nil
	}
	return m.driver.call(cuMemFree, m.Address)
}

// Slice is a part of the memory. It cannot be freed alone.
func (m DeviceMemory) Slice(from, size int) (DeviceMemory, error) {
	if from < 0 || size < 0 || from > m.Size-size {
		return DeviceMemory{}, fmt.Errorf("bytes %d to %d are outside the GPU buffer of %d bytes", from, from+size, m.Size)
	}
	return DeviceMemory{driver: m.driver, Address: m.Address + uintptr(from), Size: size}, nil
}

// Pinned is host memory that stays where it is, so that the GPU copies it without the CPU.
type Pinned struct {
	driver *Driver
	Bytes  []byte
	pages  []byte // of our own that the driver pinned, nil where it gave the memory
}

// AllocPinned takes page-locked host memory, not from Go's heap. Large pieces are huge pages that the driver only has
// to pin: getting them itself takes the driver three times as long.
func (c *Context) AllocPinned(size int) (Pinned, error) {
	if size <= 0 {
		return Pinned{}, fmt.Errorf("cannot allocate %d bytes of pinned memory", size)
	}
	if pages := hugePages(size); pages != nil {
		_, err := c.Register(pages)
		if err == nil {
			return Pinned{driver: c.driver, Bytes: pages[:size:size], pages: pages}, nil
		}
		freePages(pages)
		if !HasCode(err, NotSupported) {
			return Pinned{}, err
		}
	}
	const portable = 1 // CU_MEMHOSTALLOC_PORTABLE: pinned for every context
	var p unsafe.Pointer
	if err := c.driver.call(cuMemHostAlloc, uintptr(unsafe.Pointer(&p)), uintptr(size), portable); err != nil {
		return Pinned{}, fmt.Errorf("pinning %d bytes of host memory: %w", size, err)
	}
	return Pinned{driver: c.driver, Bytes: unsafe.Slice((*byte)(p), size)}, nil
}

// Free gives the memory back; no slice of Bytes may be used afterwards. The zero value needs no freeing.
func (p Pinned) Free() error {
	switch {
	case p.driver == nil:
		return nil
	case p.pages != nil:
		if err := (Registered{p.driver, p.pages}).Unregister(); err != nil {
			return err // and the GPU may still reach it
		}
		freePages(p.pages)
		return nil
	}
	return p.driver.call(cuMemFreeHost, uintptr(unsafe.Pointer(unsafe.SliceData(p.Bytes))))
}

// Registered is memory of the caller's, a mapped file for one, that is pinned where it is.
type Registered struct {
	driver *Driver
	Bytes  []byte
}

// Register pins memory that Go's collector does not own: a mapping. It reads in every page, and
// takes a fifth of a second for a GiB, so it is for memory that is used again and again. Linux refuses
// it for a file on a disk, whose pages it may not let be written behind its back; a file in /dev/shm goes.
func (c *Context) Register(memory []byte) (Registered, error) {
	if len(memory) == 0 {
		return Registered{}, fmt.Errorf("cannot pin 0 bytes")
	}
	const portable = 1 // CU_MEMHOSTREGISTER_PORTABLE: pinned for every context
	if err := c.driver.call(cuMemHostRegister, uintptr(unsafe.Pointer(unsafe.SliceData(memory))), uintptr(len(memory)),
		portable); err != nil {
		return Registered{}, fmt.Errorf("pinning a mapping of %d bytes: %w", len(memory), err)
	}
	return Registered{driver: c.driver, Bytes: memory}, nil
}

// Unregister lets the memory be moved again; it stays the caller's. The zero value needs none.
func (r Registered) Unregister() error {
	if r.driver == nil {
		return nil
	}
	return r.driver.call(cuMemHostUnregister, uintptr(unsafe.Pointer(unsafe.SliceData(r.Bytes))))
}

// CopyToDevice copies from any host memory, and returns when the source may be used again.
func (c *Context) CopyToDevice(dst DeviceMemory, src []byte) error {
	if err := fits(len(src), dst); err != nil || len(src) == 0 {
		return err
	}
	return c.driver.call(cuMemcpyHtoD, dst.Address, uintptr(unsafe.Pointer(unsafe.SliceData(src))), uintptr(len(src)))
}

// CopyToHost fills any host memory, and returns when it is filled.
func (c *Context) CopyToHost(dst []byte, src DeviceMemory) error {
	if err := fits(len(dst), src); err != nil || len(dst) == 0 {
		return err
	}
	return c.driver.call(cuMemcpyDtoH, uintptr(unsafe.Pointer(unsafe.SliceData(dst))), src.Address, uintptr(len(dst)))
}

func fits(n int, m DeviceMemory) error {
	if n > m.Size {
		return fmt.Errorf("a copy of %d bytes does not fit into the GPU buffer of %d bytes", n, m.Size)
	}
	return nil
}
