/* A driver library without a GPU, for tests: host memory stands for device memory, and the
 * current context is kept per thread as the real library does.
 *
 *   -DNO_DEVICE     cuInit says that there is no GPU
 *   -DTOO_OLD       a function that came with CUDA 11.0 is missing
 *   -DFULL          device memory is used up
 *   -DHANGS         cuInit never returns
 *   -DCRASHES       cuInit kills the process
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { OK = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NO_DEVICE_CODE = 100, INVALID_DEVICE = 101, INVALID_CONTEXT = 201, INVALID_PTX = 218, NOT_SUPPORTED = 801 };

static int the_context;              /* its address is the handle */
static __thread void *current;       /* per thread, as in the real library */
#define NEED_CONTEXT if (current != &the_context) return INVALID_CONTEXT

int cuInit(unsigned flags) {
#if defined NO_DEVICE
	return NO_DEVICE_CODE;
#elif defined HANGS
	for (;;) pause();
#elif defined CRASHES
	abort();
#endif
	return flags ? INVALID_VALUE : OK;
}

int cuDriverGetVersion(int *v) { *v = 13000; return OK; }

int cuGetErrorName(int code, const char **s) {
	switch (code) {
	case INVALID_VALUE: *s = "CUDA_ERROR_INVALID_VALUE"; return OK;
	case OUT_OF_MEMORY: *s = "CUDA_ERROR_OUT_OF_MEMORY"; return OK;
	case NO_DEVICE_CODE: *s = "CUDA_ERROR_NO_DEVICE"; return OK;
	case INVALID_CONTEXT: *s = "CUDA_ERROR_INVALID_CONTEXT"; return OK;
	case INVALID_PTX: *s = "CUDA_ERROR_INVALID_PTX"; return OK;
	}
	*s = NULL;
	return INVALID_VALUE;
}

int cuGetErrorString(int code, const char **s) {
	switch (code) {
	case INVALID_VALUE: *s = "invalid argument"; return OK;
	case OUT_OF_MEMORY: *s = "out of memory"; return OK;
	case NO_DEVICE_CODE: *s = "no CUDA-capable device is detected"; return OK;
	case INVALID_CONTEXT: *s = "invalid device context"; return OK;
	case INVALID_PTX: *s = "a PTX JIT compilation failed"; return OK;
	}
	*s = NULL;
	return INVALID_VALUE;
}

int cuDeviceGetCount(int *n) { *n = 1; return OK; }
int cuDeviceGet(int *dev, int i) { *dev = 7; return i == 0 ? OK : INVALID_DEVICE; }

int cuDeviceGetName(char *name, int n, int dev) {
	if (dev != 7) return INVALID_DEVICE;
	strncpy(name, "NVIDIA H200", n);
	return OK;
}

int cuDeviceGetUuid(unsigned char *uuid, int dev) {
	for (int i = 0; i < 16; i++) uuid[i] = 0x10 + i;
	return dev == 7 ? OK : INVALID_DEVICE;
}

int cuDeviceGetPCIBusId(char *id, int n, int dev) {
	strncpy(id, "0000:1A:00.0", n);
	return dev == 7 ? OK : INVALID_DEVICE;
}

int cuDeviceTotalMem_v2(size_t *bytes, int dev) { *bytes = 150754820096ull; return dev == 7 ? OK : INVALID_DEVICE; }

int cuDeviceGetAttribute(int *value, int attribute, int dev) {
	if (dev != 7) return INVALID_DEVICE;
	switch (attribute) {
	case 13: *value = 1980000; return OK;
	case 16: *value = 132; return OK;
	case 18: *value = 0; return OK;
	case 36: *value = 3201000; return OK;
	case 37: *value = 6144; return OK;
	case 38: *value = 62914560; return OK;
	case 75: *value = 9; return OK;
	case 76: *value = 0; return OK;
	}
	*value = -1;
	return INVALID_VALUE; /* 40, the copy engines, is one that it does not know */
}

int cuDevicePrimaryCtxRetain(void **ctx, int dev) { *ctx = &the_context; return dev == 7 ? OK : INVALID_DEVICE; }
#ifndef TOO_OLD
int cuDevicePrimaryCtxRelease_v2(int dev) { return dev == 7 ? OK : INVALID_DEVICE; }
#endif
int cuCtxGetCurrent(void **ctx) { *ctx = current; return OK; }
int cuCtxSetCurrent(void *ctx) { current = ctx; return OK; }
int cuCtxSynchronize(void) { NEED_CONTEXT; return OK; }

int cuMemGetInfo_v2(size_t *free, size_t *total) {
	NEED_CONTEXT;
	*free = 149000000000ull;
	*total = 150754820096ull;
	return OK;
}

int cuMemAlloc_v2(void **p, size_t n) {
	NEED_CONTEXT;
#ifdef FULL
	return OUT_OF_MEMORY;
#endif
	return (*p = malloc(n)) ? OK : OUT_OF_MEMORY;
}
int cuMemFree_v2(void *p) { NEED_CONTEXT; free(p); return OK; }
int cuMemHostAlloc(void **p, size_t n, unsigned flags) { NEED_CONTEXT; (void)flags; return (*p = malloc(n)) ? OK : OUT_OF_MEMORY; }
int cuMemFreeHost(void *p) { NEED_CONTEXT; free(p); return OK; }
int cuMemcpyHtoD_v2(void *d, const void *s, size_t n) { NEED_CONTEXT; memcpy(d, s, n); return OK; }
int cuMemcpyDtoH_v2(void *d, const void *s, size_t n) { NEED_CONTEXT; memcpy(d, s, n); return OK; }

/* Streams do their work at once; an event is the time at which it was recorded. */
int cuMemcpyHtoDAsync_v2(void *d, const void *s, size_t n, void *stream) { NEED_CONTEXT; memcpy(d, s, n); return stream ? OK : INVALID_VALUE; }
int cuMemcpyDtoHAsync_v2(void *d, const void *s, size_t n, void *stream) { NEED_CONTEXT; memcpy(d, s, n); return stream ? OK : INVALID_VALUE; }
int cuStreamCreate(void **s, unsigned flags) { NEED_CONTEXT; (void)flags; *s = malloc(1); return OK; }
int cuStreamSynchronize(void *s) { return s ? OK : INVALID_VALUE; }
int cuStreamDestroy_v2(void *s) { free(s); return OK; }
int cuEventCreate(struct timespec **e, unsigned flags) { NEED_CONTEXT; (void)flags; *e = calloc(1, sizeof **e); return OK; }
int cuEventRecord(struct timespec *e, void *stream) { clock_gettime(CLOCK_MONOTONIC, e); return stream ? OK : INVALID_VALUE; }
int cuEventSynchronize(struct timespec *e) { return e ? OK : INVALID_VALUE; }
int cuEventElapsedTime(float *ms, struct timespec *a, struct timespec *b) {
	*ms = (b->tv_sec - a->tv_sec) * 1e3f + (b->tv_nsec - a->tv_nsec) / 1e6f;
	return OK;
}
int cuEventDestroy_v2(struct timespec *e) { free(e); return OK; }
int cuEventQuery(struct timespec *e) { return e ? OK : INVALID_VALUE; }
int cuStreamWaitEvent(void *s, struct timespec *e, unsigned flags) { return s && e && !flags ? OK : INVALID_VALUE; }
int cuMemHostRegister_v2(void *p, size_t n, unsigned flags) { NEED_CONTEXT; (void)flags; return p && n ? OK : INVALID_VALUE; }
int cuMemHostUnregister(void *p) { NEED_CONTEXT; return p ? OK : INVALID_VALUE; }

/* There is no GPU to compile for: the compiler complains, as it does of code that it cannot read. */
int cuModuleLoadDataEx(void **m, const char *image, unsigned n, const unsigned *options, void **values) {
	NEED_CONTEXT;
	(void)m;
	for (unsigned i = 0; i + 1 < n; i++)
		if (options[i] == 5 && options[i + 1] == 6) {
			strncpy(values[i], "ptxas fatal   : Unexpected text\nnear line 1: ", (size_t)values[i + 1]);
			strncat(values[i], image, (size_t)values[i + 1] - strlen(values[i]) - 1);
		}
	return INVALID_PTX;
}
int cuModuleUnload(void *m) { return INVALID_VALUE; }
int cuModuleGetFunction(void **f, void *m, const char *name) { return INVALID_VALUE; }
int cuModuleGetGlobal_v2(void **p, size_t *n, void *m, const char *name) { return INVALID_VALUE; }
int cuFuncSetAttribute(void *f, int attribute, int value) { return INVALID_VALUE; }
int cuFuncGetAttribute(int *value, int attribute, void *f) { return INVALID_VALUE; }
int cuLaunchKernel(void) { return INVALID_VALUE; }
int cuStreamBeginCapture_v2(void *s, int mode) { return NOT_SUPPORTED; }
int cuStreamEndCapture(void *s, void **g) { return NOT_SUPPORTED; }
int cuGraphDestroy(void *g) { return INVALID_VALUE; }
int cuGraphLaunch(void *g, void *s) { return INVALID_VALUE; }
int cuGraphExecDestroy(void *g) { return INVALID_VALUE; }
/* cuGraphInstantiateWithFlags is younger, and missing. */
