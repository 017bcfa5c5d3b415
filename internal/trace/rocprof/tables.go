package rocprof

import (
	"strings"

	"saturate/internal/trace"
)

func (x *reader) metadata() error {
	var m struct {
		PID  int64 `json:"pid"`
		Node struct {
			Host string `json:"hostname"`
		} `json:"node"`
	}
	if err := x.d.Decode(&m); err != nil {
		return unexpected(err)
	}
	x.process.pid = m.PID
	x.b.Meta.Host = m.Node.Host
	return nil
}

// onGPU is rocprofiler's number for agents that are GPUs; 1 are CPUs.
const onGPU = 2

func (x *reader) agent() error {
	var a struct {
		ID      handle `json:"id"`
		Type    int    `json:"type"`
		Product string `json:"product_name"`
		Name    string `json:"name"`
		CUs     int    `json:"cu_count"`
		Wave    int    `json:"wave_front_size"`
		Number  int32  `json:"logical_node_type_id"`
		Banks   []struct {
			Bytes int64 `json:"size_in_bytes"`
		} `json:"mem_banks"`
	}
	if err := x.d.Decode(&a); err != nil {
		return unexpected(err)
	}
	if a.Type != onGPU || len(x.process.agents) >= 1024 {
		return nil
	}
	x.process.agents[a.ID.Handle] = trace.Device(a.Number)
	if x.places > 1 {
		return nil
	}
	g := trace.GPU{Device: trace.Device(a.Number), Name: a.Product, SMs: a.CUs, WarpSize: a.Wave}
	if g.Name == "" {
		g.Name = a.Name
	}
	for _, b := range a.Banks {
		g.Memory += b.Bytes
	}
	x.b.Meta.GPUs = append(x.b.Meta.GPUs, g)
	return nil
}

// strings are the names of calls by kind and number, and the texts of ranges.
func (x *reader) strings() error {
	return x.object(func(key string) error {
		switch key {
		case "buffer_records":
			if err := x.d.Decode(&x.process.kinds); err != nil {
				return unexpected(err)
			}
			return nil
		case "marker_api":
			return x.list(func(int) error {
				var m struct {
					Key   uint64 `json:"key"`
					Value string `json:"value"`
				}
				if err := x.d.Decode(&m); err != nil {
					return unexpected(err)
				}
				x.process.markers[m.Key] = m.Value
				return nil
			})
		}
		return x.skip()
	})
}

func (x *reader) symbol() error {
	var k struct {
		ID        uint64 `json:"kernel_id"`
		Name      string `json:"formatted_kernel_name"`
		Mangled   string `json:"kernel_name"`
		Registers int32  `json:"arch_vgpr_count"`
		Matrix    int32  `json:"accum_vgpr_count"`
	}
	if err := x.d.Decode(&k); err != nil {
		return unexpected(err)
	}
	if k.Name == "" {
		k.Name = k.Mangled
	}
	x.process.kernels[k.ID] = kernel{strings.TrimSuffix(k.Name, ".kd"), k.Registers + k.Matrix}
	return nil
}

// call is the name of a call, and the name of its kind.
func (p *process) call(kind, operation int) (name, of string) {
	if kind < 0 || kind >= len(p.kinds) {
		return "", ""
	}
	of = p.kinds[kind].Kind
	if list := p.kinds[kind].Operations; operation >= 0 && operation < len(list) {
		name = list[operation]
	}
	return name, of
}
