// Package shard spreads work over many machines by a contract, not by a scheduler: whoever runs a shard, in which order
// and how often, the published bytes are the same.
//
//	Plan ─> Store ─> Work (any number of processes, any engine) ─> Merge
//
//	plan.go                  what is to be done, split into shards; a hash of everything that decides the result
//	store.go                 where plan and results lie
//	folder.go, link_*.go     in a folder that all machines see
//	s3.go, resume.go         in an object store
//	which.go                 the shards of this process, from --shard i/N or from what engines set
//	work.go                  makes shards and publishes them
//	takeover.go              makes what slow and dead workers left
//	receipt.go               what was published, in a few lines
//	merge.go                 whether all is there, and one index of it
//	cache.go, serve.go       what is published, in a local folder, for programs that train
//	emit.go, engines/        scripts for engines that exist
//
// # The contract
//
// A shard's result is a function of the plan and the shard's number. A worker makes it in a folder of its own, syncs
// it, and publishes each file under its final name only if nothing has that name. The receipt is published last, in the
// same way: a shard with a receipt is finished for ever, and every worker skips it. A worker that dies loses the shard
// that it was at. Two workers that make the same shard publish it once. A reply that is lost is asked for again, and
// finds the file there.
package shard
