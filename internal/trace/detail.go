package trace

// Inputs are an operator's arguments, as recorded with record_shapes. Few distinct ones
// exist in a trace, so each is kept once.
type Inputs struct {
	Dims    [][]int64 // the shape of each argument; empty if it is not a tensor
	Strides [][]int64
	Types   []string          // "float", "c10::BFloat16", "Scalar" …
	Values  []string          // scalars as text; "" for tensors
	Lists   map[int][][]int64 // the shapes of an argument that is a list of tensors
}

// Config is how a kernel was launched. Few distinct ones exist, so each is kept once.
type Config struct {
	Grid, Block  [3]int32
	Registers    int32 // per thread
	SharedMemory int32 // bytes per block
	BlocksPerSM  float32
	WarpsPerSM   float32
	Occupancy    float32 // estimated, percent
}

// Inputs returns an operator's arguments; nil when they were not recorded.
func (t *Trace) Inputs(id EventID) *Inputs {
	if i, ok := t.inputsOf.get(uint32(id)); ok {
		return &t.inputs[i]
	}
	return nil
}

// Config returns how a kernel was launched; nil when that was not recorded.
func (t *Trace) Config(id EventID) *Config {
	if i, ok := t.configOf.get(uint32(id)); ok {
		return &t.configs[i]
	}
	return nil
}
