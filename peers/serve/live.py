"""Follows the page's stream of a running `saturate profile --serve=0` as a browser would, and keeps what it said.

    python3 peers/serve/live.py SATURATE RESULT.json SECONDS -- python3 train.py

Standard library only. The result has every answer about the GPUs, the steps as they came, and the states of the Run.
"""
import http.client
import json
import os
import re
import subprocess
import sys
import threading
import time


def main():
    saturate, result, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
    command = sys.argv[sys.argv.index("--") + 1:]
    program = subprocess.Popen([saturate, "profile", "--no-trace", "--serve=0", "--", *command], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    began, link, said = time.time(), [], []

    def listen():
        for line in program.stderr:
            said.append(line)
            found = re.search(r"http://(127\.0\.0\.1:\d+)\S*#([\w-]+)", line)
            if found and not link:
                link.append(found.groups())

    threading.Thread(target=listen, daemon=True).start()
    threading.Thread(target=program.stdout.read, daemon=True).start()
    while not link and time.time() - began < 60 and program.poll() is None:
        time.sleep(0.05)
    if not link:
        program.kill()
        sys.exit("there was no link: " + "".join(said)[-2000:])
    address, token = link[0]
    page = http.client.HTTPConnection(address, timeout=seconds)
    page.request("POST", "/api/login", json.dumps({"token": token}), {"Origin": "http://" + address, "Content-Type": "application/json"})
    answer = page.getresponse()
    body = answer.read()
    if answer.status != 200:
        sys.exit(f"{answer.status}: {body[:500]}")
    headers = {"Cookie": answer.getheader("Set-Cookie").split(";")[0], "X-Saturate": json.loads(body)["key"]}
    out = {"gpus": [], "states": [], "jobs": 0, "steps": 0, "first_step_s": None}

    def follow(query, only):
        stream = http.client.HTTPConnection(address, timeout=seconds + 5)
        stream.request("GET", "/api/live" + query, headers=headers)
        lines, event = stream.getresponse(), ""
        while time.time() - began < seconds:
            line = lines.readline().decode().rstrip()
            if line.startswith("event: "):
                event = line[7:]
            elif line.startswith("data: "):
                data = json.loads(line[6:])
                at = round(time.time() - began, 2)
                if event == "gpus" and not only:
                    out["gpus"].append({"at_s": at, "gpus": data})
                elif event == "state" and not only:
                    out["states"].append({"at_s": at, **data})
                    if len(out["states"]) == 1:
                        threading.Thread(target=follow, args=("?run=" + data["id"], True), daemon=True).start()
                    if data["state"] not in ("running",):
                        return
                elif event == "jobs":
                    out["jobs"] += 1
                elif event == "steps" and only:
                    out["steps"] += len(data["steps"])
                    out["first_step_s"] = out["first_step_s"] or at

    try:
        follow("", False)
    finally:
        out["seconds"] = round(time.time() - began, 1)
        out["said"] = [l for l in said if "#" not in l][-5:]
        with open(result, "w") as f:
            json.dump(out, f, indent=1)
        program.send_signal(2)
        try:
            program.wait(20)
        except subprocess.TimeoutExpired:
            program.kill()
    print(f"{len(out['gpus'])} answers about GPUs, {out['steps']} steps, states {[s['state'] for s in out['states']]}")


main()
