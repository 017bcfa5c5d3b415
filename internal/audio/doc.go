// Package audio reads and resamples audio files, and writes WAV.
//
//	bytes ─> sniff ─> source (WAV, FLAC, MP3, Vorbis, Opus, ffmpeg) ─> mix to mono ─> Resampler ─> samples
//
// Decode takes a whole file that is in memory; NewReader streams one of any length in constant memory.
// Both return mono samples at the requested rate. A 16-bit mono WAV file that already has that
// rate is not converted at all: Clip.PCM is a view of the file's own bytes.
//
// Files are not trusted: a decoder's panic becomes an error, a header is believed only once the bytes
// are read, and a file that ends early is an error that says so.
package audio
