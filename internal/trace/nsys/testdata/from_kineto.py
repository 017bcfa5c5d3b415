"""Writes a Kineto trace as Nsight Systems would export the same program, by its published schema:

    python from_kineto.py trace.json.gz out.sqlite

Nsight is not needed for that. Kernels, copies, fills and calls go to the tables of CUPTI; operators and marks become NVTX ranges, as
torch.autograd.profiler.emit_nvtx and record_function make them.
"""
import gzip
import json
import sqlite3
import sys

events = json.load(gzip.open(sys.argv[1]))["traceEvents"]
db = sqlite3.connect(sys.argv[2])
db.executescript("""
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE TARGET_INFO_GPU (vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT, busLocation TEXT, totalMemory INTEGER, smCount INTEGER, computeMajor INTEGER, computeMinor INTEGER);
CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT, localTime TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL,
  correlationId INTEGER, globalPid INTEGER, demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER, launchType INTEGER, gridX INTEGER NOT NULL,
  gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL, registersPerThread INTEGER NOT NULL,
  staticSharedMemory INTEGER NOT NULL, dynamicSharedMemory INTEGER NOT NULL, graphNodeId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL,
  correlationId INTEGER, globalPid INTEGER, bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, srcKind INTEGER, dstKind INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL,
  correlationId INTEGER, globalPid INTEGER, value INTEGER NOT NULL, bytes INTEGER NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER);
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER, category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER);
""")
ids = {}


def text(s):
    return ids.setdefault(s, len(ids) + 1)


timed = [e for e in events if e.get("ph") == "X"]
zero = min(float(e["ts"]) for e in timed)
when = lambda e: (round((float(e["ts"]) - zero) * 1000), round((float(e["ts"]) - zero + float(e["dur"])) * 1000))
pid = next(e["pid"] for e in timed if e["cat"] == "cuda_runtime")
process = pid << 24
thread = lambda e: process | e["tid"] & 0xFFFFFF
kinds = {"HtoD": 1, "DtoH": 2, "DtoD": 8}
memory = {"Pageable": 0, "Pinned": 1, "Device": 2}
for e in timed:
    cat, args, (start, end) = e["cat"], e.get("args", {}), when(e)
    if cat == "kernel":
        db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", (
            start, end, args["device"], 1, args["stream"], args.get("correlation"), process, text(e["name"]), text(e["name"].split("<")[0].split("(")[0]), None, 0,
            *args.get("grid", [1, 1, 1]), *args.get("block", [1, 1, 1]), args.get("registers per thread", 0), 0, args.get("shared memory", 0), None))
    elif cat == "gpu_memcpy":
        kind = e["name"].split()[1]
        src, _, dst = e["name"].partition("(")[2].rstrip(")").partition(" -> ")
        db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (?,?,?,?,?,?,?,?,?,?,?)", (
            start, end, args["device"], 1, args["stream"], args["correlation"], process, args.get("bytes", 0), kinds[kind], memory[src], memory[dst]))
    elif cat == "gpu_memset":
        db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (?,?,?,?,?,?,?,?,?)", (start, end, args["device"], 1, args["stream"], args["correlation"], process, 0, args.get("bytes", 0)))
    elif cat in ("cuda_runtime", "cuda_driver"):
        db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?,?,?,?,?,?,?)", (start, end, 0, thread(e), args.get("correlation"), text(e["name"] + "_v7000"), 0))
    elif cat in ("cpu_op", "user_annotation"):
        name = e["name"] + (", op_id = 1, seq = 2" if cat == "cpu_op" and e["name"].startswith("aten::") else "")
        db.execute("INSERT INTO NVTX_EVENTS VALUES (?,?,59,NULL,NULL,NULL,NULL,?,NULL,?)", (start, end, thread(e), text(name)))
db.executemany("INSERT INTO StringIds VALUES (?,?)", [(i, s) for s, i in ids.items()])
db.execute("INSERT INTO TARGET_INFO_GPU VALUES (0,0,'NVIDIA H200','',150000000000,132,9,0)")
db.execute("INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1790000000000000000,'','')")
db.commit()
