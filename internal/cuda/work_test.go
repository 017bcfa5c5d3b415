//go:build linux

package cuda

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"saturate/internal/cuda/cudatest"
)

// doublingPTX is the kernel that the fake's stands for.
//
//go:embed testdata/doubled.ptx
var doublingPTX []byte

// doubling is a test's GPU with one kernel: doubled(bytes, count) doubles every byte.
func doubling() *cudatest.Fake {
	return &cudatest.Fake{
		Globals: map[string]int{"table": 64},
		Kernels: map[string]cudatest.Kernel{"doubled": func(l cudatest.Launch) uint32 {
			memory := l.Memory(l.Uint(0), l.Int(1))
			if memory == nil {
				return 700
			}
			for i := range memory {
				memory[i] *= 2
			}
			return 0
		}},
	}
}

// pass takes bytes to the GPU on one stream, doubles them on a second and brings them back on a
// third into memory that was registered, everything released again whatever fails.
func pass(ctx *Context, data, mapping []byte) (err error) {
	var cleanup []func() error
	defer func() {
		for i := len(cleanup) - 1; i >= 0; i-- {
			err = errors.Join(err, cleanup[i]())
		}
	}()
	after := func(f func() error) { cleanup = append(cleanup, f) }

	module, err := ctx.LoadModule(doublingPTX)
	if err != nil {
		return err
	}
	after(module.Unload)
	table, err := module.Global("table")
	if err != nil {
		return err
	}
	if err := ctx.CopyToDevice(table, make([]byte, 64)); err != nil {
		return err
	}
	kernel, err := module.Function("doubled")
	if err != nil {
		return err
	}
	if err := kernel.AllowShared(64 << 10); err != nil {
		return err
	}
	memory, err := ctx.AllocDevice(len(data))
	if err != nil {
		return err
	}
	after(memory.Free)
	pinned, err := ctx.AllocPinned(len(data))
	if err != nil {
		return err
	}
	after(pinned.Free)
	copy(pinned.Bytes, data)
	registered, err := ctx.Register(mapping)
	if err != nil {
		return err
	}
	after(registered.Unregister)
	var streams [3]Stream
	var events [3]Event
	for i := range streams {
		if streams[i], err = ctx.NewStream(); err != nil {
			return err
		}
		after(streams[i].Destroy)
		if events[i], err = ctx.NewEvent(); err != nil {
			return err
		}
		after(events[i].Destroy)
	}
	after(ctx.Synchronize) // nothing is freed that the GPU still uses

	return first(
		func() error { return streams[0].CopyToDevice(memory, pinned.Bytes) },
		func() error { return streams[0].Record(events[0]) },
		func() error { return streams[1].Wait(events[0]) },
		func() error {
			return streams[1].Launch(kernel, Shape{Blocks: (len(data) + 255) / 256, Threads: 256}, uint64(memory.Address), uint64(memory.Size))
		},
		func() error { return streams[1].Record(events[1]) },
		func() error { return streams[2].Wait(events[1]) },
		func() error { return streams[2].CopyToHost(registered.Bytes, memory) },
		func() error { return streams[2].Record(events[2]) },
		events[2].Synchronize,
	)
}

func first(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// runPass does pass on the fake from a fresh Open, as a program would.
func runPass(f *cudatest.Fake, data, mapping []byte) error {
	d, err := OpenStandIn(f)
	if err != nil {
		return err
	}
	devices, err := d.Devices()
	if err != nil {
		return err
	}
	ctx, err := devices[0].Retain()
	if err != nil {
		return err
	}
	err = ctx.Do(func() error { return pass(ctx, data, mapping) })
	return errors.Join(err, ctx.Release())
}

func TestWorkGoesThroughStreams(t *testing.T) {
	data := make([]byte, 1<<16)
	for i := range data {
		data[i] = byte(i % 100)
	}
	mapping := make([]byte, len(data))
	f := doubling()
	if err := runPass(f, data, mapping); err != nil {
		t.Fatal(err)
	}
	for i := range data {
		if mapping[i] != 2*data[i] {
			t.Fatalf("byte %d is %d, want %d", i, mapping[i], 2*data[i])
		}
	}
	if left := f.Left(); len(left) > 0 {
		t.Errorf("not given back: %v", left)
	}
}

// An error from every driver call in turn: each is reported with the call's name, nothing hangs,
// and all that can be given back is.
func TestEveryCallMayFail(t *testing.T) {
	data := []byte("0123456789abcdef")
	whole := doubling()
	if err := runPass(whole, data, make([]byte, len(data))); err != nil {
		t.Fatal(err)
	}
	for n, name := range whole.Order() {
		for _, lasting := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d %s lasting %v", n+1, name, lasting), func(t *testing.T) {
				f := doubling()
				f.Faults = []cudatest.Fault{{Nth: n + 1, Code: 719, Lasting: lasting}}
				err := runPass(f, data, make([]byte, len(data)))
				if !HasCode(err, 719) || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "CUDA_ERROR_LAUNCH_FAILED") {
					t.Fatalf("got %v", err)
				}
				gone := lasting || strings.Contains(name, "Destroy") || strings.Contains(name, "Free") ||
					strings.Contains(name, "Unload") || strings.Contains(name, "Unregister")
				if left := f.Left(); len(left) > 0 && !gone {
					t.Errorf("not given back: %v", left)
				}
			})
		}
	}
}

// A kernel's fault comes out where the host waits for it, and ends the context.
func TestKernelFault(t *testing.T) {
	f := doubling()
	f.Kernels["doubled"] = func(cudatest.Launch) uint32 {
		// Any call would report the fault that comes after it: the host gets to where it waits first.
		for !slices.ContainsFunc(f.Order(), func(call string) bool { return strings.HasSuffix(call, "Synchronize") }) {
			time.Sleep(time.Millisecond)
		}
		return 700
	}
	err := runPass(f, []byte("data"), make([]byte, 4))
	if !HasCode(err, 700) || !strings.Contains(err.Error(), "cuEventSynchronize: an illegal memory access was encountered") {
		t.Errorf("got %v", err)
	}
}

func TestGraphReplays(t *testing.T) {
	f := doubling()
	ctx := retain(t, must(OpenStandIn(f))(t))
	err := ctx.Do(func() error {
		module := must(ctx.LoadModule(nil))(t)
		kernel := must(module.Function("doubled"))(t)
		memory := must(ctx.AllocDevice(4))(t)
		stream := must(ctx.NewStream())(t)
		start := []byte{1, 2, 3, 4}
		if err := ctx.CopyToDevice(memory, start); err != nil {
			return err
		}
		graph, err := stream.Capture(func() error {
			return stream.Launch(kernel, Shape{Blocks: 1, Threads: 1}, uint64(memory.Address), 4)
		})
		if err != nil {
			return err
		}
		for range 3 {
			if err := stream.Replay(graph); err != nil {
				return err
			}
		}
		if err := stream.Synchronize(); err != nil {
			return err
		}
		got := make([]byte, 4)
		if err := ctx.CopyToHost(got, memory); err != nil {
			return err
		}
		if want := uint32(0x20181008); binary.LittleEndian.Uint32(got) != want {
			t.Errorf("three replays of doubling %v give %v", start, got)
		}
		return errors.Join(graph.Destroy(), stream.Destroy(), memory.Free(), module.Unload())
	})
	if err != nil {
		t.Fatal(err)
	}
	if left := f.Left(); len(left) > 0 {
		t.Errorf("not given back: %v", left)
	}
}

// Events are not passed before the work in front of them is done.
func TestPassedDoesNotWait(t *testing.T) {
	f := doubling()
	release := make(chan struct{})
	f.Kernels["doubled"] = func(cudatest.Launch) uint32 { <-release; return 0 }
	ctx := retain(t, must(OpenStandIn(f))(t))
	err := ctx.Do(func() error {
		module := must(ctx.LoadModule(nil))(t)
		kernel := must(module.Function("doubled"))(t)
		stream := must(ctx.NewStream())(t)
		event := must(ctx.NewEvent())(t)
		if passed, err := event.Passed(); !passed || err != nil {
			t.Errorf("an event that was never recorded: %v, %v", passed, err)
		}
		if err := stream.Launch(kernel, Shape{Blocks: 1, Threads: 1}); err != nil {
			return err
		}
		if err := stream.Record(event); err != nil {
			return err
		}
		if passed, err := event.Passed(); passed || err != nil {
			t.Errorf("before the kernel ended: %v, %v", passed, err)
		}
		close(release)
		if err := event.Synchronize(); err != nil {
			return err
		}
		if passed, err := event.Passed(); !passed || err != nil {
			t.Errorf("after the kernel ended: %v, %v", passed, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The library with the real calling convention refuses the code: its compiler's words are in the
// error. It also lacks the youngest function, which says so only when it is needed.
func TestCompilerSpeaks(t *testing.T) {
	ctx := retain(t, fake(t))
	err := ctx.Do(func() error {
		_, err := ctx.LoadModule([]byte("bogus"))
		return err
	})
	if !HasCode(err, InvalidPTX) || !strings.Contains(err.Error(), "ptxas fatal   : Unexpected text, near line 1: bogus") {
		t.Errorf("got %v", err)
	}
	if code := ctx.driver.code(cuGraphInstantiateWithFlags); code != notFound {
		t.Errorf("a function that the library lacks gives %d", code)
	}
}

func TestSlicesStayInside(t *testing.T) {
	m := DeviceMemory{Address: 1000, Size: 100}
	if s, err := m.Slice(40, 60); err != nil || s.Address != 1040 || s.Size != 60 {
		t.Errorf("%+v, %v", s, err)
	}
	for _, bad := range [][2]int{{-1, 5}, {0, 101}, {50, 51}, {101, 0}, {5, -1}} {
		if _, err := m.Slice(bad[0], bad[1]); err == nil {
			t.Errorf("%v was let through", bad)
		}
	}
}

// must gives what a call returned, or ends the test.
func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}
