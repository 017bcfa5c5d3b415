"""What saturate's JSON holds, as dataclasses. `data` has all of it; docs/schema describes every field."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Finding:
    """One thing to change: in the source (path and line), in a trace or in a run."""

    code: str  # SAT101, TRC101, PRF101
    name: str
    severity: str  # error, warning, note
    message: str
    why: str
    advice: str
    confidence: float  # 0 to 1
    path: str
    line: int
    seconds_per_step: float | None  # what it costs, where that was measured
    fixes: int  # that `saturate fix` can make

    @classmethod
    def of(cls, data: Json) -> Finding:
        where, estimate = data.get("where") or data, data.get("estimate") or {}
        return cls(
            code=data["code"],
            name=data["name"],
            severity=data["severity"],
            message=data["message"],
            why=data.get("why", ""),
            advice=data.get("advice", ""),
            confidence=data.get("confidence", 0.0),
            path=where.get("path", ""),
            line=where.get("line", 0),
            seconds_per_step=estimate.get("seconds_per_step"),
            fixes=len(data.get("fixes") or ()),
        )

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}: " if self.path else ""
        return f"{place}{self.code} {self.message}"


@dataclass(frozen=True)
class Result:
    findings: list[Finding]
    summary: list[str]  # the answer, in sentences
    data: Json = field(repr=False)  # the whole JSON

    def __str__(self) -> str:
        return "\n".join(self.summary)

    def to_pandas(self) -> Any:
        """The findings as a DataFrame."""
        return _frame([asdict(finding) for finding in self.findings])


@dataclass(frozen=True, repr=False)
class Scan(Result):
    files: int
    lines: int

    @classmethod
    def of(cls, data: Json) -> Scan:
        return cls(_findings(data), data.get("summary") or [], data, data["files"], data["lines"])


@dataclass(frozen=True, repr=False)
class Analysis(Result):
    bottleneck: str  # data_loading, compute, launch …
    verdict: str  # in one sentence
    gpu_busy: float | None  # share of the time, of the first GPU
    steps: list[Json] = field(repr=False)  # nanoseconds of each

    @classmethod
    def of(cls, data: Json) -> Analysis:
        verdict, gpus = data.get("verdict") or {}, data.get("gpus") or []
        busy = gpus[0]["busy_ratio"] if gpus else None
        return cls(_findings(data), data.get("summary") or [], data, verdict.get("bottleneck", ""), verdict.get("sentence", ""), busy, data.get("steps") or [])

    def to_pandas(self) -> Any:
        """The steps as a DataFrame, with the nanoseconds of their parts."""
        return _frame(self.steps)


@dataclass(frozen=True, repr=False)
class Profile(Result):
    bottleneck: str  # data, forward, backward …
    verdict: str
    seconds_per_step: float | None  # the median of the steady steps
    samples_per_second: float | None
    exit_code: int  # of the program
    steps: list[Json] = field(repr=False)

    @classmethod
    def of(cls, data: Json) -> Profile:
        verdict, run = data.get("verdict") or {}, data.get("run") or {}
        return cls(
            _findings(data),
            data.get("summary") or [],
            data,
            verdict.get("bottleneck", ""),
            verdict.get("sentence", ""),
            _median(run.get("s_per_it")),
            _median(run.get("samples_per_s")),
            data.get("exit_code", 0),
            run.get("steps") or [],
        )

    def to_pandas(self) -> Any:
        """The steps as a DataFrame, with the seconds of their parts."""
        return _frame(self.steps)


def _findings(data: Json) -> list[Finding]:
    return [Finding.of(finding) for finding in data.get("findings") or ()]


def _median(summary: Any) -> float | None:
    return summary.get("median") if isinstance(summary, dict) else summary


def _frame(rows: list[Json]) -> Any:
    import pandas

    return pandas.json_normalize(rows)
