package cuda

// function is an entry point of the driver library. Those before firstOptional must be there.
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
	cuEventQuery
	cuStreamWaitEvent
	cuMemHostRegister
	cuMemHostUnregister
	cuModuleLoadDataEx
	cuModuleUnload
	cuModuleGetFunction
	cuModuleGetGlobal
	cuFuncSetAttribute
	cuFuncGetAttribute
	cuLaunchKernel
	cuStreamBeginCapture
	cuStreamEndCapture
	cuGraphDestroy
	cuGraphLaunch
	cuGraphExecDestroy
	cuGraphInstantiateWithFlags
	functionCount

	// firstOptional and those after it are younger than the oldest driver that is of use: the
	// call that needs one says so.
	firstOptional = cuGraphInstantiateWithFlags
)

// functionNames are the names in the library. _v2 is the 64-bit form that the C headers
// also choose; cuDevicePrimaryCtxRelease_v2 is the youngest that must be there, from CUDA 11.0.
var functionNames = [functionCount]string{
	cuInit:                      "cuInit",
	cuDriverGetVersion:          "cuDriverGetVersion",
	cuGetErrorName:              "cuGetErrorName",
	cuGetErrorString:            "cuGetErrorString",
	cuDeviceGetCount:            "cuDeviceGetCount",
	cuDeviceGet:                 "cuDeviceGet",
	cuDeviceGetName:             "cuDeviceGetName",
	cuDeviceGetUuid:             "cuDeviceGetUuid",
	cuDeviceGetPCIBusId:         "cuDeviceGetPCIBusId",
	cuDeviceTotalMem:            "cuDeviceTotalMem_v2",
	cuDeviceGetAttribute:        "cuDeviceGetAttribute",
	cuDevicePrimaryCtxRetain:    "cuDevicePrimaryCtxRetain",
	cuDevicePrimaryCtxRelease:   "cuDevicePrimaryCtxRelease_v2",
	cuCtxGetCurrent:             "cuCtxGetCurrent",
	cuCtxSetCurrent:             "cuCtxSetCurrent",
	cuCtxSynchronize:            "cuCtxSynchronize",
	cuMemGetInfo:                "cuMemGetInfo_v2",
	cuMemAlloc:                  "cuMemAlloc_v2",
	cuMemFree:                   "cuMemFree_v2",
	cuMemHostAlloc:              "cuMemHostAlloc",
	cuMemFreeHost:               "cuMemFreeHost",
	cuMemcpyHtoD:                "cuMemcpyHtoD_v2",
	cuMemcpyDtoH:                "cuMemcpyDtoH_v2",
	cuMemcpyHtoDAsync:           "cuMemcpyHtoDAsync_v2",
	cuMemcpyDtoHAsync:           "cuMemcpyDtoHAsync_v2",
	cuStreamCreate:              "cuStreamCreate",
	cuStreamSynchronize:         "cuStreamSynchronize",
	cuStreamDestroy:             "cuStreamDestroy_v2",
	cuEventCreate:               "cuEventCreate",
	cuEventRecord:               "cuEventRecord",
	cuEventSynchronize:          "cuEventSynchronize",
	cuEventElapsedTime:          "cuEventElapsedTime",
	cuEventDestroy:              "cuEventDestroy_v2",
	cuEventQuery:                "cuEventQuery",
	cuStreamWaitEvent:           "cuStreamWaitEvent",
	cuMemHostRegister:           "cuMemHostRegister_v2",
	cuMemHostUnregister:         "cuMemHostUnregister",
	cuModuleLoadDataEx:          "cuModuleLoadDataEx",
	cuModuleUnload:              "cuModuleUnload",
	cuModuleGetFunction:         "cuModuleGetFunction",
	cuModuleGetGlobal:           "cuModuleGetGlobal_v2",
	cuFuncSetAttribute:          "cuFuncSetAttribute",
	cuFuncGetAttribute:          "cuFuncGetAttribute",
	cuLaunchKernel:              "cuLaunchKernel",
	cuStreamBeginCapture:        "cuStreamBeginCapture_v2",
	cuStreamEndCapture:          "cuStreamEndCapture",
	cuGraphDestroy:              "cuGraphDestroy",
	cuGraphLaunch:               "cuGraphLaunch",
	cuGraphExecDestroy:          "cuGraphExecDestroy",
	cuGraphInstantiateWithFlags: "cuGraphInstantiateWithFlags",
}
