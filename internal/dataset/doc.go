// Package dataset builds a dataset of log-mel features from any collection of audio, once, before training.
//
//	arguments ─> Find ─> List ─> decode ─> place ─> Computer ─> output ─> journal ─> columns ─> final name
//
//	inputs.go, tar.go                        what to read, in which order
//	manifest.go, kaldi.go, lines.go          lists of files in any form, and where the files are
//	metadata.go                              a list beside the audio of a folder
//	layout.go                                the rows of a file: one, segments, or as many frames as it has
//	cut.go                                   what does not fit into a row
//	decode.go                                a file's samples, its checksum, or why it is quarantined
//	places.go                                where a row goes
//	compute.go                               samples to FP16; on the CPU, or on anything behind Computer
//	output.go, format_*.go                   one file per output format
//	worker.go, parcel.go                     the workers; rows on their way through a Computer
//	mapping.go, pour_*                       rows written through a memory map, because many workers would wait for one file
//	journal.go                               what is finished, through SIGKILL and power loss
//	build.go, stream.go                      the pipeline
//	check.go, recompute.go                   an output's structure, and its rows against their inputs
//	replace.go                               what --replace may remove
//	planned.go, part.go, join.go             a build as shards for many machines, and all shards as one output
//	remote.go                                inputs in object stores
//
// # Order
//
// Rows are in the order of the input, no matter who made them and when. Workers take the next file when they
// are free, so nobody waits behind a long one. Where every file has a row of the same size its place
// is known from its number, and rows are written as they come. Where it is not (segments, ragged,
// tar shards), a file gets its place once all files before it are decoded: lengths are known by
// then, and features are still to be computed, which any worker does. At most Buffers · Batch files are
// processed at a time, and one more per worker with a Starter; the rest waits.
//
// # Interruption
//
// The output is written under its name with .part behind it. A row is written, then a line is added to
// the journal, so a line never names a row that is missing. After SIGKILL the same command takes over
// the lines and goes on; places follow from the lengths in them. Power loss may keep a line and lose the
// row, so every few seconds the rows are flushed to the disk and a mark is set in the journal; after
// a restart of the machine only lines before the last mark count. The last step gives the output its
// name. The same input gives the same bytes, however many workers there were and however often it
// was interrupted.
package dataset
