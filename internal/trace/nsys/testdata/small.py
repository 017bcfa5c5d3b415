"""Writes small.sqlite: an export by the schema of Nsight Systems, small enough to check by hand."""
import os
import sqlite3

path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "small.sqlite")
if os.path.exists(path):
    os.remove(path)
db = sqlite3.connect(path)
db.executescript("""
PRAGMA page_size = 1024;
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE TARGET_INFO_GPU (id INTEGER NOT NULL, name TEXT, totalMemory INTEGER, smCount INTEGER, computeMajor INTEGER, computeMinor INTEGER);
CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT, localTime TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
  demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER, registersPerThread INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, bytes INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL);
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, text TEXT, globalTid INTEGER, textId INTEGER);
INSERT INTO StringIds VALUES (1,'gemm(float*)'),(2,'gemm'),(3,'cudaLaunchKernel_v7000'),(4,'cudaMemcpyAsync_v3020'),(5,'cudaMemsetAsync_v3020'),(6,'aten::mm, op_id = 4, seq = 1');
INSERT INTO TARGET_INFO_GPU VALUES (0,'NVIDIA H200',150000000000,132,9,0);
INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1790000000000000000,'','');
""")
process, number = 4711 << 24, 0
for step in range(3):
    at = step * 1_000_000
    db.execute("INSERT INTO NVTX_EVENTS VALUES (?,?,59,?,?,NULL)", (at, at + 1_000_000, f"ProfilerStep#{step}", process | 4711))
    for k in range(102):
        number, call, name = number + 1, at + 9_000 * k + 10, 3
        if k == 100:
            name = 4
            db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (?,?,0,7,?,?,4096,1,0,2)", (call + 100, call + 3000, number, process))
        elif k == 101:
            name = 5
            db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (?,?,0,7,?,?,64)", (call + 4000, call + 5000, number, process))
        else:
            db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?,?,0,7,?,?,1,2,10,2,1,128,1,1,32)", (call + 4000, call + 8000, number, process))
            db.execute("INSERT INTO NVTX_EVENTS VALUES (?,?,59,NULL,?,6)", (call - 5, call + 2100, process | 4711))
        db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?,?,?,?,?)", (call, call + 2000, process | 4711, number, name))
db.commit()
