package cuda

// function is an entry point of the driver library. All of them must be there.
type function int

const (
	cuInit function = iota
	cuDriverGetVersion
	cuGetErrorName
	cuGetErrorString
	cuDeviceGetCount
	cuDeviceGet
	cuDeviceGetName
	cuDeviceGetUuid
	cuDeviceGetPCIBusId
	cuDeviceTotalMem
	cuDeviceGetAttribute
	cuDevicePrimaryCtxRetain
	cuDevicePrimaryCtxRelease
	cuCtxGetCurrent
	cuCtxSetCurrent
	cuCtxSynchronize
	cuMemGetInfo
	cuMemAlloc
	cuMemFree
	cuMemHostAlloc
	cuMemFreeHost
	cuMemcpyHtoD
	cuMemcpyDtoH
	cuMemcpyHtoDAsync
	cuMemcpyDtoHAsync
	cuStreamCreate
	cuStreamSynchronize
	cuStreamDestroy
	cuEventCreate
	cuEventRecord
	cuEventSynchronize
	cuEventElapsedTime
	cuEventDestroy
	functionCount
)

// functionNames are the names in the library. _v2 is the 64-bit form that the C headers
// also choose; cuDevicePrimaryCtxRelease_v2 is the youngest of them, from CUDA 11.0.
var functionNames = [functionCount]string{
	cuInit:                    "cuInit",
	cuDriverGetVersion:        "cuDriverGetVersion",
	cuGetErrorName:            "cuGetErrorName",
	cuGetErrorString:          "cuGetErrorString",
	cuDeviceGetCount:          "cuDeviceGetCount",
	cuDeviceGet:               "cuDeviceGet",
	cuDeviceGetName:           "cuDeviceGetName",
	cuDeviceGetUuid:           "cuDeviceGetUuid",
	cuDeviceGetPCIBusId:       "cuDeviceGetPCIBusId",
	cuDeviceTotalMem:          "cuDeviceTotalMem_v2",
	cuDeviceGetAttribute:      "cuDeviceGetAttribute",
	cuDevicePrimaryCtxRetain:  "cuDevicePrimaryCtxRetain",
	cuDevicePrimaryCtxRelease: "cuDevicePrimaryCtxRelease_v2",
	cuCtxGetCurrent:           "cuCtxGetCurrent",
	cuCtxSetCurrent:           "cuCtxSetCurrent",
	cuCtxSynchronize:          "cuCtxSynchronize",
	cuMemGetInfo:              "cuMemGetInfo_v2",
	cuMemAlloc:                "cuMemAlloc_v2",
	cuMemFree:                 "cuMemFree_v2",
	cuMemHostAlloc:            "cuMemHostAlloc",
	cuMemFreeHost:             "cuMemFreeHost",
	cuMemcpyHtoD:              "cuMemcpyHtoD_v2",
	cuMemcpyDtoH:              "cuMemcpyDtoH_v2",
	cuMemcpyHtoDAsync:         "cuMemcpyHtoDAsync_v2",
	cuMemcpyDtoHAsync:         "cuMemcpyDtoHAsync_v2",
	cuStreamCreate:            "cuStreamCreate",
	cuStreamSynchronize:       "cuStreamSynchronize",
	cuStreamDestroy:           "cuStreamDestroy_v2",
	cuEventCreate:             "cuEventCreate",
	cuEventRecord:             "cuEventRecord",
	cuEventSynchronize:        "cuEventSynchronize",
	cuEventElapsedTime:        "cuEventElapsedTime",
	cuEventDestroy:            "cuEventDestroy_v2",
}
