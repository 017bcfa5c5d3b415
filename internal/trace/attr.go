package trace

// Attr names a side column: a number or a name that only some events have.
type Attr uint8

// Numbers; read them with [Trace.Int].
const (
	Correlation     Attr = iota // joins a host call with the GPU work it started
	External                    // joins an operator with the calls and the GPU work below it
	Bytes                       // size of a copy or a fill
	Sequence                    // autograd's number, the same for an operator and its backward
	ForwardThread               // the thread of the forward operator, as autograd numbers threads; 0 means none
	PythonID                    // a Python frame
	PythonParent                // the frame that called it
	PythonModule                // the number of the nn.Module instance being called
	StepNumber                  // of a step marker
	GraphID                     // the CUDA graph a kernel belongs to
	GraphNode                   // and its node there
	Priority                    // of the stream
	GroupSize                   // how many ranks take part in a collective
	InElements                  // how many elements a collective takes
	OutElements                 // and gives
	SourceRank                  // of a point-to-point message
	TargetRank                  //
	CollectiveSeq               // the number of the collective in its group
	FromDevice                  // of a peer copy
	ToDevice                    //
	WaitStream                  // the stream a synchronisation waits on
	WaitCorrelation             // the correlation of the event record it waits for
	RunID                       // of an XLA module
)

// Names; read them with [Trace.Text].
const (
	Category       Attr = RunID + 1 + iota // the category as written, of [Other] events
	Stack                                  // a call stack recorded with an operator, frames separated by ';'
	Module                                 // an nn.Module or framework scope
	HLOOp                                  // XLA's instruction
	HLOModule                              // XLA's module
	FrameworkOp                            // the framework's name of an XLA operation
	KernelFile                             // where a generated kernel's source is
	KernelBackend                          // what generated it
	CopyKind                               // memory on both ends of a copy, as XLA writes it
	CollectiveName                         // all_reduce …
	DType                                  // of a collective
	GroupName                              // of the process group
	GroupRanks                             // its members
	GroupPurpose                           // what the process group is for, as the program says: tp, dp …
	SyncKind                               // of a synchronisation
	KernelName                             // that a launching call starts; ROCm's profiler tells it

	numAttrs
)

var attrNames = [numAttrs]string{
	"correlation", "external_id", "bytes", "sequence_number", "forward_thread", "python_id", "python_parent_id",
	"python_module_id", "step", "graph_id", "graph_node_id", "priority", "group_size", "in_elements",
	"out_elements", "source_rank", "target_rank", "collective_seq", "from_device", "to_device", "wait_stream",
	"wait_correlation", "run_id",
	"category", "stack", "module", "hlo_op", "hlo_module", "framework_op", "kernel_file", "kernel_backend",
	"copy_kind", "collective_name", "dtype", "group_name", "group_ranks", "group_purpose", "sync_kind", "kernel_name",
}

// String is the column's name.
func (a Attr) String() string {
	if a < numAttrs {
		return attrNames[a]
	}
	return "invalid"
}

// IsText reports whether the column holds names rather than numbers.
func (a Attr) IsText() bool { return a >= Category }

// Attrs lists all side columns.
func Attrs() []Attr {
	list := make([]Attr, numAttrs)
	for i := range list {
		list[i] = Attr(i)
	}
	return list
}
