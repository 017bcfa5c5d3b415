"""Prints the largest batch of a result, and writes what was found to a file."""

import json
import sys

try:
    d = json.load(open(sys.argv[1]))
    largest, knee, predicted = d["largest"], d["knee"], d.get("predicted") or {}
    print(largest["batch"])
    text = "  largest %d at %.1f%%, knee %d, allocated %+.2f%%, reserved %+.2f%% of predicted, %d trials, %s" % (
        largest["batch"], 100 * (largest["reserved"] + largest["others"]) / largest["total"], knee["batch"],
        100 * predicted.get("allocated_off", 9), 100 * predicted.get("reserved_off", 9), len(d["trials"]), d.get("unknown") or "confirmed")
except Exception as error:
    text = "  no result: %r" % error
with open(sys.argv[2], "a") as file:
    file.write(text + "\n")
