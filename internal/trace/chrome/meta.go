package chrome

import (
	"strings"

	"saturate/internal/trace"
)

// metadata are the nested values at the top of a file that are read.
var metadata = map[string]bool{"deviceProperties": true, "distributedInfo": true}

// meta keeps a value from the top of the file. Behind the value stand a comma and a zero byte.
func (d *document) meta(key string, value []byte) {
	m := &d.builder.Meta
	switch key {
	case "baseTimeNanoseconds":
		m.Base = asInt(value)
	case "traceName":
		m.Name = asText(value)
	case "trace_id":
		m.TraceID = asText(value)
	case "host_name":
		m.Host = asText(value)
	case "distributedInfo":
		members(value, 0, func(key []byte, i int) {
			switch string(key) {
			case "rank":
				m.Rank = int(asInt(value[i:]))
			case "world_size":
				m.World = int(asInt(value[i:]))
			case "backend":
				m.Backend = asText(value[i:])
			case "nccl_version":
				m.Versions["nccl_version"] = asText(value[i:])
			}
		})
	case "deviceProperties":
		m.GPUs = m.GPUs[:0]
		elements(value, 0, func(i int) { m.GPUs = append(m.GPUs, gpu(value, i)) })
	default:
		const enough = 256
		if text := asText(value); len(text) > enough {
			return
		} else if strings.HasSuffix(key, "_version") {
			m.Versions[key] = text
		} else {
			m.Settings[key] = text
		}
	}
}

func asInt(value []byte) int64 {
	v, _, _ := number(value, 0, integer)
	return v
}

// asText is a string's meaning, or any other value as it is written.
func asText(value []byte) string {
	s, next := stringOr(value, 0)
	if next > 0 && value[0] != '"' {
		return string(value[:next])
	}
	return string(s.unescape(nil))
}

func gpu(b []byte, i int) trace.GPU {
	var g trace.GPU
	members(b, i, func(key []byte, i int) {
		n, _, _ := number(b, i, integer)
		switch string(key) {
		case "id":
			g.Device = trace.Device(n)
		case "name":
			g.Name = asText(b[i:])
		case "totalGlobalMem":
			g.Memory = n
		case "computeMajor":
			g.Major = int(n)
		case "computeMinor":
			g.Minor = int(n)
		case "numSms":
			g.SMs = int(n)
		case "warpSize":
			g.WarpSize = int(n)
		case "maxThreadsPerBlock":
			g.ThreadsPerBlock = int(n)
		case "maxThreadsPerMultiprocessor":
			g.ThreadsPerSM = int(n)
		case "regsPerBlock":
			g.RegistersPerBlock = int(n)
		case "regsPerMultiprocessor":
			g.RegistersPerSM = int(n)
		case "sharedMemPerBlock":
			g.SharedPerBlock = n
		case "sharedMemPerBlockOptin":
			g.SharedPerBlockOptIn = n
		case "sharedMemPerMultiprocessor":
			g.SharedPerSM = n
		}
	})
	return g
}
