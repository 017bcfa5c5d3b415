// Package vorbis decodes Vorbis I packets to float samples.
//
//	headers ─> books, floors, residues, mappings, modes
//	packet ─> floor (a curve) ─> residue ─> coupling ─> curve times residue ─> DCT-IV ─> window, overlap ─> samples
//
// Headers are not trusted: every number that is later an index, a size or a divisor is checked first. So a packet can
// only end early, and the rest of it is silence.
//
// It is written from the Vorbis I specification of the Xiph.Org Foundation. Floors of type 0, which no encoder has
// written since
// 2001, are ErrUnsupported.
package vorbis
