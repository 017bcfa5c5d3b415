package table_test

import (
	"io"
	"math"
	"os"
	"testing"

	"github.com/parquet-go/parquet-go"

	"saturate/internal/whatif"
)

// taskRow is a row of testdata/ranks; the README beside it says where it comes from.
type taskRow struct {
	Data     int32   `parquet:"dp_rank"`
	Stage    int32   `parquet:"stage"`
	Step     int64   `parquet:"step"`
	Kind     string  `parquet:"optype"`
	Start    float32 `parquet:"start_ts"`
	Duration float32 `parquet:"duration"`
	Seq      int32   `parquet:"seq_id"`
}

// The answers are those of another team's simulator on the same trace.
func TestSlowWorker(t *testing.T) {
	f, err := os.Open("../../../testdata/ranks/trace-AR.parquet")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	table := parquet.NewGenericReader[taskRow](f)
	defer table.Close()
	rows := make([]taskRow, table.NumRows())
	if n, err := table.Read(rows); n != len(rows) || err != nil && err != io.EOF {
		t.Fatalf("%d of %d rows: %v", n, len(rows), err)
	}
	tasks := make([]whatif.Task, len(rows))
	for i, r := range rows {
		tasks[i] = whatif.Task{
			Data: int(r.Data), Stage: int(r.Stage), Step: r.Step, Kind: whatif.TaskKind(r.Kind), Seq: int(r.Seq),
			Start: int64(float64(r.Start) * 1e9), Duration: int64(float64(r.Duration) * 1e9),
		}
	}
	job, err := whatif.NewJob(tasks)
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got/want-1) > 0.01 {
			t.Errorf("%s: slower by %.5f, want %.5f", what, got, want)
		}
	}
	check("the job", job.Slowdown(func(whatif.Task) bool { return true }), 1.97305)
	worstData, worstStage, most, mostStage := -1, -1, 0.0, 0.0
	for rank, want := range []float64{1.97304, 1.01089, 1.01115, 1.01114} {
		got := job.Slowdown(func(x whatif.Task) bool { return x.Data == rank })
		check("a data-parallel rank", got, want)
		if got > most {
			worstData, most = rank, got
		}
	}
	for stage, want := range []float64{1.97919, 0.99711, 0.99560, 1.00237} {
		got := job.Slowdown(func(x whatif.Task) bool { return x.Stage == stage })
		check("a stage", got, want)
		if got > mostStage {
			worstStage, mostStage = stage, got
		}
	}
	if worstData != 0 || worstStage != 0 {
		t.Errorf("the slowest worker is stage %d of rank %d, want stage 0 of rank 0", worstStage, worstData)
	}
	check("that worker alone", job.Slowdown(func(x whatif.Task) bool { return x.Data == worstData && x.Stage == worstStage }), 1.97305)
}
