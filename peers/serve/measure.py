#!/usr/bin/env python3
"""Measures `saturate serve` on a trace: import, server memory, tiles at random zooms, event details and selections.

    python3 peers/serve/measure.py SATURATE TRACE RESULT.json

The trace may be made by `go run ./peers/trace/tile -n 19 testdata/traces/launchbound.pt.trace.json.gz big.json`.
Standard library only. Times are those of a client on the same machine, one request after the other.
"""
import http.client
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time


def status(pid, key):
    with open(f"/proc/{pid}/status") as f:
        for line in f:
            if line.startswith(key + ":"):
                return int(line.split()[1]) * 1024
    return 0


def quantiles(values):
    values = sorted(values)
    pick = lambda q: round(values[min(len(values) - 1, int(q * len(values)))], 3)
    return {"n": len(values), "p50": pick(0.5), "p95": pick(0.95), "p99": pick(0.99), "max": round(values[-1], 3)}


def main():
    saturate, trace, result = sys.argv[1:4]
    random.seed(1)
    cache = os.environ.get("SERVE_CACHE") or tempfile.mkdtemp(prefix="serve-")
    server = subprocess.Popen([saturate, "serve", "--no-open", "--cache", cache, trace], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    out = {"trace_bytes": os.path.getsize(trace), "load_average_at_start": os.getloadavg()[0], "cpus": os.cpu_count()}
    try:
        base, token = server.stdout.readline().strip().split("#")
        host = base.split("/")[2]
        trace_id = base.rsplit("/", 1)[1]
        line = http.client.HTTPConnection(host)
        line.request("POST", "/api/login", json.dumps({"token": token}), {"Content-Type": "application/json", "Origin": "http://" + host})
        answer = line.getresponse()
        headers = {"Cookie": answer.getheader("Set-Cookie").split(";")[0], "X-Saturate": json.loads(answer.read())["key"]}

        def get(path):
            began = time.perf_counter()
            line.request("GET", path, headers=headers)
            r = line.getresponse()
            body = r.read()
            return r.status, body, (time.perf_counter() - began) * 1000

        began, phases = time.time(), {}
        while True:
            code, body, _ = get("/api/trace/" + trace_id)
            if code != 202:
                break
            phases.setdefault(json.loads(body)["phase"], round(time.time() - began, 1))
            time.sleep(0.2)
        assert code == 200, body[:300]
        out["import_s"], out["phases_begin_s"] = round(time.time() - began, 1), phases
        out["import_peak_bytes"] = status(server.pid, "VmHWM")
        out["cache_bytes"] = sum(os.path.getsize(os.path.join(d, f)) for d, _, fs in os.walk(cache) for f in fs)
        time.sleep(3)
        with open(f"/proc/{server.pid}/clear_refs", "w") as f:
            f.write("5")  # from here on VmHWM is that of the server at work
        outline = json.loads(get(f"/api/trace/{trace_id}/outline")[1])
        out["events"], out["span_s"] = outline["events"], outline["span_ns"] / 1e9
        single, screens = [], []
        cpu = lambda: sum(map(int, open(f"/proc/{server.pid}/stat").read().rsplit(")", 1)[1].split()[11:13])) * 1000 / os.sysconf("SC_CLK_TCK")
        before = cpu()
        for _ in range(400):
            level = random.randint(0, outline["top"])
            index = random.randint(0, max(0, outline["span_ns"] >> level) // 512)
            group = random.choice(outline["groups"])["number"]
            single.append(get(f"/api/trace/{trace_id}/tiles?q={group}.{level}.{index}")[2])
            screen = ",".join(f"{g['number']}.{level}.{i}" for g in outline["groups"] for i in range(index, index + 3))
            t = 0
            parts = screen.split(",")
            for k in range(0, len(parts), 32):
                t += get(f"/api/trace/{trace_id}/tiles?q=" + ",".join(parts[k:k + 32]))[2]
            screens.append(t)
        out["tile_ms"], out["screen_ms"], out["tiles_a_screen"] = quantiles(single), quantiles(screens), len(parts)
        out["cpu_ms_a_tile"] = round((cpu() - before) / (400 * (1 + len(parts))), 3)  # does not depend on what else runs here
        out["event_ms"] = quantiles([get(f"/api/trace/{trace_id}/event/{random.randrange(outline['events'])}")[2] for _ in range(300)])
        for name, share in [("all", 1), ("1_percent", 0.01), ("1_of_10000", 0.0001)]:
            times = []
            for _ in range(3 if share == 1 else 20):
                length = int(outline["span_ns"] * share)
                start = random.randint(0, outline["span_ns"] - length)
                times.append(get(f"/api/trace/{trace_id}/select?from={start}&to={start + length}")[2])
            out["select_" + name + "_ms"] = quantiles(times)
        out["server_peak_at_work_bytes"], out["server_rss_bytes"] = status(server.pid, "VmHWM"), status(server.pid, "VmRSS")
    finally:
        server.send_signal(signal.SIGINT)
        server.wait()
    began = time.perf_counter()
    server = subprocess.Popen([saturate, "serve", "--no-open", "--cache", cache, trace], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    base, token = server.stdout.readline().strip().split("#")
    line = http.client.HTTPConnection(base.split("/")[2])
    line.request("POST", "/api/login", json.dumps({"token": token}), {"Content-Type": "application/json", "Origin": "http://" + base.split("/")[2]})
    answer = line.getresponse()
    headers = {"Cookie": answer.getheader("Set-Cookie").split(";")[0], "X-Saturate": json.loads(answer.read())["key"]}
    code, _, _ = get("/api/trace/" + trace_id)
    while code == 202:
        code, _, _ = get("/api/trace/" + trace_id)
    out["again_from_start_to_data_s"] = round(time.perf_counter() - began, 3)
    server.send_signal(signal.SIGINT)
    server.wait()
    out["load_average_at_end"] = os.getloadavg()[0]
    with open(result, "w") as f:
        json.dump(out, f, indent=1)
    print(json.dumps(out, indent=1))


main()
