"""Writes small.pftrace with Perfetto's own package (`pip install perfetto`): two steps as rocprofv3 writes them, and a slice of a program.

Names are given once and then by number. The host's events use a clock that counts from packet to packet, the GPU's are written with their
times since boot; two kernels of a queue overlap.
"""
import zlib

from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as p

trace, base = p.Trace(), 63_857_000_000_000
names, categories, keys = {}, {}, {}


def number(table, entries, text):
    if text not in table:
        table[text] = len(table) + 1
        entry = entries.add()
        entry.iid, entry.name = table[text], text
    return table[text]


def packet(sequence=1):
    x = trace.packet.add()
    x.trusted_packet_sequence_id = sequence
    return x


def track(uuid, name, pid=0, tid=0):
    x = packet()
    x.track_descriptor.uuid, x.track_descriptor.name = uuid, name
    if tid:
        x.track_descriptor.thread.pid, x.track_descriptor.thread.tid = pid, tid


first = packet()
first.sequence_flags = 1
first.trace_packet_defaults.timestamp_clock_id = 64
for clock, time in [(6, base), (64, 0)]:
    c = first.clock_snapshot.clocks.add()
    c.clock_id, c.timestamp = clock, time
    if clock == 64:
        c.is_incremental = True
track(11, "THREAD 0 (908)", 908, 908)
track(12, "COMPUTE AGENT [2] QUEUE [0] (GPU)")
track(13, "COPY to AGENT [2] THREAD [0] (GPU)")
now = 0


def slice(uuid, category, name, start, end, host=False, **args):
    global now
    for time, kind in [(start, 1), (end, 2)]:
        x = packet()
        if host:
            x.timestamp, now = time - now, time
        else:
            x.timestamp, x.timestamp_clock_id = base + time, 6
        e = x.track_event
        e.type, e.track_uuid = kind, uuid
        if kind == 2:
            continue
        e.name_iid = number(names, x.interned_data.event_names, name)
        e.category_iids.append(number(categories, x.interned_data.event_categories, category))
        for key, value in {"begin_ns": base + start, "end_ns": base + end, **args}.items():
            a = e.debug_annotations.add()
            a.name_iid, a.uint_value = number(keys, x.interned_data.debug_annotation_names, key), value


for step in range(2):
    at, n = step * 1_000_000, step * 10
    slice(11, "hip_api", "hipMemcpyAsync", at + 10_000, at + 30_000, True, corr_id=n + 1, tid=908)
    slice(11, "hip_api", "hipLaunchKernel", at + 40_000, at + 45_000, True, corr_id=n + 2, tid=908)
    slice(11, "hip_api", "hipLaunchKernel", at + 50_000, at + 55_000, True, corr_id=n + 3, tid=908)
    slice(13, "memory_copy", "MEMORY_COPY_HOST_TO_DEVICE", at + 20_000, at + 60_000, copy_bytes=4096, dst_agent=2, corr_id=n + 1)
    slice(12, "kernel_dispatch", "Cijk_Ailk_Bljk_BBS", at + 100_000, at + 150_000, agent=2, queue=0, corr_id=n + 2)
    slice(12, "kernel_dispatch", "relu(float*)", at + 140_000, at + 220_000, agent=2, queue=0, corr_id=n + 3)

# A program that uses the SDK: slices inside slices, in packets that are compressed, of another writer with other names.
inner, plain = p.Trace(), [(1, "train_step", 300_000), (1, "data", 310_000), (2, "", 350_000), (2, "", 400_000)]
for i, (kind, name, time) in enumerate(plain):
    x = inner.packet.add()
    x.trusted_packet_sequence_id, x.timestamp, x.timestamp_clock_id = 2, base + time, 6
    x.track_event.type, x.track_event.track_uuid = kind, 11
    if kind == 1:
        x.track_event.name = name
packet(2).compressed_packets = zlib.compress(inner.SerializeToString())
with open("small.pftrace", "wb") as f:
    f.write(trace.SerializeToString())
