//go:build linux

package gpu

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"saturate/internal/audio"
	"saturate/internal/cuda"
	"saturate/internal/dataset"
	"saturate/internal/mel"
	melcuda "saturate/internal/mel/cuda"
	"saturate/internal/mel/cuda/melcudatest"
)

// The test's own program is the child that is killed: it builds the folder's dataset on a GPU.
const childFolder, childReal = "SATURATE_TEST_GPU_CHILD", "SATURATE_TEST_GPU_REAL"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childFolder); dir != "" {
		if err := child(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func killOptions(dir string) dataset.Options {
	o := dataset.Defaults()
	o.Length, o.Workers, o.Fsync, o.FFmpeg, o.Output = 3*time.Second, 4, false, "none", filepath.Join(dir, "out.h5")
	return o
}

func child(dir string) error {
	o := killOptions(dir)
	list, err := dataset.Find(context.Background(), []string{filepath.Join(dir, "wav")}, dataset.FindOptions{})
	if err != nil {
		return err
	}
	driver, err := childDriver(o.Params)
	if err != nil {
		return err
	}
	pool, err := openOn(driver, Options{Params: o.Params, RowSamples: 48000, Autosize: true})
	if err != nil {
		return err
	}
	o.Computer, o.Memory = pool.Computer, pool
	fmt.Println("building") // the GPU takes a second to get ready, in which there is nothing to lose
	if _, err := dataset.Build(context.Background(), list, o); err != nil {
		return err
	}
	if lost := pool.Stats().Lost; len(lost) > 0 {
		return fmt.Errorf("%s", lost[0])
	}
	return pool.Close()
}

func childDriver(p mel.Params) (*cuda.Driver, error) {
	if os.Getenv(childReal) != "" {
		return cuda.Open()
	}
	f, err := melcudatest.New(p)
	if err != nil {
		return nil, err
	}
	return cuda.OpenStandIn(f)
}

// killed builds a dataset that is killed so many times on its way, and compares it with one that was not.
func killed(t *testing.T, files, kills int, real bool) {
	t.Helper()
	dir := t.TempDir()
	wav := filepath.Join(dir, "wav")
	if err := os.Mkdir(wav, 0o777); err != nil {
		t.Fatal(err)
	}
	sound := melcuda.MadeUp(60000)
	for i := range files {
		data, err := audio.AppendWAV(nil, 16000, 1, sound[i%9000:][:1000+i*7919%47000])
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(wav, fmt.Sprintf("%05d.wav", i)), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// run starts the child, lets it build for a while, kills it unless it has ended, and tells how long it built.
	run := func(limit time.Duration) (built time.Duration, ended bool) {
		c := exec.Command(program)
		c.Env = append(os.Environ(), childFolder+"="+dir)
		if real {
			c.Env = append(c.Env, childReal+"=1")
		}
		c.Stderr = os.Stderr
		pipe, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		_, _ = pipe.Read(make([]byte, 9))
		began := time.Now()
		timer := time.AfterFunc(limit, func() { _ = c.Process.Kill() })
		err = c.Wait()
		timer.Stop()
		if err != nil && c.ProcessState.ExitCode() >= 0 {
			t.Fatal(err)
		}
		return time.Since(began), err == nil
	}
	whole, _ := run(time.Hour)
	out := filepath.Join(dir, "out.h5")
	want, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	done, stopped := 0, 0
	for stopped < kills {
		if err := os.RemoveAll(out); err != nil {
			t.Fatal(err)
		}
		for stopped < kills { // until a run gets through
			if _, ended := run(time.Duration(r.Float64() * float64(whole))); ended {
				break
			}
			stopped++
		}
		if _, err := os.Stat(out); err != nil {
			run(time.Hour)
		}
		got, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("after %d kills the data set has other bytes", stopped)
		}
		done++
	}
	t.Logf("%d kills over %d builds of %d files, each %v when left alone: the same bytes", stopped, done, files, whole.Round(time.Millisecond))
}

func TestKilledAtRandom(t *testing.T) { killed(t, 150, 5, false) }

func TestHardwareKilledAtRandom(t *testing.T) {
	if _, err := cuda.Open(); err != nil {
		t.Skip(err)
	}
	killed(t, 3000, 50, true)
}

// A dataset begun on the GPU is finished on the CPU. The kernels of this test's GPU round as
// the processor does, so that the bytes are the same; those of a real one may differ by a step of FP16.
func TestDevicesTakeTurns(t *testing.T) {
	list := sounds(t, 30)
	o := settings(dataset.Fixed)
	want := build(t, list, o)
	driver, err := cuda.OpenStandIn(fake(t, o.Params))
	if err != nil {
		t.Fatal(err)
	}
	pool, err := openOn(driver, Options{Params: o.Params, RowSamples: 24000, Autosize: true})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	o.Output = filepath.Join(t.TempDir(), "out.h5")
	o.Computer = func() (dataset.Computer, error) {
		c, err := pool.Computer()
		return stopping{c, stop}, err
	}
	if _, err := dataset.Build(ctx, list, o); err == nil {
		t.Fatal("the build was not stopped")
	}
	if err := pool.Close(); err != nil {
		t.Error(err)
	}
	o.Computer = nil
	r, err := dataset.Build(context.Background(), list, o)
	if err != nil || r.Resumed == 0 {
		t.Fatalf("resumed %d, %v", r.Resumed, err)
	}
	got, err := os.ReadFile(o.Output)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("other bytes, %v", err)
	}
}

// stopping is a computer after whose first batch somebody presses Ctrl-C.
type stopping struct {
	dataset.Computer
	stop func()
}

func (s stopping) Compute(jobs []dataset.Job) error {
	defer s.stop()
	return s.Computer.Compute(jobs)
}
