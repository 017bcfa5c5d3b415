package device

import (
	"context"
	"strconv"
	"strings"
)

// GPUNow is what a GPU does at this moment. A figure that the driver does not tell is 0.
type GPUNow struct {
	Index  int     `json:"index"`
	Name   string  `json:"name"`
	Busy   float64 `json:"busy"`        // part of the last moment in which a kernel ran
	Used   int64   `json:"used_bytes"`  // of its memory, by all programs
	Memory int64   `json:"total_bytes"` //
	Watts  float64 `json:"watts"`       //
}

// ReadGPUs asks nvidia-smi what the GPUs of this machine do. Without NVIDIA GPUs there are none.
func ReadGPUs(ctx context.Context, sys System) []GPUNow {
	out, err := sys.Run(ctx, "nvidia-smi", "--query-gpu=index,name,utilization.gpu,memory.used,memory.total,power.draw",
		"--format=csv,noheader,nounits")
	if err != nil {
		return nil
	}
	var list []GPUNow
	for line := range strings.Lines(string(out)) {
		f := strings.Split(line, ",")
		if len(f) != 6 {
			continue
		}
		number := func(i int) float64 {
			v, err := strconv.ParseFloat(strings.TrimSpace(f[i]), 64)
			if err != nil || v < 0 || v > 1e9 {
				return 0 // [N/A]
			}
			return v
		}
		index, err := strconv.Atoi(strings.TrimSpace(f[0]))
		if err != nil {
			continue
		}
		list = append(list, GPUNow{
			Index: index, Name: strings.TrimSpace(f[1]), Busy: number(2) / 100,
			Used: int64(number(3)) << 20, Memory: int64(number(4)) << 20, Watts: number(5),
		})
	}
	return list
}
