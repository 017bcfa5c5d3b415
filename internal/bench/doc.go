// Package bench says what the hardware could do with attention and transformer layers, part by part.
//
//	Plan ─> Executor (Go, torch, JAX) ─> Measured ─> Judge ─> Result ─> bottleneck, recommendation
//
//	plan.go       what is measured: frameworks, types, sizes; refused if it makes no sense
//	work.go       FLOPs and least bytes of each part
//	memory.go     what a size will need, before it is tried
//	executor.go   who measures: built_in*.go by the kernels of folder kernel, python.go by the module of folder py
//	ceiling.go    the roofs: a large matrix product and a copy measured here, the makers' figures beside them
//	judge.go      each part against its roof; advice.go says what follows
//	keep.go       a Run of it, and back
//	loader.go, speech.go  how fast audio is read, and features are made
//
// Raw samples are kept; everything else is derived from them again when a Run is read.
package bench
