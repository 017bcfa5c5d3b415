// Package whatif predicts what a repair brings, from one trace.
//
// How a prediction is made:
//
//  1. [Build] turns a trace into a [Graph]: the host's calls in the order of time, the GPU work that each launched,
//     and what each has to wait for (graph.go, calls.go, waits.go, latency.go).
//  2. A [Plan] holds how long each call and each piece of work takes. Repairs change a plan: they drop,
//     scale, overlap or collapse parts of it (plan.go, repair.go, repair_host.go, repair_gpu.go, repair_copy.go).
//  3. [Graph.Run] computes from a plan when everything happens, in one pass (replay.go). A plan that nothing changed
//     gives the recorded times exactly, because what no rule explains is kept as a rest of each node.
//  4. [Graph.Path] walks back from the end of the last step over what delayed each node: the critical path (path.go).
//  5. [Model] asks: it calibrates the host by the time of an unrecorded step, predicts each repair with an interval,
//     and looks for the best set (calibrate.go, predict.go).
//
// The package knows nothing of names: [Facts] tell it what a call and a piece of work is. All times are integer
// nanoseconds.
package whatif
