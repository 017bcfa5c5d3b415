// Log-mel features of many clips of any length in one launch: int16 or float32 samples in, FP16 out.
//
// A block computes 32 neighbouring frames of one clip. Two real frames are one complex signal of
// 400 points, transformed as 20 by 20; a transform of 20 is 4 by 5 in registers, without twiddles
// between (Good and Thomas). The lanes of a warp hold different frames, so that shared memory is
// read and written without conflicts and the mel filters are the same for the whole warp.
//
// The tables come from the host: this file holds the order of the work, not the definition.

#define HOP 160
#define FRAME 400
#define PAIRS 16             // pairs of frames in a block
#define FRAMES (2 * PAIRS)
#define THREADS (20 * PAIRS) // a thread has 20 points of one pair
#define ROW (HOP + 1)        // samples are kept in rows of a hop; one more keeps lanes in different banks
#define SPAN ((FRAMES - 1) * HOP + FRAME)
#define MOST_TAPS 512
#define MOST_MELS 1024
#define FINISH_THREADS 256
#define FINISH_VALUES 16384  // values that a block of finish looks at

// Clip is one clip of the batch. The host's type has the same layout.
struct Clip {
  long long samples; // bytes from the start of the samples
  long long out;     // values from the start of the output
  int count;         // samples that there are
  int length;        // samples with the silence that the clip is padded with
  int frames;        // of the padded clip: the distance of two bands in the output
  int sounding;      // frames that hold more than padding
  int peak;          // largest value, as an integer of the same order
  int floats;        // samples are float32, not int16
};

__constant__ float2 taps[MOST_TAPS];      // a weight, and as bits the row where the frequency lies
__constant__ int first_tap[MOST_MELS + 1];
__device__ float window[FRAME];
__device__ float2 twiddle[FRAME];         // e^(-2πi·j·k/400) at k·20 + j

#ifndef HOST_TEST
__device__ __forceinline__ unsigned short to_half(float f) {
  unsigned short h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
  return h;
}
__device__ __forceinline__ float from_half(unsigned short h) {
  float f;
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
  return f;
}
#endif

// ordered turns a float into an integer of the same order, and back.
__device__ __forceinline__ int ordered(float f) { int i = __float_as_int(f); return i >= 0 ? i : i ^ 0x7fffffff; }
__device__ __forceinline__ float unordered(int i) { return __int_as_float(i >= 0 ? i : i ^ 0x7fffffff); }

// scaled is the value of an energy: factor counts for log2.
__device__ __forceinline__ float scaled(float energy, float factor, float offset) {
  return fmaf(__log2f(fmaxf(energy, 1e-10f)), factor, offset);
}

__device__ __forceinline__ void dft4(float* r, float* i, int a, int b, int c, int d) {
  float t0r = r[a] + r[c], t0i = i[a] + i[c], t1r = r[a] - r[c], t1i = i[a] - i[c];
  float t2r = r[b] + r[d], t2i = i[b] + i[d], t3r = r[b] - r[d], t3i = i[b] - i[d];
  r[a] = t0r + t2r; i[a] = t0i + t2i;
  r[c] = t0r - t2r; i[c] = t0i - t2i;
  r[b] = t1r + t3i; i[b] = t1i - t3r;
  r[d] = t1r - t3i; i[d] = t1i + t3r;
}

__device__ __forceinline__ void dft5(float* r, float* i, int a, int b, int c, int d, int e) {
  const float c1 = 0.30901699437494742f, c2 = -0.80901699437494742f; // cos 72°, cos 144°
  const float s1 = 0.95105651629515357f, s2 = 0.58778525229247312f;  // sin 72°, sin 144°
  float t1r = r[b] + r[e], t1i = i[b] + i[e], t3r = r[b] - r[e], t3i = i[b] - i[e];
  float t2r = r[c] + r[d], t2i = i[c] + i[d], t4r = r[c] - r[d], t4i = i[c] - i[d];
  float a1r = r[a] + c1 * t1r + c2 * t2r, a1i = i[a] + c1 * t1i + c2 * t2i;
  float a2r = r[a] + c2 * t1r + c1 * t2r, a2i = i[a] + c2 * t1i + c1 * t2i;
  float b1r = s1 * t3r + s2 * t4r, b1i = s1 * t3i + s2 * t4i;
  float b2r = s2 * t3r - s1 * t4r, b2i = s2 * t3i - s1 * t4i;
  r[a] += t1r + t2r; i[a] += t1i + t2i;
  r[b] = a1r + b1i; i[b] = a1i - b1r;
  r[e] = a1r - b1i; i[e] = a1i + b1r;
  r[c] = a2r + b2i; i[c] = a2i - b2r;
  r[d] = a2r - b2i; i[d] = a2i + b2r;
}

// dft20 works in place and leaves output k at place20(k).
__device__ __forceinline__ constexpr int place20(int k) { return (5 * (k % 4) + 4 * (k % 5)) % 20; }
__device__ __forceinline__ void dft20(float* r, float* i) {
#pragma unroll
  for (int n = 0; n < 5; n++) dft4(r, i, (4 * n) % 20, (5 + 4 * n) % 20, (10 + 4 * n) % 20, (15 + 4 * n) % 20);
#pragma unroll
  for (int n = 0; n < 4; n++) dft5(r, i, (5 * n) % 20, (5 * n + 4) % 20, (5 * n + 8) % 20, (5 * n + 12) % 20, (5 * n + 16) % 20);
}

extern __shared__ float shared[]; // samples, then the pairs' points, then powers: 400·PAIRS float2

// load brings the samples of a block's frames to shared memory, on the scale of ±1.
__device__ __forceinline__ void load(const char* samples, const Clip& clip, int from) {
  const float unit = 1.f / 32768;
  const short* pcm = (const short*)(samples + clip.samples);
  const float* wave = (const float*)(samples + clip.samples);
  const bool inside = from >= 0 && from + SPAN <= clip.count;
  if (inside && !clip.floats && ((size_t)pcm & 15) == 0) { // from is a multiple of 8
    const uint4* src = (const uint4*)(pcm + from);
    for (int q = threadIdx.x; q < SPAN / 8; q += THREADS) {
      uint4 v = __ldg(src + q);
      float* to = shared + (q / (HOP / 8)) * ROW + (q % (HOP / 8)) * 8;
      to[0] = unit * (short)(v.x & 0xffff); to[1] = unit * ((int)v.x >> 16);
      to[2] = unit * (short)(v.y & 0xffff); to[3] = unit * ((int)v.y >> 16);
      to[4] = unit * (short)(v.z & 0xffff); to[5] = unit * ((int)v.z >> 16);
      to[6] = unit * (short)(v.w & 0xffff); to[7] = unit * ((int)v.w >> 16);
    }
    return;
  }
  for (int q = threadIdx.x; q < SPAN; q += THREADS) {
    int at = from + q;
    const bool used = at < clip.length + FRAME / 2; // behind it lie frames that the clip does not have
    if (!inside) { // reflected at both ends of the padded clip; a clip with frames has HOP samples or more
      if (at < 0) at = -at;
      if (at >= clip.length) at = 2 * (clip.length - 1) - at;
      if (at < 0) at = -at;
    }
    float v = 0.f;
    if (used && at < clip.count) v = clip.floats ? __ldg(wave + at) : unit * __ldg(pcm + at);
    shared[(q / HOP) * ROW + q % HOP] = v;
  }
}

// powers turns the block's samples into powers or magnitudes, four or two times too large:
// frequency k of frame f at shared[(k%20·20 + k/20)·FRAMES + f].
template <bool magnitudes>
__device__ __forceinline__ void powers() {
  const int pair = threadIdx.x % PAIRS, j = threadIdx.x / PAIRS;
  float2* points = (float2*)shared;
  float re[20], im[20];
  {
    // Samples 20·n + j of both frames; the second starts 8 steps of 20 later.
    const float* x = shared + 2 * pair * ROW + j;
    float raw[28];
#pragma unroll
    for (int n = 0; n < 28; n++) raw[n] = x[(n / 8) * ROW + 20 * (n % 8)];
#pragma unroll
    for (int n = 0; n < 20; n++) {
      float w = __ldg(&window[j + 20 * n]);
      re[n] = raw[n] * w;
      im[n] = raw[n + 8] * w;
    }
  }
  dft20(re, im);
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 20; k++) {
    const int s = place20(k);
    float2 w = __ldg(&twiddle[k * 20 + j]);
    points[(k * 20 + j) * PAIRS + pair] = make_float2(re[s] * w.x - im[s] * w.y, re[s] * w.y + im[s] * w.x);
  }
  __syncthreads();
  float2* row = points + j * 20 * PAIRS + pair; // from here on the thread has frequencies j + 20·k
#pragma unroll
  for (int n = 0; n < 20; n++) {
    float2 v = row[n * PAIRS];
    re[n] = v.x;
    im[n] = v.y;
  }
  dft20(re, im);
#pragma unroll
  for (int k = 10; k < 20; k++) {
    const int s = place20(k);
    row[k * PAIRS] = make_float2(re[s], im[s]);
  }
  __syncthreads();
  // The frames come apart: one is the sum with the conjugate of frequency 400-k, the other the difference.
  const float2* mirror = points + (j ? 20 - j : 0) * 20 * PAIRS + pair;
  const int top = j ? 19 : 20;
#pragma unroll
  for (int k = 0; k < 10; k++) {
    const int s = place20(k);
    float zr = re[s], zi = im[s];
    float2 q = k == 0 && j == 0 ? make_float2(zr, zi) : mirror[(k == 0 ? 19 : top - k) * PAIRS];
    float ar = zr + q.x, ai = zi - q.y, br = zr - q.x, bi = zi + q.y;
    float a = ar * ar + ai * ai, b = br * br + bi * bi;
    row[k * PAIRS] = magnitudes ? make_float2(sqrtf(a), sqrtf(b)) : make_float2(a, b);
  }
  if (j == 0) {
    const int s = place20(10);
    float a = 2.f * re[s], b = 2.f * im[s];
    row[10 * PAIRS] = magnitudes ? make_float2(fabsf(a), fabsf(b)) : make_float2(a * a, b * b);
  }
}

// features computes the frames of one block, and the peak of their clip.
template <bool magnitudes>
__device__ __forceinline__ void features(const char* samples, Clip* clips, const uint2* blocks, unsigned short* out,
                                         int mels, float factor, float offset) {
  const uint2 block = __ldg(blocks + blockIdx.x);
  Clip* clip = clips + block.x;
  const int frame0 = block.y;
  load(samples, *clip, frame0 * HOP - FRAME / 2);
  __syncthreads();
  powers<magnitudes>();
  __syncthreads();
  const int lane = threadIdx.x % FRAMES, frame = frame0 + lane, stride = clip->frames;
  const bool sounding = frame < clip->sounding;
  unsigned short* to = out + clip->out + frame;
  float peak = -1e30f;
  for (int m = threadIdx.x / FRAMES; m < mels; m += THREADS / FRAMES) {
    float energy = 0.f;
    const int end = first_tap[m + 1];
    for (int t = first_tap[m]; t < end; t++) {
      float2 tap = taps[t];
      energy = fmaf(tap.x, shared[__float_as_int(tap.y) * FRAMES + lane], energy);
    }
    float v = scaled(energy, factor, offset);
    if (sounding) {
      to[(long long)m * stride] = to_half(v);
      peak = fmaxf(peak, v);
    }
  }
#pragma unroll
  for (int d = 16; d; d >>= 1) peak = fmaxf(peak, __shfl_xor_sync(0xffffffffu, peak, d));
  if (lane == 0) atomicMax(&clip->peak, ordered(peak));
}

extern "C" __global__ void __launch_bounds__(THREADS, 3)
logmel_power(const char* samples, Clip* clips, const uint2* blocks, unsigned short* out, int mels, float factor, float offset) {
  features<false>(samples, clips, blocks, out, mels, factor, offset);
}

extern "C" __global__ void __launch_bounds__(THREADS, 3)
logmel_magnitude(const char* samples, Clip* clips, const uint2* blocks, unsigned short* out, int mels, float factor, float offset) {
  features<true>(samples, clips, blocks, out, mels, factor, offset);
}

// finish raises values to below under their clip's peak, and fills the frames that are padding.
// Values are raised after they were rounded: rounding keeps the order, so the result is the same.
extern "C" __global__ void finish(const Clip* clips, const uint2* chunks, unsigned short* out, int mels,
                                  float factor, float offset, float below) {
  const uint2 chunk = __ldg(chunks + blockIdx.x);
  const Clip* clip = clips + chunk.x;
  const int frames = clip->frames, sounding = clip->sounding;
  const long long total = (long long)mels * frames;
  unsigned short* values = out + clip->out;
  const bool aligned = ((size_t)values & 15) == 0;
  const unsigned short least = to_half(unordered(clip->peak) - below);
  const float threshold = from_half(least);
  const unsigned short silent = to_half(fmaxf(scaled(0.f, factor, offset), unordered(clip->peak) - below));
  const long long from = (long long)chunk.y * FINISH_VALUES;
  const long long to = from + FINISH_VALUES < total ? from + FINISH_VALUES : total;
  for (long long i = from + threadIdx.x * 8; i < to; i += FINISH_THREADS * 8) {
    int frame = sounding < frames ? (int)(i % frames) : 0; // without padding nobody asks
    const bool padding = frame >= sounding && frame + 8 <= frames;
    const bool computed = sounding == frames || frame + 8 <= sounding;
    const bool whole = aligned && i + 8 <= to && (padding || computed);
    union { uint4 all; unsigned short one[8]; } v;
    bool changed = false;
    const int n = whole ? 8 : (int)(to - i < 8 ? to - i : 8);
    if (whole && computed) v.all = *(const uint4*)(values + i);
#pragma unroll
    for (int k = 0; k < 8; k++) {
      if (k >= n) break;
      if (sounding < frames && frame >= sounding) {
        v.one[k] = silent;
        changed = true;
      } else {
        if (!whole) v.one[k] = values[i + k];
        if (from_half(v.one[k]) < threshold) {
          v.one[k] = least;
          changed = true;
        }
      }
      if (++frame == frames) frame = 0;
      if (!whole) values[i + k] = v.one[k];
    }
    if (whole && changed) *(uint4*)(values + i) = v.all;
  }
}
