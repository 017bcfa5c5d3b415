// Package trace holds one profiler trace in memory: what ran, where, and when.
//
// How a trace is read:
//
//  1. An importer (one folder below this one) reads a file. Its workers put what they
//     meet into a [Batch], using the ids of their own [Lexicon].
//  2. A [Builder] appends the batches in file order and translates those ids.
//  3. [Builder.Finish] repairs what can be repaired, sorts, nests, links, and gives a
//     [Trace], which never changes afterwards and may be read by many goroutines.
//
// A Trace is a table of columns. A row is an event with a duration; its number is its
// [EventID]. Rows are sorted by track, then by start, then longest first, so that
//
//   - the events of one track are a contiguous range in time order ([Trace.OnTrack]),
//   - an event's parent stands before it, and its descendants directly follow it.
//
// All times are integer nanoseconds as the file counts them; [Trace.Absolute] adds the
// base time. Names are interned: equal names have equal [NameID]s, so counting by name
// needs no map of strings. What only some events have (correlation, bytes, shapes …) is
// in side columns: [Trace.Int] and [Trace.Text] by [Attr], [Trace.Inputs], [Trace.Config].
//
// Typical questions:
//
//	for id, ev := range t.OnDevice(dev, window)  // GPU work of all streams, by start
//	for id, ev := range t.OnTrack(track, window) // one thread or stream, by start
//	for id := range t.OfKind(trace.Annotation)   // all events of some kinds
//	launch, ok := t.Launch(kernel)               // the host call that started it
//	op, ok := t.Operator(kernel)                 // the innermost operator around that call
//	for id := range t.Ancestors(launch)          // operators, Python frames, annotations
//	ev, ok := t.At(track, ns)                    // the innermost event running then
//
// What is work on the GPU is decided by [Kind.Work] alone, never by a stream number:
// host operators of compiled code carry one too.
package trace
