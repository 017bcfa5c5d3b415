package chrome

import (
	"bytes"

	"saturate/internal/trace"
)

// arguments are what an event's args say.
type arguments struct {
	device, stream int64 // -1 when absent
	attrs          []attrValue
	details        text // of a copy or a kernel, in XLA's words
	inputs         block
	config         block
}

type attrValue struct {
	attr  trace.Attr
	value int64
	text  text
}

func (a *arguments) reset() {
	a.device, a.stream = -1, -1
	a.attrs = a.attrs[:0]
	a.details = text{}
	a.inputs.reset()
	a.config.reset()
}

// argTable says which args become which attribute. Where several do, the first is the
// one that [Export] writes.
var argTable = []struct {
	name string
	attr trace.Attr
}{
	{"correlation", trace.Correlation},
	{"correlation_id", trace.Correlation},
	{"External id", trace.External},
	{"external id", trace.External},
	{"bytes", trace.Bytes},
	{"Bytes", trace.Bytes},
	{"Sequence number", trace.Sequence},
	{"Fwd thread id", trace.ForwardThread},
	{"Python id", trace.PythonID},
	{"Python parent id", trace.PythonParent},
	{"Python module id", trace.PythonModule},
	{"step_num", trace.StepNumber},
	{"graph id", trace.GraphID},
	{"cuda_graph_id", trace.GraphID},
	{"graph node id", trace.GraphNode},
	{"cuda_graph_node_id", trace.GraphNode},
	{"priority", trace.Priority},
	{"Group size", trace.GroupSize},
	{"In msg nelems", trace.InElements},
	{"Out msg nelems", trace.OutElements},
	{"Src Rank", trace.SourceRank},
	{"Dst Rank", trace.TargetRank},
	{"Seq", trace.CollectiveSeq},
	{"fromDevice", trace.FromDevice},
	{"toDevice", trace.ToDevice},
	{"wait_on_stream", trace.WaitStream},
	{"wait_on_cuda_event_record_corr_id", trace.WaitCorrelation},
	{"run_id", trace.RunID},

	{"Call stack", trace.Stack},
	{"Module Hierarchy", trace.Module},
	{"hlo_op", trace.HLOOp},
	{"hlo_module", trace.HLOModule},
	{"tf_op", trace.FrameworkOp},
	{"kernel_file", trace.KernelFile},
	{"kernel_backend", trace.KernelBackend},
	{"copy_kind", trace.CopyKind},
	{"Collective name", trace.CollectiveName},
	{"dtype", trace.DType},
	{"Process Group Name", trace.GroupName},
	{"Process Group Ranks", trace.GroupRanks},
	{"Process Group Description", trace.GroupPurpose},
	{"cuda_sync_kind", trace.SyncKind},
	{"kernel", trace.KernelName},
}

// argTable by name, and the names to write by attribute.
var (
	attrByArg = map[string]trace.Attr{}
	argByAttr = map[trace.Attr]string{}
)

func init() {
	for _, a := range argTable {
		attrByArg[a.name] = a.attr
		if _, ok := argByAttr[a.attr]; !ok {
			argByAttr[a.attr] = a.name
		}
	}
}

// member reads the key at b[i] of an object: the key, where its quote is, and where its
// value starts. At the object's end it returns done and the position behind it.
func member(b []byte, i int) (key []byte, quote, value int, done bool) {
	for b[i] <= ' ' || b[i] == ',' {
		if b[i] == 0 && i >= len(b)-1 {
			return nil, 0, cut, false
		}
		i++
	}
	switch b[i] {
	case '"':
	case '}':
		return nil, 0, i + 1, true
	default:
		return nil, 0, malformed, false
	}
	quote = i
	i++
	n := bytes.IndexByte(b[i:], '"')
	if n < 0 {
		return nil, 0, cut, false
	}
	key = b[i : i+n]
	i += n + 1
	if b[i] != ':' {
		i = space(b, i)
		if b[i] == 0 {
			return nil, 0, cut, false
		}
		if b[i] != ':' {
			return nil, 0, malformed, false
		}
	}
	i++
	if b[i] == ' ' {
		i++
	}
	if b[i] <= ' ' {
		i = space(b, i)
	}
	return key, quote, i, false
}

// readArgs reads the object at b[i] and returns the position behind it.
func (p *parser) readArgs(b []byte, i int) int {
	i++
	for {
		key, quote, value, done := member(b, i)
		if value < 0 || done {
			return value
		}
		if i = p.arg(b, key, quote, value); i < 0 {
			return i
		}
	}
}

// arg reads the value at b[i] of the key whose quote is at b[quote].
func (p *parser) arg(b, key []byte, quote, i int) int {
	f := &p.event
	switch string(key) { // the most frequent ones; the table knows the others
	case "External id":
		return p.intArg(b, i, trace.External)
	case "correlation":
		return p.intArg(b, i, trace.Correlation)
	case "Sequence number":
		return p.intArg(b, i, trace.Sequence)
	case "Fwd thread id":
		return p.intArg(b, i, trace.ForwardThread)
	case "Ev Idx", "Record function id", "cbid", "context", "queued":
		return skip(b, i)
	case "Concrete Inputs":
		return p.inputs.read(&f.inputs, p.named(), b, inputValues, quote, i)
	case "Input type":
		return p.inputs.read(&f.inputs, p.named(), b, inputTypes, quote, i)
	case "Input Strides":
		return p.inputs.read(&f.inputs, p.named(), b, inputStrides, quote, i)
	case "Input Dims":
		return p.inputs.read(&f.inputs, p.named(), b, inputDims, quote, i)
	case "registers per thread":
		return p.configs.read(&f.config, p.named(), b, configRegisters, quote, i)
	case "shared memory":
		return p.configs.read(&f.config, p.named(), b, configShared, quote, i)
	case "blocks per SM":
		return p.configs.read(&f.config, p.named(), b, configBlocks, quote, i)
	case "warps per SM":
		return p.configs.read(&f.config, p.named(), b, configWarps, quote, i)
	case "grid":
		return p.configs.read(&f.config, p.named(), b, configGrid, quote, i)
	case "block":
		return p.configs.read(&f.config, p.named(), b, configBlock, quote, i)
	case "est. achieved occupancy %":
		return p.configs.read(&f.config, p.named(), b, configOccupancy, quote, i)
	case "device", "device_id":
		return intTo(&f.device, b, i)
	case "stream":
		return intTo(&f.stream, b, i)
	case "memcpy_details", "kernel_details", "memset_details", "Memset_details":
		s, next := stringOr(b, i)
		f.details = s
		return next
	}
	switch attr, ok := attrByArg[string(key)]; {
	case !ok:
		return skip(b, i)
	case attr.IsText():
		return p.textArg(b, i, attr)
	default:
		return p.intArg(b, i, attr)
	}
}

// textArg keeps a string, or a list as it is written.
func (p *parser) textArg(b []byte, i int, attr trace.Attr) int {
	s, next := stringOr(b, i)
	if next > 0 && b[i] == '[' {
		s = text{raw: b[i:next]}
	}
	if next > 0 && len(s.raw) > 0 {
		p.event.attrs = append(p.event.attrs, attrValue{attr: attr, text: s})
	}
	return next
}

func (p *parser) intArg(b []byte, i int, attr trace.Attr) int {
	v, next, ok := number(b, i, integer)
	if ok {
		p.event.attrs = append(p.event.attrs, attrValue{attr: attr, value: v})
	}
	return next
}

func intTo(to *int64, b []byte, i int) int {
	v, next, ok := number(b, i, integer)
	if ok {
		*to = v
	}
	return next
}

// addArguments gives the event just added what its args say.
func (p *parser) addArguments(b []byte, kind trace.Kind) {
	f := &p.event
	p.lastCorrelation = -1
	for i := range f.attrs {
		switch a := &f.attrs[i]; {
		case !a.attr.IsText():
			p.batch.SetInt(a.attr, a.value)
			if a.attr == trace.Correlation {
				p.lastCorrelation = a.value
			}
		default:
			p.batch.SetText(a.attr, p.intern(a.text))
		}
	}
	if len(f.details.raw) > 0 {
		p.addDetails(f.details)
	}
	if kind == trace.Other {
		p.batch.SetText(trace.Category, p.lexicon.Name(f.category))
	}
	if id, ok := p.inputs.finish(&f.inputs, p.named(), b); ok {
		p.batch.SetInputs(id)
	}
	if id, ok := p.configs.finish(&f.config, p.named(), b); ok {
		p.batch.SetConfig(id)
	}
}
