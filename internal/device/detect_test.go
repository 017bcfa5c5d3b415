package device_test

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"saturate/internal/device"
	"saturate/internal/device/devicetest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Each recorded machine has its inventory beside it.
func TestRecordedMachines(t *testing.T) {
	machines, _ := filepath.Glob("testdata/machines/*.txtar")
	if len(machines) < 20 {
		t.Fatalf("only %d machines in testdata", len(machines))
	}
	for _, file := range machines {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			machine := devicetest.Load(t, file)
			inv, err := device.Detect(context.Background(), machine, device.Auto)
			if err != nil {
				t.Fatalf("Auto must not fail: %v", err)
			}
			if machine.OS() == "windows" {
				inv.Processor = device.Processor{} // read from the machine that runs the test
			}
			got, err := json.MarshalIndent(inv, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			golden := strings.TrimSuffix(file, ".txtar") + ".json"
			if *update {
				if err := os.WriteFile(golden, append(got, '\n'), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.TrimSpace(string(want)), string(got)); diff != "" {
				t.Errorf("inventory differs (-want +got); run with -update if it should:\n%s", diff)
			}
		})
	}
}

func TestDetectOneBackend(t *testing.T) {
	tests := []struct {
		machine string
		backend device.Backend
		gpus    int
		err     string // none when empty
	}{
		{"a100-sxm", device.CUDA, 2, ""},
		{"a100-sxm", device.CPU, 0, ""},
		{"a100-sxm", device.ROCm, 0, "no rocm GPU found"},
		{"a100-sxm", device.MPS, 0, "no mps GPU found"},
		{"mi300x", device.ROCm, 2, ""},
		{"mi300x", device.CUDA, 0, "no cuda GPU found"},
		{"m2-pro", device.MPS, 1, ""},
		{"intel-mac", device.MPS, 0, "no Apple silicon"},
		{"v100-hidden", device.CUDA, 0, "CUDA_VISIBLE_DEVICES"},
		{"broken-driver", device.CUDA, 0, "Driver/library version mismatch"},
		{"nothing", "tpu", 0, "use auto, cuda, rocm, mps or cpu"},
	}
	for _, test := range tests {
		t.Run(test.machine+" "+string(test.backend), func(t *testing.T) {
			inv, err := device.Detect(context.Background(), devicetest.Load(t, "testdata/machines/"+test.machine+".txtar"), test.backend)
			if len(inv.GPUs) != test.gpus {
				t.Errorf("%d GPUs, want %d", len(inv.GPUs), test.gpus)
			}
			_, found := inv.Best()
			if found != (test.gpus > 0) {
				t.Errorf("Best found one: %v", found)
			}
			switch {
			case test.err == "" && err != nil:
				t.Errorf("unexpected error: %v", err)
			case test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)):
				t.Errorf("error %v does not say %q", err, test.err)
			}
		})
	}
}
