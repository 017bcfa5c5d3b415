// Package mel computes log-mel features, what Whisper-style models are trained on, from mono
// samples to FP16 or float32.
//
// The definition is openai-whisper's: frames of 400 samples every 160, centred, the clip
// reflected at its ends and the last frame dropped; a periodic Hann window; the power spectrum;
// Slaney's mel filters; log10 of at least 1e-10, raised to 8 below the clip's largest, (x+4)/4.
// Params frees every one of these numbers.
//
// A clip goes through an Extractor in blocks of frames:
//
//	samples   extract.go, edge.go   cut or padded, reflected at the ends, cleaned when impossible
//	spectrum  400 points: a prime-factor DFT, 16 by 25, without twiddles; else fft.go
//	bands     bank.go               every frequency is read once for its two filters
//	values    logarithm.go, half.go a polynomial for the logarithm, rounded to FP16 at once
//	clamp     extract.go            afterwards, on the FP16 bits; rounding keeps the order
//
// Frames that hold only padding are not computed. An engine does the middle three: engine_go.go
// in plain Go for any parameters, float64 up to the energies; simd.go in float32 assembly with a
// frame in every lane of a vector, for AVX-512, AVX2 and NEON, chosen at run time and absent with the
// build tag noasm. The assembly and its twin dft400.go are written by _gen, a module of its own.
//
// Reference is the definition in float64. Every engine stays within MostError of it on audio, and
// after rounding to FP16 at most one value in 500 differs, by one step. Only values under 1/64,
// where the steps of FP16 become finer than float32's own error, may differ by more steps, up to
// 2^-16. A signal that repeats exactly from frame to frame repeats its rounding too, and can have
// more values that differ, not larger differences. DB, and the Whisper scale on magnitudes, keep
// what lies more than 80 decibels under the loudest band; there float32 holds only its own
// rounding, and the bound is on energies.
package mel

// MostError is how far any engine's float32 values may lie from Reference on the Whisper scale.
const MostError = 1e-4
