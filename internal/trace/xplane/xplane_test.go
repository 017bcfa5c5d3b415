package xplane

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"saturate/internal/trace"
	"saturate/internal/trace/wire"
)

func real(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile("../../../testdata/traces/jax/vm.xplane.pb")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func readAll(data []byte) (*trace.Trace, error) {
	return read(context.Background(), bytes.NewReader(data), trace.ReadOptions{})
}

// Writers of the wire format, for small files.
func number(field int, v uint64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(nil, uint64(field<<3|wire.Varint)), v)
}

func text(field int, parts ...[]byte) []byte {
	body := bytes.Join(parts, nil)
	return append(binary.AppendUvarint(binary.AppendUvarint(nil, uint64(field<<3|wire.Delimited)), uint64(len(body))), body...)
}

func TestSmall(t *testing.T) {
	name := func(id uint64, s string) []byte {
		return text(planeEvents, number(entryKey, id), text(entryValue, text(kindName, []byte(s))))
	}
	statName := func(id uint64, s string) []byte {
		return text(planeStats, number(entryKey, id), text(entryValue, text(kindName, []byte(s))))
	}
	gpu := text(spacePlanes,
		text(planeName, []byte("/device:GPU:2")),
		text(planeLines, number(lineID, 14), text(lineName, []byte("Stream #14(Compute)")), number(lineStart, 1000),
			text(lineEvents, number(eventKind, 1), number(eventOffset, 2_500), number(eventDuration, 7_499), text(eventStats, number(statKind, 1), number(statUint, 55))),
			text(lineEvents, number(eventKind, 9), number(eventOffset, 20_000), number(eventDuration, 1_000)),
			text(lineEvents, number(eventKind, 1), number(eventCount, 12)),
		),
		text(planeLines, number(lineID, 3), text(lineName, []byte("XLA Modules")),
			text(lineEvents, number(eventKind, 2), number(eventOffset, 0), number(eventDuration, 50_000))),
		name(1, "fusion"), name(2, "jit_step"), statName(1, "correlation_id"),
	)
	host := text(spacePlanes,
		text(planeName, []byte("/host:CPU")),
		text(planeLines, number(lineID, 1<<63+5), text(lineName, []byte("python3")),
			text(lineEvents, number(eventKind, 4), number(eventOffset, 0), number(eventDuration, 900_000), text(eventStats, number(statKind, 3), number(statInt, 8))),
			text(lineEvents, number(eventKind, 3), number(eventOffset, 100), number(eventDuration, 10_000), text(eventStats, number(statKind, 1), text(statText, []byte("55"))))),
		text(planeEvents, number(entryKey, 3), text(entryValue, text(kindName, []byte("long name")), text(kindDisplayName, []byte("cuLaunchKernel")))),
		name(4, "train"), statName(1, "correlation_id"), statName(3, "step_num"),
	)
	data := append(gpu, host...)
	if !sniff(data) {
		t.Error("not recognised")
	}
	tr, err := readAll(data)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range tr.Len() {
		id := trace.EventID(i)
		launched := ""
		if l, ok := tr.Launch(id); ok {
			launched = " by " + tr.Name(l)
		}
		got = append(got, strings.Join([]string{tr.TrackOf(id).String(), tr.Kind(id).String(), tr.Name(id)}, " ")+launched)
	}
	want := []string{
		"python3 user_annotation train", "python3 cuda_driver cuLaunchKernel",
		"GPU 2 stream 14 kernel fusion by cuLaunchKernel", "GPU 2 stream 14 kernel event 9", "GPU 2 stream 3 gpu_user_annotation jit_step",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if w := tr.DeviceWindow(2); w != (trace.Window{Start: 1003, End: 1021}) { // 1002.5 is rounded up
		t.Errorf("window %v", w)
	}
	if s := tr.StepMarkers(); len(s) != 1 || s[0].Number != 8 {
		t.Errorf("steps %v", s)
	}
}

func TestSniff(t *testing.T) {
	data := real(t)
	for _, n := range []int{64, 1000, 4096, len(data)} {
		if !sniff(data[:n]) {
			t.Errorf("the first %d bytes are not recognised", n)
		}
	}
	for _, s := range []string{
		"", "\n", "\n  {\n    \"schemaVersion\": 1,", "\n{\"traceEvents\": [{\"ph\": \"X\"}]}", "\n[{\"ph\":", "{}", "\x1f\x8b\x08", "\n\x00", "plain text",
	} {
		if sniff([]byte(s)) {
			t.Errorf("%q is taken for an xplane file", s)
		}
	}
}

func TestBroken(t *testing.T) {
	data := real(t)
	whole, err := readAll(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name  string
		data  []byte
		fails string
		note  string
	}{
		{name: "empty", data: nil, fails: "no plane"},
		{name: "nonsense", data: []byte("\x0a\x05abc"), note: "inside plane 1"},
		{name: "a field that cannot be", data: []byte{0x0f, 1, 2}, fails: "is not a field"},
		{name: "a part larger than any", data: append([]byte{0x0a}, binary.AppendUvarint(nil, 1<<50)...), fails: "too large for a profile"},
		{name: "cut inside a plane", data: data[:len(data)*3/4], note: "truncated at byte"},
		{name: "cut inside a length", data: append(data[:len(data):len(data)], 0x0a, 0x80), note: "truncated at byte"},
		{name: "nonsense behind", data: append(data[:len(data):len(data)], 0xff, 0xff, 0xff), note: "truncated at byte"},
	} {
		t.Run(test.name, func(t *testing.T) {
			tr, err := readAll(test.data)
			if test.fails != "" {
				if err == nil || !strings.Contains(err.Error(), test.fails) {
					t.Fatalf("error %v, want one that says %q", err, test.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			q := tr.Quality()
			if !q.Truncated || len(q.Notes) != 1 || !strings.Contains(q.Notes[0].String(), test.note) {
				t.Errorf("%+v, want a note that says %q", q, test.note)
			}
			if tr.Len() > whole.Len() {
				t.Errorf("%d events of %d", tr.Len(), whole.Len())
			}
		})
	}
}

func TestReaderFails(t *testing.T) {
	r := io.MultiReader(bytes.NewReader(real(t)[:1_050_000]), iotest.ErrReader(errors.New("disk on fire")))
	tr, err := read(context.Background(), r, trace.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if q := tr.Quality(); !q.Truncated || !strings.Contains(q.Notes[0].String(), "disk on fire") {
		t.Errorf("%+v", q)
	}
}

func FuzzRead(f *testing.F) {
	data := real(f)
	f.Add(data[717035+4:][:2000])
	f.Add(data[len(data)-3000:])
	f.Add(append(text(spacePlanes, text(planeName, []byte("/device:GPU:0")), text(planeLines, number(lineID, 1), text(lineEvents, number(eventKind, 1)))), 0x22, 2, 'v', 'm'))
	f.Fuzz(func(t *testing.T, data []byte) {
		sniff(data)
		if tr, err := readAll(data); err == nil && tr.Quality().Events != tr.Len() {
			t.Errorf("%d events, but the quality says %d", tr.Len(), tr.Quality().Events)
		}
	})
}
