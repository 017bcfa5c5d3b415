// Package melcuda computes log-mel features on NVIDIA GPUs: the definition of package mel, for
// frames of 400 samples at a hop of 160, in one fused kernel.
//
//	logmel.cu    the kernels; logmel.ptx is what _gen/ptx makes of them, and the driver compiles
//	             that for its GPU when the program runs
//	kernel.go    the kernels with their tables, which come from package mel
//	batch.go     many clips of any length as one launch
//	gpu.go       a GPU with its three queues: samples to it, kernels, features back
//	pins.go      memory of the caller that the GPU reaches directly
//	lane.go      memory for a batch; flight.go takes it there and back, lanes overlap each other
//
// Samples stay int16 until the kernel; float32 samples are taken too. FP16 values come back, into
// the caller's memory at once where that is pinned. Frames that hold only padding are not computed.
//
// Values differ from mel.Reference as the engines of package mel do: after rounding to FP16 at most
// one value in 500, by one step.
package melcuda

//go:generate _gen/ptx
