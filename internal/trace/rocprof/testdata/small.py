"""Writes small.json: two steps of a process as rocprofv3 7 writes them (the keys and numbers of rocprofiler-sdk's JSON).

Each step is a roctx range with a copy to the GPU, three kernels on two streams, and the HIP calls that launch them.
"""
import json

kinds = ["NONE", "HIP_RUNTIME_API", "MEMORY_COPY", "KERNEL_DISPATCH", "MARKER_CORE_RANGE_API"]
operations = [[], ["hipMemcpyAsync", "hipLaunchKernel", "hipDeviceSynchronize"], ["MEMORY_COPY_NONE", "MEMORY_COPY_HOST_TO_HOST", "MEMORY_COPY_HOST_TO_DEVICE"],
              ["KERNEL_DISPATCH_NONE", "KERNEL_DISPATCH_ENQUEUE", "KERNEL_DISPATCH_COMPLETE"], ["roctxMarkA", "roctxThreadRangeA"]]
kernels, copies, calls, ranges, texts = [], [], [], [], []
number, base = 0, 63_857_000_000_000


def record(kind, operation, start, end, **more):
    return {"size": 64, "kind": kind, "operation": operation, "thread_id": 908, "correlation_id": {"internal": number, "external": 0},
            "start_timestamp": base + start, "end_timestamp": base + end, **more}


def launch(at, stream, kernel, start, length):
    global number
    number += 1
    calls.append(record(1, 1, at, at + 5_000))
    kernels.append(record(3, 2, start, start + length, stream_id={"handle": stream}, dispatch_info={
        "size": 72, "agent_id": {"handle": 71}, "queue_id": {"handle": 1}, "kernel_id": kernel, "dispatch_id": number, "private_segment_size": 0,
        "group_segment_size": 512, "workgroup_size": {"x": 256, "y": 1, "z": 1}, "grid_size": {"x": 2560, "y": 2, "z": 1}}))


for step in range(2):
    at = step * 1_000_000
    number += 1
    texts.append({"key": number, "value": f"ProfilerStep#{step}"})
    ranges.append(record(4, 1, at, at + 900_000))
    number += 1
    calls.append(record(1, 0, at + 10_000, at + 30_000))
    copies.append(record(2, 2, at + 20_000, at + 60_000, dst_agent_id={"handle": 71}, src_agent_id={"handle": 70}, bytes=4096, stream_id={"handle": 3}))
    launch(at + 40_000, 3, 1, at + 100_000, 50_000)
    launch(at + 50_000, 3, 2, at + 150_000, 70_000)
    launch(at + 60_000, 4, 3, at + 160_000, 10_000)

tool = {
    "metadata": {"node": {"hostname": "node-7"}, "pid": 908, "command": ["python", "train.py"]},
    "agents": [{"id": {"handle": 70}, "type": 1, "cu_count": 128, "name": "CPU", "product_name": "AMD EPYC 9575F", "logical_node_type_id": 0},
               {"id": {"handle": 71}, "type": 2, "cu_count": 304, "wave_front_size": 64, "name": "gfx942", "product_name": "AMD Instinct MI300X",
                "logical_node_type_id": 1, "mem_banks": [{"size_in_bytes": 206141652992}]}],
    "counters": [],
    "strings": {"buffer_records": [{"kind": k, "operations": o} for k, o in zip(kinds, operations)], "marker_api": texts},
    "code_objects": [],
    "kernel_symbols": [{"kernel_id": i, "kernel_name": n, "formatted_kernel_name": n, "arch_vgpr_count": 40, "accum_vgpr_count": 8}
                       for i, n in [(1, "Cijk_Ailk_Bljk_BBS"), (2, "relu(float*)"), (3, "__amd_rocclr_fillBufferAligned.kd")]],
    "buffer_records": {"kernel_dispatch": kernels, "hip_api": calls, "hsa_api": [], "marker_api": ranges, "rccl_api": [], "memory_copy": copies},
}
with open("small.json", "w") as f:
    json.dump({"rocprofiler-sdk-tool": [tool]}, f)
