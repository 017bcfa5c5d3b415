package cli

import (
	"encoding/json"
	"fmt"
	"os"

	"saturate/internal/analyze"
	"saturate/internal/bench"
	"saturate/internal/files"
)

// benchSchema is that of `saturate bench --format json`.
const benchSchema = "saturate/bench/1"

// measuredRoofs is what is read of it.
type measuredRoofs struct {
	Schema   string          `json:"schema"`
	Machines []bench.Machine `json:"machines"`
	Ceilings []bench.Roof    `json:"ceilings"`
}

// roofsOf are the roofs that bench measured, the highest of its frameworks: of a Run, or of a file with its JSON.
func roofsOf(env *Env, typed string) (*analyze.Roofs, error) {
	m, from, err := readRoofs(env, typed)
	if err != nil {
		return nil, err
	}
	roofs := &analyze.Roofs{From: from}
	for _, x := range m.Machines {
		if x.Accelerated() {
			roofs.GPU = x.Name
		}
	}
	if roofs.GPU == "" {
		return nil, usage("--roofs: %s did not measure a GPU", typed)
	}
	for _, c := range m.Ceilings {
		if c.FromTable {
			continue
		}
		for dtype, peak := range map[string]*float64{"fp32": &roofs.FP32, "tf32": &roofs.TF32, "bf16": &roofs.BF16} {
			if c.DType == dtype {
				*peak = max(*peak, c.FLOPS/1e12)
			}
		}
		roofs.GBps = max(roofs.GBps, c.Bandwidth/1e9)
	}
	if roofs.FP32 == 0 && roofs.TF32 == 0 && roofs.BF16 == 0 {
		return nil, usage("--roofs: %s has no measured roofs", typed)
	}
	return roofs, nil
}

func readRoofs(env *Env, typed string) (m measuredRoofs, from string, err error) {
	if info, err := os.Stat(env.path(typed)); err == nil && info.Mode().IsRegular() {
		text, err := files.Read(env.path(typed), files.MaxRecord)
		if err != nil {
			return m, "", fmt.Errorf("cannot read the roofs: %w", err)
		}
		if err := json.Unmarshal(text, &m); err != nil || m.Schema != benchSchema {
			return m, "", usage("--roofs: %s is not the output of saturate bench --format json", typed)
		}
		return m, typed, nil
	}
	r, err := findRun(env, typed)
	if err != nil {
		return m, "", err
	}
	if !bench.IsBench(r.Dir) {
		return m, "", usage("--roofs: the run %s is not one of saturate bench", typed)
	}
	measured, err := bench.Read(r.Dir)
	if err != nil {
		return m, "", err
	}
	return measuredRoofs{Machines: measured.Machines, Ceilings: bench.Judge(measured).Ceilings}, "run " +
		r.ID[:min(8, len(r.ID))], nil
}
