package chrome

import "saturate/internal/trace"

// decodeInputs makes an operator's inputs of their parts.
func decodeInputs(l *trace.Lexicon) func([]byte, []part) uint32 {
	return func(b []byte, parts []part) uint32 {
		var in trace.Inputs
		for _, p := range parts {
			switch p.which {
			case inputValues:
				in.Values = stringsOf(b, p.value.from)
			case inputTypes:
				in.Types = stringsOf(b, p.value.from)
			case inputStrides:
				in.Strides, _ = lists(b, p.value.from)
			case inputDims:
				in.Dims, in.Lists = lists(b, p.value.from)
			}
		}
		return l.Inputs(in)
	}
}

// decodeConfig makes a kernel's configuration of its parts.
func decodeConfig(l *trace.Lexicon) func([]byte, []part) uint32 {
	return func(b []byte, parts []part) uint32 {
		var c trace.Config
		for _, p := range parts {
			value := b[p.value.from:p.value.to]
			switch p.which {
			case configRegisters:
				c.Registers = asInt32(b, p.value.from)
			case configShared:
				c.SharedMemory = asInt32(b, p.value.from)
			case configBlocks:
				c.BlocksPerSM = float32(float(value))
			case configWarps:
				c.WarpsPerSM = float32(float(value))
			case configGrid:
				c.Grid = triple(b, p.value.from)
			case configBlock:
				c.Block = triple(b, p.value.from)
			case configOccupancy:
				c.Occupancy = float32(float(value))
			}
		}
		return l.Config(c)
	}
}

func asInt32(b []byte, i int) int32 {
	v, _, _ := number(b, i, integer)
	return int32(v)
}

func triple(b []byte, i int) (t [3]int32) {
	for n, v := range integersOf(b, i) {
		if n < 3 {
			t[n] = int32(v)
		}
	}
	return t
}

// elements calls f with the start of each element of the array at b[i], which is known
// to be whole.
func elements(b []byte, i int, f func(i int)) {
	if b[i] != '[' {
		return
	}
	for i = space(b, i+1); i < len(b)-1 && b[i] != ']'; i = space(b, i) {
		if b[i] == ',' {
			i++
			continue
		}
		f(i)
		if i = skip(b, i); i < 0 {
			return
		}
	}
}

func integersOf(b []byte, i int) []int64 {
	var list []int64
	elements(b, i, func(i int) {
		v, _, _ := number(b, i, integer)
		list = append(list, v)
	})
	return list
}

func stringsOf(b []byte, i int) []string {
	var list []string
	elements(b, i, func(i int) {
		s, next := stringOr(b, i)
		if next > 0 && b[i] != '"' {
			s = text{raw: b[i:next]}
		}
		list = append(list, string(s.unescape(nil)))
	})
	return list
}

// lists reads an array of arrays of numbers. An element that is a list of such arrays, as
// a list of tensors has it, goes to deep.
func lists(b []byte, i int) (flat [][]int64, deep map[int][][]int64) {
	elements(b, i, func(i int) {
		nested := false
		elements(b, i, func(i int) { nested = nested || b[i] == '[' })
		if nested {
			if deep == nil {
				deep = map[int][][]int64{}
			}
			deep[len(flat)], _ = lists(b, i)
			flat = append(flat, nil)
			return
		}
		flat = append(flat, integersOf(b, i))
	})
	return flat, deep
}
