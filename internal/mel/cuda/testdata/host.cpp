// The kernels of logmel.cu on the processor, so that a test without a GPU runs the very source:
// every thread of a block is a fiber, and a barrier is the place where they take turns.
//
// Reads a batch from standard input, as host_test.go writes it; writes the output's values.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ucontext.h>
#include <vector>

#define HOST_TEST
#define __device__
#define __global__
#define __constant__
#define __shared__
#define __forceinline__ inline
#define __launch_bounds__(...)
struct float2 { float x, y; };
struct uint2 { unsigned x, y; };
struct uint4 { unsigned x, y, z, w; };
static float2 make_float2(float x, float y) { return {x, y}; }
static struct { int x; } threadIdx, blockIdx;
template <class T> static T __ldg(const T* p) { return *p; }
static int __float_as_int(float f) { int i; memcpy(&i, &f, 4); return i; }
static float __int_as_float(int i) { float f; memcpy(&f, &i, 4); return f; }
#define __log2f(x) log2f(x) // the C library has this name too
static void atomicMax(int* p, int v) { if (*p < v) *p = v; }
static unsigned short to_half(float f) { _Float16 h = (_Float16)f; unsigned short u; memcpy(&u, &h, 2); return u; }
static float from_half(unsigned short u) { _Float16 h; memcpy(&h, &u, 2); return (float)h; }

static ucontext_t scheduler;
static std::vector<ucontext_t> fibers;
static int running;
static void __syncthreads() { swapcontext(&fibers[running], &scheduler); }
static float exchange[1024];
static float __shfl_xor_sync(unsigned, float v, int d) {
  exchange[threadIdx.x] = v;
  __syncthreads();
  float other = exchange[threadIdx.x ^ d];
  __syncthreads();
  return other;
}

#include "../logmel.cu"

float shared[2 * FRAME * PAIRS];

static void (*body)();
static std::vector<bool> ended;
static void fiber() { body(); ended[running] = true; }

// block runs one block's threads, in turn from barrier to barrier.
static void block(int threads, void (*work)()) {
  static std::vector<char> stacks(1024 * (64 << 10));
  body = work;
  fibers.assign(threads, ucontext_t());
  ended.assign(threads, false);
  for (int t = 0; t < threads; t++) {
    getcontext(&fibers[t]);
    fibers[t].uc_stack.ss_sp = &stacks[(size_t)t * (64 << 10)];
    fibers[t].uc_stack.ss_size = 64 << 10;
    fibers[t].uc_link = &scheduler;
    makecontext(&fibers[t], fiber, 0);
  }
  for (bool more = true; more;) {
    more = false;
    for (running = 0; running < threads; running++) {
      if (ended[running]) continue;
      threadIdx.x = running;
      swapcontext(&scheduler, &fibers[running]);
      more = more || !ended[running];
    }
  }
}

static void read(void* to, size_t bytes) { if (fread(to, 1, bytes, stdin) != bytes) exit(2); }

static struct {
  int mels, magnitudes, clips, blocks, chunks, taps, samples, values;
  float factor, offset, below;
} job;
static std::vector<char> samples;
static std::vector<Clip> clips;
static std::vector<uint2> blocks, chunks;
static std::vector<unsigned short> out;

int main() {
  read(&job, sizeof job);
  read(window, sizeof window);
  read(twiddle, sizeof twiddle);
  read(taps, job.taps * sizeof *taps);
  read(first_tap, (job.mels + 1) * sizeof *first_tap);
  samples.resize(job.samples + 16);
  clips.resize(job.clips);
  blocks.resize(job.blocks);
  chunks.resize(job.chunks);
  out.assign(job.values, 0x7e00); // no number, so that what is not written shows
  read(samples.data(), job.samples);
  read(clips.data(), job.clips * sizeof(Clip));
  read(blocks.data(), job.blocks * sizeof(uint2));
  read(chunks.data(), job.chunks * sizeof(uint2));
  for (blockIdx.x = 0; blockIdx.x < job.blocks; blockIdx.x++)
    block(THREADS, [] {
      (job.magnitudes ? logmel_magnitude : logmel_power)(samples.data(), clips.data(), blocks.data(), out.data(), job.mels, job.factor, job.offset);
    });
  for (blockIdx.x = 0; blockIdx.x < job.chunks; blockIdx.x++)
    block(FINISH_THREADS, [] { finish(clips.data(), chunks.data(), out.data(), job.mels, job.factor, job.offset, job.below); });
  return fwrite(out.data(), 2, out.size(), stdout) == out.size() ? 0 : 1;
}
