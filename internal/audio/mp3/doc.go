// Package mp3 decodes MPEG-1, MPEG-2 and MPEG-2.5 audio, layer III, to float samples.
//
//	file ─> Frames (headers, rubbish passed over) ─> side information, bit reservoir
//	     ─> scale factors, Huffman codes ─> spectrum ─> stereo ─> alias reduction, IMDCT ─> polyphase synthesis
//
// Frames walks a file, ReadTag reads what the encoder left about delay and padding, Decoder turns one frame after the
// other into samples. Damaged sound is silence, never an error: a frame needs the frames before it, and those are
// missing at the start of a file that was cut from a longer one.
//
// It is written from ISO/IEC 11172-3 and 13818-3. Tables are built on first use.
package mp3
