package open

import (
	"bytes"
	"errors"
	"fmt"
)

// foreign are files that people take for traces, by how they begin, with what to give instead.
var foreign = []struct{ begins, is string }{
	{"NSYS", "an Nsight Systems report; export it with `nsys export --type sqlite`"},
	{"PK\x03\x04", "a zip archive; unpack it and use the trace inside"},
	{"\x80\x02", pickled},
	{"\x80\x03", pickled},
	{"\x80\x04", pickled},
	{"\x80\x05", pickled},
	{"\x89HDF\r\n", "an HDF5 file"},
	{"PAR1", "a Parquet file; use the trace it was made from"},
	{"BZh", "compressed by bzip2; decompress it, or use gzip or zstd"},
	{"\xfd7zXZ\x00", "compressed by xz; decompress it, or use gzip or zstd"},
	{"<", "HTML or XML; if it was downloaded, the server sent a page instead of the trace"},
	{"\xff\xfe", utf16},
	{"\xfe\xff", utf16},
}

const (
	pickled = "a Python pickle, such as torch's flight recorder or a memory snapshot; `saturate analyze FILE` explains memory snapshots, one at a time"
	utf16   = "text in UTF-16; convert it to UTF-8"
)

// untimed are JSON files of PyTorch that are not traces, by keys that stand at their beginning and in no trace.
var untimed = []struct {
	keys []string
	is   string
}{
	{[]string{`"schema"`, `"nodes"`}, "a PyTorch execution trace (Chakra), which has operators but no GPU times; use the trace of export_chrome_trace from the same run"},
	{[]string{`"pg_config"`, `"entries"`}, "a dump of PyTorch's flight recorder, which is for hangs; `torchfrtrace` reads it. For speed, record with `saturate profile`"},
	{[]string{`"pg_status"`, `"pg_config"`}, "a dump of PyTorch's flight recorder, which is for hangs; `torchfrtrace` reads it. For speed, record with `saturate profile`"},
}

// notTimed names JSON that looks like a trace and has no times to explain.
func notTimed(head []byte) error {
	if text := bytes.TrimLeft(head, " \t\r\n\ufeff"); len(text) == 0 || text[0] != '{' || bytes.Contains(head, []byte(`"traceEvents"`)) || bytes.Contains(head, []byte(`"schemaVersion"`)) {
		return nil
	}
	for _, u := range untimed {
		all := true
		for _, k := range u.keys {
			all = all && bytes.Contains(head, []byte(k))
		}
		if all {
			return fmt.Errorf("not a trace: this is %s", u.is)
		}
	}
	return nil
}

// notATrace names what the file is, where its beginning tells.
func notATrace(head []byte) error {
	for _, f := range foreign {
		if bytes.HasPrefix(head, []byte(f.begins)) {
			return fmt.Errorf("not a trace: this is %s", f.is)
		}
	}
	if len(head) > 262 && string(head[257:262]) == "ustar" {
		return errors.New("not a trace: this is a tar archive; unpack it and use the trace inside")
	}
	if len(bytes.TrimSpace(head)) == 0 {
		return errors.New("not a trace: the file is blank")
	}
	return errors.New("not a trace; use a JSON trace (of torch.profiler, Chrome, JAX or rocprofv3), an .xplane.pb, a .pftrace or an Nsight Systems .sqlite, compressed or not")
}
