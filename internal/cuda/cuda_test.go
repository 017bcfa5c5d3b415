package cuda

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"testing"

	"saturate/internal/cuda/cudatest"
)

func TestOpenSaysWhatIsWrong(t *testing.T) {
	needLoader(t)
	tests := []struct {
		name   string
		define string
		want   []string
	}{
		{"no GPU", "NO_DEVICE", []string{"cuInit", "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected", "CUDA_VISIBLE_DEVICES"}},
		{"too old", "TOO_OLD", []string{"too old", "cuDevicePrimaryCtxRelease_v2", "driver 450"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := open([]string{cudatest.Library(t, test.define)})
			requireError(t, err, test.want...)
		})
	}
	t.Run("absent", func(t *testing.T) {
		_, err := open([]string{"libcuda-is-not-here.so.1", "/nor/here"})
		requireError(t, err, "libcuda-is-not-here.so.1", "install the NVIDIA driver", "--gpus all")
	})
	t.Run("second place", func(t *testing.T) {
		if _, err := open([]string{"libcuda-is-not-here.so.1", cudatest.Library(t)}); err != nil {
			t.Errorf("the second place was not tried: %v", err)
		}
	})
}

func requireError(t *testing.T, err error, words ...string) {
	t.Helper()
	if !errors.Is(err, ErrUnavailable) {
		t.Fatalf("got %v, want ErrUnavailable", err)
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("the error does not say %q:\n%v", word, err)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("the error is not one line:\n%v", err)
	}
}

func TestProperties(t *testing.T) {
	d := fake(t)
	if v, err := d.Version(); v != "13.0" || err != nil {
		t.Errorf("version %q, %v", v, err)
	}
	devices, err := d.Devices()
	if err != nil || len(devices) != 1 {
		t.Fatalf("devices %v, %v", devices, err)
	}
	got, err := devices[0].Properties()
	if err != nil {
		t.Fatal(err)
	}
	want := Properties{
		Name: "NVIDIA H200", UUID: "GPU-10111213-1415-1617-1819-1a1b1c1d1e1f", PCIBusID: "0000:1a:00.0",
		Major: 9, Minor: 0, TotalBytes: 150754820096, SMs: 132,
		ClockKHz: 1980000, MemoryClockKHz: 3201000, BusBits: 6144, L2Bytes: 62914560,
		CopyEngines: 0, // the library does not know: a zero, not the rubbish it left
	}
	if got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if _, err := (Device{driver: d, handle: 3, Index: 3}).Properties(); err == nil || !strings.Contains(err.Error(), "GPU 3") {
		t.Errorf("a device that is not there: %v", err)
	}
}

func TestCopiesComeBack(t *testing.T) {
	ctx := retain(t, fake(t))
	const size = 1 << 20
	err := ctx.Do(func() error {
		mem, err := ctx.AllocDevice(size)
		if err != nil {
			return err
		}
		defer mem.Free()
		pinned, err := ctx.AllocPinned(size)
		if err != nil {
			return err
		}
		defer pinned.Free()
		stream, err := ctx.NewStream()
		if err != nil {
			return err
		}
		defer stream.Destroy()
		begin, err := ctx.NewEvent()
		if err != nil {
			return err
		}
		defer begin.Destroy()
		end, err := ctx.NewEvent()
		if err != nil {
			return err
		}
		defer end.Destroy()

		pageable := bytes.Repeat([]byte{1, 2, 3, 5}, size/4)
		if err := ctx.CopyToDevice(mem, pageable); err != nil {
			return err
		}
		if err := stream.Record(begin); err != nil {
			return err
		}
		if err := stream.CopyToHost(pinned.Bytes, mem); err != nil {
			return err
		}
		if err := stream.Record(end); err != nil {
			return err
		}
		if err := end.Synchronize(); err != nil {
			return err
		}
		if !bytes.Equal(pinned.Bytes, pageable) {
			t.Error("pageable to GPU to pinned changed the bytes")
		}
		if took, err := end.Since(begin); err != nil || took <= 0 {
			t.Errorf("the copy took %v, %v", took, err)
		}

		for i := range pinned.Bytes {
			pinned.Bytes[i] = byte(i)
		}
		if err := stream.CopyToDevice(mem, pinned.Bytes); err != nil {
			return err
		}
		if err := stream.Synchronize(); err != nil {
			return err
		}
		back := make([]byte, size)
		if err := ctx.CopyToHost(back, mem); err != nil {
			return err
		}
		if !bytes.Equal(back, pinned.Bytes) {
			t.Error("pinned to GPU to pageable changed the bytes")
		}
		if err := ctx.CopyToDevice(mem, make([]byte, size+1)); err == nil {
			t.Error("a copy over the end of the buffer was let through")
		}
		if free, total, err := ctx.Memory(); err != nil || free == 0 || free > total {
			t.Errorf("memory %d of %d, %v", free, total, err)
		}
		return ctx.Synchronize()
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Outside of Do there is no context: the driver says so by name, nothing crashes.
func TestContextBelongsToTheThread(t *testing.T) {
	ctx := retain(t, fake(t))
	_, err := ctx.AllocDevice(16)
	if !HasCode(err, InvalidContext) || !strings.Contains(err.Error(), "CUDA_ERROR_INVALID_CONTEXT") {
		t.Errorf("allocating outside of Do: %v", err)
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 200 {
				err := ctx.Do(func() error {
					if err := ctx.Do(ctx.Synchronize); err != nil { // an inner Do must leave the outer one its context
						return err
					}
					mem, err := ctx.AllocDevice(64)
					if err != nil {
						return err
					}
					return mem.Free()
				})
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	if err := ctx.Synchronize(); !HasCode(err, InvalidContext) {
		t.Errorf("after Do the context is still current: %v", err)
	}
}

func TestOutOfMemory(t *testing.T) {
	ctx := retain(t, fake(t, "FULL"))
	err := ctx.Do(func() error {
		_, err := ctx.AllocDevice(1 << 30)
		return err
	})
	if !HasCode(err, OutOfMemory) || !strings.Contains(err.Error(), "1073741824 bytes on GPU 0") || !strings.Contains(err.Error(), "out of memory") {
		t.Errorf("got %v", err)
	}
	if err := (&Error{Call: "cuInit", Code: 12345}).Error(); !strings.Contains(err, "12345") {
		t.Errorf("an unknown code: %v", err)
	}
}

func retain(t *testing.T, d *Driver) *Context {
	t.Helper()
	devices, err := d.Devices()
	if err != nil {
		t.Fatal(err)
	}
	ctx, err := devices[0].Retain()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := ctx.Release(); err != nil {
			t.Error(err)
		}
	})
	return ctx
}

func fake(t *testing.T, defines ...string) *Driver {
	t.Helper()
	needLoader(t)
	d, err := open([]string{cudatest.Library(t, defines...)})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func needLoader(t *testing.T) {
	t.Helper()
	if Built {
		return
	}
	_, err := Open()
	requireError(t, err, "without the CUDA loader")
	t.Skip(err)
}
