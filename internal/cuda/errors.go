package cuda

import (
	"errors"
	"fmt"
	"unsafe"
)

// Codes that callers act on. The driver names and explains all of them itself.
const (
	OutOfMemory    = 2
	StubLibrary    = 34
	NoDevice       = 100
	InvalidContext = 201
	InvalidPTX     = 218
	PTXTooNew      = 222
	NotReady       = 600
	NotSupported   = 801
	DriverMismatch = 803
	CompatMismatch = 804

	notFound = 500
)

// Error is a call that the driver refused, with the driver's own name and text for it.
type Error struct {
	Call string // cuMemAlloc_v2
	Code int    // 2
	Name string // CUDA_ERROR_OUT_OF_MEMORY
	Text string // out of memory
}

func (e *Error) Error() string {
	if e.Name == "" {
		return fmt.Sprintf("%s failed with an unknown code %d", e.Call, e.Code)
	}
	return fmt.Sprintf("%s: %s (%s, %d)", e.Call, e.Text, e.Name, e.Code)
}

// HasCode says whether err is the driver's refusal with this code.
func HasCode(err error, code int) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}

// failure asks the library what a code means.
func (d *Driver) failure(f function, code uint32) error {
	ask := func(f function) string {
		var text *byte
		if d.code(f, uintptr(code), uintptr(unsafe.Pointer(&text))) != 0 {
			return ""
		}
		return cString(text)
	}
	return &Error{Call: functionNames[f], Code: int(code), Name: ask(cuGetErrorName), Text: ask(cuGetErrorString)}
}

// adviceFor tells the way out of the ways in which cuInit fails.
func adviceFor(err error) string {
	switch {
	case HasCode(err, NoDevice):
		return "; no GPU is visible: check nvidia-smi, CUDA_VISIBLE_DEVICES, and --gpus of the container"
	case HasCode(err, StubLibrary):
		return "; this is the linker's stub: remove its folder from LD_LIBRARY_PATH"
	case HasCode(err, DriverMismatch), HasCode(err, CompatMismatch):
		return "; library and kernel module have different versions: reboot, or remove the compat folder from LD_LIBRARY_PATH"
	}
	return ""
}

// cString copies a C string, at most a page of it.
func cString(p *byte) string {
	if p == nil {
		return ""
	}
	var text []byte
	for len(text) < 4096 && *p != 0 {
		text = append(text, *p)
		p = (*byte)(unsafe.Add(unsafe.Pointer(p), 1))
	}
	return string(text)
}
