"""Tests of saturate_gpu that need the standard library alone: python -m unittest test_saturate_gpu"""

import os
import stat
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import saturate_gpu
from saturate_gpu import calls, magic

SCAN = {
    "schema": "saturate/scan/1", "version": "0.1.0", "files": 2, "lines": 90, "summary": ["1 finding in 2 files."],
    "findings": [{"code": "SAT101", "name": "tts-in-data-path", "severity": "error", "confidence": 1, "path": "speech.py", "line": 28,
                  "message": "speech is synthesised while loading data", "estimate": {"speedup_low": 2}, "fixes": None}],
}
ANALYSIS = {
    "version": "0.1.0", "verdict": {"bottleneck": "data_loading", "sentence": "The GPU waited for data."}, "gpus": [{"busy_ratio": 0.11}],
    "steps": [{"number": 1, "compute_ns": 5}], "summary": ["It waited."],
    "findings": [{"code": "TRC101", "name": "loader", "severity": "error", "message": "waits", "estimate": {"seconds_per_step": 1.5}}],
}
PROFILE = {"version": "0.1.0", "verdict": {"bottleneck": "data"}, "exit_code": 0, "run": {"s_per_it": {"median": 0.5}, "samples_per_s": {"median": 16}, "steps": [{}]}}

STAND_IN = """#!{python}
import json, sys
words = sys.argv[1:]
answers = {answers!r}
if words[0] not in answers:
    sys.exit("saturate: unknown command") if words[0] != "seen" else print(json.dumps({{"words": words}})) or sys.exit(0)
print(json.dumps(answers[words[0]]))
sys.exit(1 if answers[words[0]].get("findings") else 0)
"""


@unittest.skipIf(os.name == "nt", "the stand-in is a script")
class Calls(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        program = Path(folder.name) / "saturate"
        program.write_text(STAND_IN.format(python=sys.executable, answers={"scan": SCAN, "analyze": ANALYSIS, "profile": PROFILE}))
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        variable = mock.patch.dict(os.environ, {"SATURATE": str(program)})
        variable.start()
        self.addCleanup(variable.stop)

    def test_scan(self):
        found = saturate_gpu.scan(".")
        self.assertEqual((found.files, found.lines, len(found.findings)), (2, 90, 1))
        self.assertEqual(str(found.findings[0]), "speech.py:28: SAT101 speech is synthesised while loading data")
        self.assertEqual((found.findings[0].fixes, found.findings[0].seconds_per_step), (0, None))

    def test_analyze(self):
        why = saturate_gpu.analyze("trace.json")
        self.assertEqual((why.bottleneck, why.gpu_busy, why.findings[0].seconds_per_step), ("data_loading", 0.11, 1.5))
        self.assertEqual(str(why), "It waited.")

    def test_profile(self):
        seen = saturate_gpu.profile(["python", "train.py"])
        self.assertEqual((seen.bottleneck, seen.seconds_per_step, seen.samples_per_second, len(seen.steps)), ("data", 0.5, 16, 1))

    def test_format_stands_before_the_command(self):
        self.assertEqual(saturate_gpu.run("seen", "--steps", "5", "--", "python", "t.py")["words"], ["seen", "--steps", "5", "--format", "json", "--", "python", "t.py"])

    def test_what_it_says_is_the_error(self):
        with self.assertRaisesRegex(saturate_gpu.SaturateError, "unknown command"):
            saturate_gpu.run("nothing")

    def test_missing(self):
        with mock.patch.dict(os.environ, {"SATURATE": "", "PATH": ""}), mock.patch.object(calls.os.path, "isfile", return_value=False):
            with self.assertRaisesRegex(saturate_gpu.MissingBinary, "pip install saturate-gpu"):
                saturate_gpu.find_binary()

    def test_cell_is_run_as_a_program(self):
        ran = []
        with mock.patch.object(magic, "show", lambda command: ran.append((command, Path(command[-1]).read_text()))):
            magic.saturate("profile --steps 5", "print(1)\n")
        command, text = ran[0]
        self.assertEqual((command[1:4], command[4:6], text), (["profile", "--steps", "5"], ["--", sys.executable], "print(1)\n"))
        self.assertFalse(os.path.exists(command[-1]))

    def test_extension(self):
        shell = mock.Mock()
        saturate_gpu.load_ipython_extension(shell)
        self.assertEqual(shell.register_magic_function.call_args.kwargs["magic_name"], "saturate")


if __name__ == "__main__":
    unittest.main()
