// Package batch finds the largest batch that fits into memory and the smallest that is as fast as the best.
//
//	trial.go     Trial, what one process is asked to do, and Measured, what it showed
//	fit.go       memory over batch size: a line, or a parabola where a line misses
//	search.go    three small probes ─> fit ─> prediction ─> confirmation
//	knee.go      samples/s over batch size: the smallest batch within 3% of the best
//	savings.go   8-bit optimizers and checkpointing, where memory cuts the knee off
//	source.go    where the program sets its batch size
//	programs.go  trials of a user's program under the probe
//	advice.go    what else has to change with the batch size, and by which rule
//
// Every trial is a process of its own, so that an out-of-memory error ends nothing of the user's.
package batch
