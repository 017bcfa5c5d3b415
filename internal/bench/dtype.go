package bench

import (
	"fmt"
	"strings"

	"saturate/internal/config"
	"saturate/internal/device"
)

// DType is a type of numbers as users name it.
type DType struct {
	Name  string
	Bytes int
	long  []string // other spellings
	peak  func(device.Peak) float64
}

// dTypes are those that can be asked for.
var dTypes = []DType{
	{"fp32", 4, []string{"float32", "float", "f32"}, func(p device.Peak) float64 { return max(p.FP32, p.FP32Matrix) }},
	{"tf32", 4, []string{"tensorfloat32"}, func(p device.Peak) float64 { return p.TF32 }},
	{"bf16", 2, []string{"bfloat16"}, func(p device.Peak) float64 { return p.BF16 }},
	{"fp16", 2, []string{"float16", "half", "f16"}, func(p device.Peak) float64 { return p.FP16 }},
}

// parseDType finds a type by one of its names.
func parseDType(name string) (DType, error) {
	var known []string
	for _, d := range dTypes {
		known = append(known, d.Name)
		if strings.EqualFold(name, d.Name) {
			return d, nil
		}
		for _, l := range d.long {
			if strings.EqualFold(name, l) {
				return d, nil
			}
		}
	}
	return DType{}, fmt.Errorf("unknown data type %q; use %s%s", name, strings.Join(known, ", "), config.Hint(name, known))
}

func dtypeOf(name string) DType {
	d, _ := parseDType(name)
	return d
}
