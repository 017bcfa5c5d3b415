"""Logs a summary of the steps to the program's own experiment tracker: W&B, MLflow, TensorBoard.

Trackers close when the program ends, or earlier. So the summary is logged every few seconds, once more before
a tracker finishes, and once more at the end.
"""

import atexit
import functools
import sys
import time

from . import facts, record

EVERY_SECONDS = 5


class Summary:
    def __init__(self):
        self.steps = 0
        self.seconds = 0.0
        self.samples = 0
        self.parts = {}
        self.handed = time.monotonic()
        self.trackers = {}  # name: what takes the figures

    def add(self, row):
        """Counts an ordinary step."""
        if not row.get("tags"):
            self.steps += 1
            self.seconds += row["s"]
            self.samples += row.get("samples", 0)
            for part in row.get("parts", ()):
                self.parts[part["name"]] = self.parts.get(part["name"], 0.0) + part["s"]
        self._look()
        if time.monotonic() - self.handed >= EVERY_SECONDS:
            self.hand_over()

    def figures(self):
        if not self.steps or not self.seconds:
            return {}
        told = {"saturate/mean_s_per_it": self.seconds / self.steps, "saturate/steps": self.steps}
        if self.samples:
            told["saturate/samples_per_s"] = self.samples / self.seconds
        for name, seconds in self.parts.items():
            told["saturate/%s_share" % name] = seconds / self.seconds
        return told

    def hand_over(self):
        self.handed = time.monotonic()
        figures = self.figures()
        if figures:
            for take in self.trackers.values():
                record.safe(take)(figures)

    def finish(self):
        self.hand_over()
        if self.trackers:
            facts.extra["attached"] = sorted(self.trackers)
        else:
            record.note("no experiment tracker was seen to hand the summary to: W&B, MLflow and TensorBoard are known")

    def _look(self):
        """Notices a tracker once it is in use."""
        wandb = sys.modules.get("wandb")
        run = getattr(wandb, "run", None)
        if run is not None and "W&B" not in self.trackers:
            self._found("W&B", run.summary.update, run, "finish")
        mlflow = sys.modules.get("mlflow")
        if mlflow is not None and "MLflow" not in self.trackers and mlflow.active_run() is not None:
            self._found("MLflow", self._metrics(mlflow), mlflow, "end_run")

    def _metrics(self, mlflow):
        def take(figures):
            if mlflow.active_run() is not None:
                mlflow.log_metrics(figures)

        return take

    def writer_made(self, writer):
        def take(figures):
            for name, value in figures.items():
                writer.add_scalar(name, value, self.steps)

        self._found("TensorBoard", take, writer, "close")

    def _found(self, name, take, owner, finish):
        """Logs the figures before the tracker closes, in any way."""
        self.trackers[name] = take
        atexit.register(record.safe(self.hand_over))
        end = getattr(owner, finish)

        @functools.wraps(end)
        def ending(*args, **kwargs):
            record.safe(self.hand_over)()
            return end(*args, **kwargs)

        setattr(owner, finish, ending)
