package analyze

import (
	"cmp"
	"slices"
	"strings"

	"saturate/internal/trace"
)

// meeting is one collective as one rank saw it: when the rank arrived, when it left, and what it had done since the
// last one. It is all that is kept of a rank's collectives while the other ranks are read, so it is small.
type meeting struct {
	talk       *talk
	number     int64 // in its group: the sequence number, else its place in the step
	step       int32 // the number of the step it was called in; -1 without steps
	bytes      int64
	start, end int64 // as the rank's clock counts; since 1970 where the trace tells
	exposed    int64 // of it, while nothing was computed
	before     approach
	first      bool // of the recording: what came before is not all in it
}

// talk is what the meetings of one group and one kind have in common.
type talk struct {
	name    string // all_reduce
	group   string // as written: its name and its ranks
	purpose string // tp, dp … where the program says
	members string // [0, 1, 2]
	size    int    // ranks of the group; 0 when unknown
	pair    bool   // a message from one rank to another
	counted bool   // the profiler wrote sequence numbers
	onGPU   bool
}

// synchronous reports whether all ranks leave such a collective at the same time. A broadcast's source need not wait
// for the others.
func (k *talk) synchronous() bool {
	for _, s := range []string{"allreduce", "allgather", "reducescatter", "alltoall", "barrier"} {
		if strings.Contains(k.plain(), s) {
			return true
		}
	}
	return false
}

// plain is the name without what only spells it: all_reduce, AllReduce and _allgather_base are written in many ways.
func (k *talk) plain() string {
	return strings.ToLower(strings.NewReplacer("_", "", ":", "", "-", "").Replace(k.name))
}

// busFactor turns the rate at which a collective moves its message into the rate at which each link works, as
// nccl-tests counts it.
func (k *talk) busFactor(size int) float64 {
	n := float64(size)
	switch plain := k.plain(); {
	case size < 2:
		return 0
	case strings.Contains(plain, "allreduce"):
		return 2 * (n - 1) / n
	case strings.Contains(plain, "allgather"), strings.Contains(plain, "reducescatter"), strings.Contains(plain, "alltoall"):
		return (n - 1) / n
	}
	return 1
}

// meetings lists the rank's collectives by start, each with what the rank did before it.
func (v *view) meetings() []meeting {
	list := v.deviceMeetings()
	if v.device() == nil {
		list = v.hostMeetings()
	}
	slices.SortStableFunc(list, func(a, b meeting) int { return cmp.Compare(a.start, b.start) })
	v.count(list)
	v.approaches(list)
	for i := range list {
		list[i].start, list[i].end = v.t.Absolute(list[i].start), v.t.Absolute(list[i].end)
	}
	return list
}

// deviceMeetings are the collectives that the GPU ran.
func (v *view) deviceMeetings() (list []meeting) {
	g := v.device()
	if g == nil {
		return nil
	}
	_, exposed, _, _ := g.busy.shares()
	known := map[talk]*talk{}
	for _, id := range g.work {
		if v.classOf(id) != communication {
			continue
		}
		call := trace.None // the operator that the profiler wrote the collective's particulars to, where the kernel has none
		if v.t.Text(id, trace.CollectiveName) == "" {
			call = v.recorded(id)
		}
		list = append(list, v.meeting(known, id, call))
		list[len(list)-1].exposed = exposed.within(v.t.Interval(id))
	}
	return list
}

// recorded is the operator around a collective's launch that tells its particulars.
func (v *view) recorded(id trace.EventID) trace.EventID {
	launch, ok := v.t.Launch(id)
	if !ok {
		return trace.None
	}
	for a := range v.t.Ancestors(launch) {
		if v.t.Text(a, trace.CollectiveName) != "" {
			return a
		}
	}
	return trace.None
}

// hostMeetings are the collectives of ranks without a GPU: torch marks each from its call to its end.
func (v *view) hostMeetings() (list []meeting) {
	known := map[talk]*talk{}
	for id := range v.t.OfKind(trace.Annotation, trace.Collective) {
		if v.means(id, isComm) && v.window.Contains(v.t.Start(id)) {
			m := v.meeting(known, id, trace.None)
			m.exposed = m.end - m.start
			list = append(list, m)
		}
	}
	return list
}

// meeting reads one collective. Its particulars stand beside the event, or beside the operator that called it.
func (v *view) meeting(known map[talk]*talk, id, call trace.EventID) meeting {
	from := id
	if call != trace.None {
		from = call
	}
	k := talk{
		name: v.t.Text(from, trace.CollectiveName), members: v.t.Text(from, trace.GroupRanks),
		purpose: v.t.Text(from, trace.GroupPurpose), onGPU: v.t.Kind(id).OnGPU(),
	}
	if k.name == "" {
		k.name = collectiveOf(v.t.Name(id))
	}
	k.group = v.t.Text(from, trace.GroupName) + " " + k.members
	size, _ := v.t.Int(from, trace.GroupSize)
	k.size = int(size)
	plain := k.plain()
	k.pair = plain == "send" || plain == "recv" || strings.HasPrefix(plain, "sendrecv")
	number, counted := v.t.Int(from, trace.CollectiveSeq)
	k.counted = counted
	shared := known[k]
	if shared == nil {
		shared = &k
		known[k] = shared
	}
	w := v.t.Interval(id)
	m := meeting{talk: shared, number: number, step: -1, start: w.Start, end: w.End}
	in, _ := v.t.Int(from, trace.InElements)
	out, _ := v.t.Int(from, trace.OutElements)
	m.bytes = max(in, out) * bytesOf(v.t.Text(from, trace.DType))
	if m.bytes == 0 {
		m.bytes = inputBytesOf(v.t.Inputs(id))
	}
	return m
}

// count numbers the meetings whose profiler wrote no sequence numbers by their place among those of their group and
// step, and those that share a number (one call may launch several kernels) by their place among them.
func (v *view) count(list []meeting) {
	at := 0
	type slot struct {
		group  string
		step   int32
		number int64
	}
	seen := map[slot]int64{}
	for i := range list {
		m := &list[i]
		for at < len(v.steps) && v.steps[at].window.End <= m.start {
			at++
		}
		if at < len(v.steps) && v.steps[at].window.Contains(m.start) {
			m.step = int32(v.steps[at].number)
		}
		if m.talk.counted {
			s := slot{m.talk.group, -1, m.number}
			m.number, seen[s] = m.number<<8|min(seen[s], 255), seen[s]+1
			continue
		}
		s := slot{m.talk.group, m.step, 0}
		m.number, seen[s] = seen[s], seen[s]+1
	}
}

// collectiveOf is what a kernel's name, or the mark of a library, says that it does: AllReduce, all_reduce.
func collectiveOf(name string) string {
	if _, rest, ok := strings.Cut(name, ":"); ok && !strings.Contains(rest, ":") {
		return rest // gloo:all_reduce
	}
	for _, kernel := range []string{"ncclDevKernel_", "ncclKernel_", "ncclDevFunc_"} {
		if _, rest, ok := strings.Cut(name, kernel); ok {
			what, _, _ := strings.Cut(rest, "_")
			what, _, _ = strings.Cut(what, "(")
			return what
		}
	}
	return name
}

// bytesOf is the size of an element, by torch's names.
func bytesOf(dtype string) int64 {
	switch d := strings.ToLower(dtype); {
	case strings.Contains(d, "float8"), d == "byte", d == "char", d == "bool", strings.HasPrefix(d, "int8"), strings.HasPrefix(d, "uint8"):
		return 1
	case d == "half", d == "bfloat16", d == "short", d == "float16", d == "c10::half", d == "c10::bfloat16":
		return 2
	case d == "double", d == "long", d == "float64", d == "int64", d == "long int":
		return 8
	case d == "":
		return 0
	}
	return 4
}

// inputBytesOf is the size of all tensors that an operator takes.
func inputBytesOf(in *trace.Inputs) (sum int64) {
	if in == nil {
		return 0
	}
	for i, dims := range in.Dims {
		if len(dims) > 0 && i < len(in.Types) {
			sum += elements(dims) * bytesOf(in.Types[i])
		}
	}
	return sum
}

func elements(dims []int64) int64 {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	return n
}
