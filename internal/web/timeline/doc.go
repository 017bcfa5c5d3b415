// Package timeline keeps a trace on disk so that any part of it can be drawn at once, however large the trace is.
//
// Build writes a folder from a trace that was read and analyzed; Open reads from that folder and keeps little in
// memory:
//
//	index.json   groups (a thread, a stream, the steps, the causes of idle time …), their levels, counts
//	names.bin    all names
//	events.bin   one record of 40 bytes for each event, by group and start
//	extras.bin   what only some events have: bytes, correlation, shapes
//	tiles.bin    rectangles to draw, by group, level and tile
//
// A tile of level L shows 512 buckets of 2^L ns. Events at least as long as a bucket are drawn as they are; shorter
// ones become one rectangle a bucket, which knows how many there are, how much of the bucket they fill, and which is
// the longest (levels.go). Coarse tiles are made by Build and read in one piece. Below the finest stored level few
// events share a bucket, so those tiles are made from the events themselves when asked for (tile.go).
package timeline
