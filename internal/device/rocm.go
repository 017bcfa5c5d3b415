package device

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// kfd is where the amdgpu driver describes its compute nodes; CPUs are nodes too.
const kfd = "/sys/class/kfd/kfd/topology/nodes"

var errNoROCm = absentError{errors.New("neither /sys/class/kfd nor rocminfo lists an AMD GPU; install the amdgpu " +
	"driver and ROCm, and start containers with --device /dev/kfd --device /dev/dri")}

// findROCm reads the kernel's topology, and asks rocminfo where there is none.
func findROCm(ctx context.Context, sys System) ([]GPU, []string, error) {
	if sys.OS() != "linux" {
		return nil, nil, absentError{errors.New("ROCm needs Linux")}
	}
	gpus := findKFD(sys)
	if len(gpus) == 0 {
		out, err := sys.Run(ctx, "rocminfo")
		if err != nil {
			return nil, nil, errNoROCm
		}
		gpus = parseROCmInfo(out)
	}
	if len(gpus) == 0 {
		return nil, nil, errNoROCm
	}
	driver := readLine(sys, "/sys/module/amdgpu/version") // the kernel's own driver has none
	version := readLine(sys, "/opt/rocm/.info/version")
	for i := range gpus {
		gpus[i].Backend, gpus[i].Index, gpus[i].Driver = ROCm, i, driver
		if version != "" {
			gpus[i].API = "ROCm " + version
		}
		gpus[i].setGFX()
	}
	return gpus, visibility(sys, "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"), nil
}

func findKFD(sys System) []GPU {
	nodes := sys.Glob(kfd + "/*/properties")
	slices.SortFunc(nodes, func(a, b string) int { return cmp.Compare(nodeNumber(a), nodeNumber(b)) })
	var gpus []GPU
	for _, node := range nodes {
		text, err := sys.ReadFile(node)
		if err != nil {
			continue
		}
		p := parseProperties(text)
		const amd = 0x1002
		if p["simd_count"] == 0 || p["gfx_target_version"] == 0 || p["vendor_id"] != amd {
			continue // a CPU
		}
		gpu := GPU{
			Arch:        gfxName(p["gfx_target_version"]),
			MemoryBytes: p["local_mem_size"],
			ClockMHz:    int(p["max_engine_clk_fcompute"]),
			PCI:         busID(p["domain"], p["location_id"]),
			Source:      "kfd",
		}
		if perCU := p["simd_per_cu"]; perCU > 0 {
			gpu.Units = int(p["simd_count"] / perCU)
		}
		if p["unique_id"] != 0 {
			gpu.UUID = fmt.Sprintf("GPU-%016x", p["unique_id"])
		}
		readBanks(sys, path.Dir(node), &gpu)
		gpu.Name = amdName(sys, p["drm_render_minor"], p["device_id"], gpu.Arch)
		gpus = append(gpus, gpu)
	}
	return gpus
}

func nodeNumber(name string) int {
	n, _ := strconv.Atoi(path.Base(path.Dir(name)))
	return n
}

// readBanks adds up the card's own memory: heap type 1 is visible to the host, 2 is not.
func readBanks(sys System, node string, gpu *GPU) {
	var total uint64
	for _, bank := range sys.Glob(node + "/mem_banks/*/properties") {
		text, err := sys.ReadFile(bank)
		if err != nil {
			continue
		}
		p := parseProperties(text)
		if p["heap_type"] == 1 || p["heap_type"] == 2 {
			total += p["size_in_bytes"]
			gpu.BusBits, gpu.MemoryClockMHz = int(p["width"]), int(p["mem_clk_max"])
		}
	}
	if total > 0 {
		gpu.MemoryBytes = total
	}
}

// amdName is the board's name if it has one, else that of its device number, else the chip's.
func amdName(sys System, minor, id uint64, arch string) string {
	if name := readLine(sys, fmt.Sprintf("/sys/class/drm/renderD%d/device/product_name", minor)); name != "" {
		return name
	}
	if name := instinct[id]; name != "" {
		return name
	}
	return "AMD " + arch
}

// instinct names the data-centre boards by PCI device number, as libdrm's amdgpu.ids does.
var instinct = map[uint64]string{
	0x738c: "AMD Instinct MI100",
	0x7408: "AMD Instinct MI250X",
	0x740c: "AMD Instinct MI250X / MI250",
	0x740f: "AMD Instinct MI210",
	0x74a0: "AMD Instinct MI300A",
	0x74a1: "AMD Instinct MI300X",
	0x74a5: "AMD Instinct MI325X",
	0x74b5: "AMD Instinct MI300X VF",
}

// parseProperties reads the kernel's "name value" lines; what is not a number is left out.
func parseProperties(text []byte) map[string]uint64 {
	properties := map[string]uint64{}
	for _, line := range lines(text) {
		name, value, _ := strings.Cut(line, " ")
		if n, err := strconv.ParseUint(strings.TrimSpace(value), 10, 64); err == nil {
			properties[name] = n
		}
	}
	return properties
}

// gfxName spells 90402 as gfx942 and 90010 as gfx90a: major decimal, minor and stepping one hex digit each.
func gfxName(version uint64) string {
	return fmt.Sprintf("gfx%d%x%x", version/10000, version/100%100, version%100)
}

func busID(domain, location uint64) string {
	return fmt.Sprintf("%04x:%02x:%02x.%x", domain, location>>8&0xff, location>>3&0x1f, location&7)
}

// parseROCmInfo reads the GPU agents of rocminfo's text.
func parseROCmInfo(out []byte) []GPU {
	var (
		gpus  []GPU
		gpu   *GPU
		isGPU bool
		pool  bool // inside a pool of the card's own memory
	)
	finish := func() {
		if gpu != nil && isGPU {
			gpus = append(gpus, *gpu)
		}
	}
	for _, line := range lines(out) {
		key, value, _ := strings.Cut(line, ":")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		switch {
		case strings.HasPrefix(line, "Agent "):
			finish()
			gpu, isGPU, pool = &GPU{Source: "rocminfo"}, false, false
		case gpu == nil:
		case key == "Name" && gpu.Arch == "": // the ISA's name comes later under the same key
			gpu.Arch, gpu.Name = value, "AMD "+value
		case key == "Marketing Name" && value != "":
			gpu.Name = value
		case key == "Uuid":
			gpu.UUID = value
		case key == "Device Type":
			isGPU = value == "GPU"
		case key == "Compute Unit":
			gpu.Units = leadingNumber(value)
		case strings.HasPrefix(key, "Max Clock Freq"):
			gpu.ClockMHz = leadingNumber(value)
		case key == "BDFID":
			gpu.PCI = busID(0, uint64(leadingNumber(value)))
		case key == "Segment":
			pool = strings.HasPrefix(value, "GLOBAL")
		case key == "Size" && pool && strings.HasSuffix(value, "KB"):
			gpu.MemoryBytes = max(gpu.MemoryBytes, uint64(leadingNumber(value))<<10) // pools are views of the same memory
		}
	}
	finish()
	return gpus
}

// leadingNumber reads 304 from "304", and 201310208 from "201310208(0xbffc000) KB".
func leadingNumber(text string) int {
	end := strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(text)
	}
	n, err := strconv.ParseUint(text[:end], 10, 53)
	if err != nil {
		return 0
	}
	return int(n)
}

// setGFX notes what the chip can do: MFMA on the Instincts, WMMA from RDNA3 on.
func (g *GPU) setGFX() {
	mfma := slices.Contains([]string{"gfx908", "gfx90a", "gfx942", "gfx950"}, g.Arch)
	wmma := strings.HasPrefix(g.Arch, "gfx11") || strings.HasPrefix(g.Arch, "gfx12")
	g.TensorCores = mfma || wmma
	g.BF16 = mfma || wmma
	g.TF32 = g.Arch == "gfx942" // through hipBLASLt; gfx950 dropped it
	g.FP8 = g.Arch == "gfx942" || g.Arch == "gfx950" || strings.HasPrefix(g.Arch, "gfx12")
}
