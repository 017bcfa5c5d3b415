package device

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"saturate/internal/cuda"
	"saturate/internal/cuda/cudatest"
)

// hostWith is this machine with the test's driver library in place of the real one.
func hostWith(t *testing.T, defines ...string) Host {
	t.Helper()
	if !cuda.Built {
		t.Skip("this build has no CUDA loader")
	}
	return Host{Env: append(os.Environ(), "LD_LIBRARY_PATH="+filepath.Dir(cudatest.Library(t, defines...)))}
}

func TestChildAnswers(t *testing.T) {
	host := hostWith(t)
	driver, err := host.CUDA(context.Background(), false)
	if err != nil {
		t.Fatal(err)
	}
	if driver.Version != "13.0" || len(driver.Devices) != 1 || driver.Devices[0].Name != "NVIDIA H200" || driver.Devices[0].Copies != nil {
		t.Errorf("got %+v", driver)
	}

	driver, err = host.CUDA(context.Background(), true)
	if err != nil {
		t.Fatal(err)
	}
	d := driver.Devices[0]
	if d.FreeBytes != 149000000000 || d.Problem != "" || len(d.Copies) != 4 {
		t.Fatalf("got %+v", d)
	}
	seen := map[string]bool{}
	for _, c := range d.Copies {
		seen[c.Memory+" "+c.Direction] = true
		if len(c.GBps) != copySamples || c.Bytes != copyBytes || c.Median() <= 0 {
			t.Errorf("%s %s: %d samples of %d bytes, median %v", c.Memory, c.Direction, len(c.GBps), c.Bytes, c.Median())
		}
	}
	if len(seen) != 4 {
		t.Errorf("measured %v", seen)
	}
}

// Whatever the driver does, the answer is a sentence and this process lives.
func TestChildSurvivesTheDriver(t *testing.T) {
	tests := []struct {
		define, want string
	}{
		{"CRASHES", "the NVIDIA driver library failed (exit status 2): SIGABRT"},
		{"HANGS", "did not respond within"},
		{"NO_DEVICE", "no CUDA-capable device is detected"},
		{"TOO_OLD", "too old"},
	}
	for _, test := range tests {
		t.Run(test.define, func(t *testing.T) {
			host := hostWith(t, test.define)
			ctx := context.Background()
			if test.define == "HANGS" {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, time.Second)
				defer cancel()
			}
			if _, err := host.CUDA(ctx, false); err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want a line that says %q", err, test.want)
			}
		})
	}
	t.Run("full", func(t *testing.T) {
		driver, err := hostWith(t, "FULL").CUDA(context.Background(), true)
		if err != nil {
			t.Fatal(err)
		}
		if d := driver.Devices[0]; !strings.Contains(d.Problem, "out of memory") || d.FreeBytes == 0 {
			t.Errorf("a full GPU: %+v", d)
		}
	})
}

func TestMedian(t *testing.T) {
	for _, test := range []struct {
		samples []float64
		want    float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{9, 1, 5}, 5}, {[]float64{4, 1, 2, 100}, 3}} {
		if got := (CopySpeed{GBps: test.samples}).Median(); got != test.want {
			t.Errorf("median of %v is %v, want %v", test.samples, got, test.want)
		}
	}
}
