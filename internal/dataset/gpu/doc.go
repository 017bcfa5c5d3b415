// Package gpu computes a dataset's rows on NVIDIA GPUs: the Computer of package dataset that uses
// package melcuda.
//
//	pool.go      the GPUs, opened once for a build, and what they did
//	size.go      how many rows a batch has: what the memory gives, halved and grown back
//	queue.go     the rows of all workers, brought together into batches
//	slabs.go     memory that GPUs reach directly, for files and rows
//	computer.go  one worker's way to the queue, and to the CPU if the GPU fails
//	selftest.go  how fast each part is alone, and all of them together
//
// Workers fill a batch together, the GPU takes it while others decode and fill the next. Memory that runs out halves
// the batch, and later batches try the old size again. Any other failure, a GPU that fell off the bus included, ends
// that GPU for this build: its workers continue on the CPU, and say so once.
package gpu
