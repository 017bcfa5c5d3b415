//go:build linux

package cuda

import (
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// hardware gives a context on every real GPU, or skips with the reason.
func hardware(t *testing.T) []*Context {
	t.Helper()
	d, err := Open()
	if err != nil {
		t.Skip(err)
	}
	devices, err := d.Devices()
	if err != nil {
		t.Fatal(err)
	}
	var all []*Context
	for _, device := range devices {
		ctx, err := device.Retain()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := ctx.Release(); err != nil {
				t.Error(err)
			}
		})
		all = append(all, ctx)
	}
	return all
}

func TestHardwarePass(t *testing.T) {
	for _, ctx := range hardware(t) {
		data := make([]byte, 8<<20)
		for i := range data {
			data[i] = byte(i % 127)
		}
		mapping := mappedFile(t, len(data))
		start := time.Now()
		if err := ctx.Do(func() error { return pass(ctx, data, mapping) }); err != nil {
			t.Fatal(err)
		}
		t.Logf("GPU %d: compiled, there and back in %v", ctx.device.Index, time.Since(start))
		for i := range data {
			if mapping[i] != 2*data[i] {
				t.Fatalf("byte %d is %d, want %d", i, mapping[i], 2*data[i])
			}
		}
	}
}

// mappedFile is the pages of a file in memory. Linux does not let those of a file on a disk be pinned for
// writing, and cuMemHostRegister refuses them.
func mappedFile(t *testing.T, size int) []byte {
	t.Helper()
	const memory = "/dev/shm"
	if _, err := os.Stat(memory); err != nil {
		t.Skip("no file system in memory: ", err)
	}
	file, err := os.CreateTemp(memory, "saturate-test-")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	defer os.Remove(file.Name())
	if err := file.Truncate(int64(size)); err != nil {
		t.Fatal(err)
	}
	mapping, err := unix.Mmap(int(file.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(mapping) })
	return mapping
}

func TestHardwareRefuses(t *testing.T) {
	ctx := hardware(t)[0]
	err := ctx.Do(func() error {
		_, err := ctx.LoadModule([]byte(".version 6.4\n.target sm_70\n.address_size 64\nnonsense;\n"))
		if !HasCode(err, InvalidPTX) || !strings.Contains(err.Error(), "its compiler says") || strings.Contains(err.Error(), "\n") {
			t.Errorf("nonsense as code: %v", err)
		}
		_, err = ctx.LoadModule([]byte(".version 99.0\n.target sm_70\n.address_size 64\n"))
		if !HasCode(err, PTXTooNew) || !strings.Contains(err.Error(), "too old") {
			t.Errorf("code of the far future: %v", err)
		}
		_, total, err := ctx.Memory()
		if err != nil {
			return err
		}
		if _, err := ctx.AllocDevice(int(total) * 2); !HasCode(err, OutOfMemory) {
			t.Errorf("twice the GPU's memory: %v", err)
		}
		module, err := ctx.LoadModule(doublingPTX)
		if err != nil {
			return err
		}
		defer module.Unload()
		if _, err := module.Function("tripled"); err == nil || !strings.Contains(err.Error(), "kernel tripled") {
			t.Errorf("a kernel that is not there: %v", err)
		}
		kernel, err := module.Function("doubled")
		if err != nil {
			return err
		}
		registers, spilled, err := kernel.Resources()
		t.Logf("the kernel has %d registers and spills %d bytes", registers, spilled)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ctx.AllocDevice(16); !HasCode(err, InvalidContext) {
		t.Errorf("allocating outside of Do: %v", err)
	}
}

func TestHardwareGraph(t *testing.T) {
	ctx := hardware(t)[0]
	err := ctx.Do(func() error {
		module := must(ctx.LoadModule(doublingPTX))(t)
		kernel := must(module.Function("doubled"))(t)
		memory := must(ctx.AllocDevice(3))(t)
		stream := must(ctx.NewStream())(t)
		if err := ctx.CopyToDevice(memory, []byte{1, 2, 3}); err != nil {
			return err
		}
		graph, err := stream.Capture(func() error {
			return stream.Launch(kernel, Shape{Blocks: 1, Threads: 32}, uint64(memory.Address), 3)
		})
		if err != nil {
			return err
		}
		for range 4 {
			if err := stream.Replay(graph); err != nil {
				return err
			}
		}
		if err := stream.Synchronize(); err != nil {
			return err
		}
		got := make([]byte, 3)
		if err := ctx.CopyToHost(got, memory); err != nil {
			return err
		}
		if got[0] != 16 || got[1] != 32 || got[2] != 48 {
			t.Errorf("four replays of doubling 1, 2, 3 give %v", got)
		}
		for _, free := range []func() error{graph.Destroy, stream.Destroy, memory.Free, module.Unload} {
			if err := free(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Many goroutines on few threads: each Do has its own context whatever the scheduler does.
func TestHardwareThreads(t *testing.T) {
	contexts := hardware(t)
	var group sync.WaitGroup
	for g := range 16 {
		group.Go(func() {
			ctx := contexts[g%len(contexts)]
			data, mapping := make([]byte, 4096), make([]byte, 4096)
			for i := range data {
				data[i] = byte(g)
			}
			for range 20 {
				err := ctx.Do(func() error {
					memory, err := ctx.AllocDevice(len(data))
					if err != nil {
						return err
					}
					defer memory.Free()
					if err := ctx.CopyToDevice(memory, data); err != nil {
						return err
					}
					return ctx.CopyToHost(mapping, memory)
				})
				if err != nil || mapping[0] != byte(g) || mapping[4095] != byte(g) {
					t.Errorf("goroutine %d: %v, %d", g, err, mapping[0])
					return
				}
			}
		})
	}
	group.Wait()
}
