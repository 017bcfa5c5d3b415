package device

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// findMPS reads the chip of an Apple silicon Mac. Its memory is the machine's: GPU and CPU share it.
func findMPS(ctx context.Context, sys System) ([]GPU, []string, error) {
	if sys.OS() != "darwin" {
		return nil, nil, absentError{errors.New("the GPUs of Apple need macOS")}
	}
	chip := sysctl(ctx, sys, "machdep.cpu.brand_string")
	model := appleChip.FindStringSubmatch(chip)
	if model == nil {
		return nil, nil, fmt.Errorf("this Mac has no Apple silicon (%s): torch's MPS backend is slow or absent on Intel Macs",
			chip)
	}
	gpu := GPU{
		Backend: MPS, Name: chip, Arch: "apple-m" + model[1], Source: "sysctl",
		BF16: true, // from macOS 14 on; there is no float64
	}
	gpu.MemoryBytes, _ = strconv.ParseUint(sysctl(ctx, sys, "hw.memsize"), 10, 64)
	if version := sysctl(ctx, sys, "kern.osproductversion"); version != "" {
		gpu.API = "macOS " + version
	}
	// The core count tells the full chip from the cheaper one of the same name.
	if out, err := sys.Run(ctx, "ioreg", "-rc", "AGXAccelerator", "-d1"); err == nil {
		if cores := gpuCores.FindSubmatch(out); cores != nil {
			gpu.Units, _ = strconv.Atoi(string(cores[1]))
		}
	}
	return []GPU{gpu}, nil, nil
}

var (
	appleChip = regexp.MustCompile(`^Apple M(\d+)\b`)
	gpuCores  = regexp.MustCompile(`"gpu-core-count" = (\d+)`)
)

// sysctl is the value of one name, or nothing.
func sysctl(ctx context.Context, sys System, name string) string {
	out, err := sys.Run(ctx, "sysctl", "-n", name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
