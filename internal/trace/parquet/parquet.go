// Package parquet writes a trace as Parquet tables, for DuckDB, ClickHouse, pandas and
// everything else that reads them.
//
// A table is a Go struct with parquet tags and a sequence of its rows; [Write] does the
// rest, so that an analysis can write tables of its own. [Events] and [Kernels] give the
// two tables that every trace has.
package parquet

import (
	"fmt"
	"io"
	"iter"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// rowGroup is how many rows are held in memory and written together.
const rowGroup = 1 << 17

// Write writes a table. Times should be integers that carry their unit in their name.
func Write[Row any](w io.Writer, rows iter.Seq[Row]) error {
	table := parquet.NewGenericWriter[Row](w, parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest}), parquet.MaxRowsPerRowGroup(rowGroup))
	batch := make([]Row, 0, 1024)
	flush := func() error {
		_, err := table.Write(batch)
		batch = batch[:0]
		return err
	}
	for row := range rows {
		if batch = append(batch, row); len(batch) == cap(batch) {
			if err := flush(); err != nil {
				return fmt.Errorf("writing a Parquet table: %w", err)
			}
		}
	}
	if err := flush(); err != nil {
		return fmt.Errorf("writing a Parquet table: %w", err)
	}
	if err := table.Close(); err != nil {
		return fmt.Errorf("writing a Parquet table: %w", err)
	}
	return nil
}
