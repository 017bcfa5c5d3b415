package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"saturate/internal/files"
	"saturate/internal/human"
	"saturate/internal/run"
	"saturate/internal/stat"
)

// fileName of what was measured, in the folder of its Run.
const fileName = "bench.json"

// schema names the version of that file.
const schema = "saturate/bench-samples/1"

// largestFile is the most of it that is read.
const largestFile = 256 << 20

type kept struct {
	Schema string `json:"schema"`
	Measured
}

// Keep writes a Run: the samples as series, for compare and benchstat, and everything as bench.json. An exit code
// other than 0 says that the plan was not carried through.
func Keep(root string, m Measured, opt run.Options, exit int) (run.Run, error) {
	opt.Clock = clockFrom(m.Started)
	recorder, err := run.Create(root, "bench-"+string(m.Plan.Task), opt)
	if err != nil {
		return run.Run{}, err
	}
	versions, gpus := map[string]string{}, []run.GPU{}
	for _, x := range m.Machines {
		versions[x.Framework] = x.Version
		if x.Python != "" {
			versions["python"] = x.Python
		}
		if x.Accelerated() && len(gpus) == 0 {
			gpus = append(gpus, run.GPU{Name: x.Name, Backend: x.Backend, MemoryBytes: x.MemoryBytes})
		}
	}
	recorder.Learn(versions, gpus)
	for _, s := range m.Series() {
		recorder.Add(s)
	}
	for _, p := range problems(m) {
		recorder.Note("INVALID: %s", p)
	}
	text, err := json.MarshalIndent(kept{schema, m}, "", " ")
	if err != nil {
		return run.Run{}, err
	}
	if err := recorder.Save(fileName, "bench", append(text, '\n')); err != nil {
		return run.Run{}, err
	}
	if exit != 0 {
		recorder.Note("stopped before everything was measured")
	}
	return recorder.Finish(exit)
}

// clockFrom begins a Run when measuring began, though it is written only now that there is something to write.
func clockFrom(began time.Time) run.Clock {
	var dates, readings int
	return run.Clock{
		Now: func() time.Time {
			if dates++; dates == 1 {
				return began.Round(0)
			}
			return time.Now().Round(0)
		},
		Elapsed: func() time.Duration {
			if readings++; readings == 1 {
				return 0
			}
			return time.Since(began)
		},
	}
}

// IsBench reports whether the folder of a Run holds what this package measured.
func IsBench(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, fileName))
	return err == nil && info.Mode().IsRegular()
}

// Read is what Keep wrote.
func Read(dir string) (Measured, error) {
	path := filepath.Join(dir, fileName)
	info, err := os.Stat(path)
	if err == nil && info.Size() > largestFile {
		err = fmt.Errorf("it is larger than %s", human.Value(largestFile, "B"))
	}
	var data []byte
	if err == nil {
		data, err = files.Read(path, files.MaxRecord)
	}
	if err != nil {
		return Measured{}, fmt.Errorf("cannot read the measurements: %w", err)
	}
	m, err := decode(data)
	if err != nil {
		return Measured{}, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

func decode(data []byte) (Measured, error) {
	var k kept
	if err := json.Unmarshal(data, &k); err != nil {
		return Measured{}, fmt.Errorf("it is damaged: %w", err)
	}
	if k.Schema != schema {
		return Measured{}, fmt.Errorf("its schema is %q; this version reads %s", k.Schema, schema)
	}
	return k.Measured, nil
}

// Series are the samples under names that benchstat can take apart:
// attention/framework=torch/dtype=bf16/…/part=softmax.
func (m Measured) Series() []stat.Series {
	var out []stat.Series
	add := func(name, unit string, values []float64) {
		if len(values) > 0 {
			out = append(out, stat.Series{Name: name, Unit: unit, Values: values})
		}
	}
	peak := func(name string, memory *Memory) {
		if memory != nil && memory.Peak >= 0 {
			add(name, "B", []float64{float64(memory.Peak)})
		}
	}
	for _, c := range m.Ceilings {
		var rates []float64
		for _, s := range c.Seconds {
			rates = append(rates, c.Amount/s)
		}
		name := fmt.Sprintf("ceiling/framework=%s/what=%s/size=%s", c.Framework, c.What, c.Size)
		if c.What == "gemm" {
			add(name+"/dtype="+c.DType, "FLOP/s", rates)
		} else {
			add(name, "B/s", rates)
		}
	}
	for _, c := range m.Cases {
		for _, p := range c.Components {
			add(fmt.Sprintf("attention/%s/part=%s", c.key(), p.Name), "s", p.counted().samples())
		}
		for _, l := range c.Levels {
			name := fmt.Sprintf("attention/%s/level=%d", c.key(), l.Level)
			add(name, "s", l.counted().samples())
			peak(name, l.Memory)
		}
	}
	for _, l := range m.Layers {
		name := fmt.Sprintf("layer/%s/layer=%s/checkpoint=%t/pass=%s", l.key(), l.Layer, l.Checkpoint, l.Pass)
		add(name, "s", l.counted().samples())
		peak(name, l.Memory)
	}
	for _, r := range m.Rates {
		s := r.series("items/s", r.Items)
		add(fmt.Sprintf("%s/framework=%s/way=%s/workers=%d", m.Plan.Task, r.Framework, r.Name, r.Workers), s.Unit, s.Values)
	}
	return out
}
