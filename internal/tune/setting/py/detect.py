# This machine, as the program's own interpreter sees it; the names are those of conditions.


def detect(flags=True):
    """The same as Machine on the Go side. flags=False skips what needs a search through large files."""
    import platform

    machine = {
        "backend": "cpu", "os": sys.platform.replace("win32", "windows"), "arch": platform.machine().replace("AMD64", "x86_64"),
        "python": platform.python_version(), "notes": [],
    }
    for part in (_torch_here, _jax_here, _cpu_here, _gpu_place, _libraries_here):
        try:
            part(machine)
        except Exception as error:
            machine["notes"].append("%s: %s" % (part.__name__.strip("_").replace("_", " "), str(error).split("\n")[0][:200]))
    if flags and machine.get("jax"):
        machine["xla_flags"] = _xla_flags()
    names = {v["name"] for s in TABLE["settings"] for w in s["ways"] for v in w.get("env", ())}
    names |= {r for s in TABLE["settings"] for w in s["ways"] for v in w.get("env", ()) for r in v.get("rivals", ())}
    names |= {d["name"] for d in TABLE["dead"] if "." not in d["name"]}
    names |= {"NVIDIA_TF32_OVERRIDE"}
    machine["variables"] = {name: os.environ[name] for name in sorted(names) if os.environ.get(name)}
    cache = os.environ.get("XDG_CACHE_HOME") or (os.path.expanduser("~/.cache") if os.path.expanduser("~") != "~" else "")
    if cache:
        machine["cache"] = os.path.join(cache, "saturate", "tune")
    if not machine["notes"]:
        del machine["notes"]
    return machine


def _torch_here(machine):
    try:
        import torch
    except ImportError:
        return
    version, _, build = torch.__version__.partition("+")
    machine.update(torch=version, build=build or "cpu", cuda=torch.version.cuda or "", hip=(getattr(torch.version, "hip", None) or "").split("-")[0])
    try:
        number = torch.backends.cudnn.version()
    except Exception:
        number = None
    if number and not machine["hip"]:  # 90100 is 9.1.0, 8902 was 8.9.2
        major = 10000 if number >= 90000 else 1000
        machine["cudnn"] = "%d.%d.%d" % (number // major, number % major // 100, number % 100)
    mps = getattr(torch.backends, "mps", None)
    if torch.cuda.is_available():
        p = torch.cuda.get_device_properties(0)
        machine.update(backend="rocm" if machine["hip"] else "cuda", gpu=p.name, gpus=torch.cuda.device_count(), gpu_memory_mib=p.total_memory >> 20)
        if machine["hip"]:
            machine["gfx"] = getattr(p, "gcnArchName", "").split(":")[0]
        else:
            machine["compute_capability"] = "%d.%d" % (p.major, p.minor)
        machine["gpu_free_mib"] = torch.cuda.mem_get_info(0)[0] >> 20
        if all(hasattr(p, n) for n in ("pci_domain_id", "pci_bus_id", "pci_device_id")):
            machine["_pci"] = "%04x:%02x:%02x.0" % (p.pci_domain_id, p.pci_bus_id, p.pci_device_id)
    elif mps is not None and mps.is_available():
        import platform

        machine.update(backend="mps", gpus=1, macos=platform.mac_ver()[0], gpu=getattr(mps, "get_name", lambda: "Apple GPU")())
        try:
            machine["gpu_memory_mib"] = torch.mps.recommended_max_memory() >> 20
        except (AttributeError, RuntimeError):
            pass
    if os.path.exists("/proc/self/maps"):
        names = [os.path.basename(path) for path in _mapped_files()]
        for known in ("iomp5", "gomp", "omp"):
            if any(name.startswith("lib" + known) for name in names):
                machine["openmp"] = known
                break


def _jax_here(machine):
    """JAX is not imported: on a GPU it would take three quarters of the memory."""
    import importlib.metadata
    import importlib.util

    try:
        machine["jax"] = importlib.metadata.version("jax")
    except importlib.metadata.PackageNotFoundError:
        return
    for kind, names in (("cuda", ("jax_cuda13_plugin", "jax_cuda12_plugin")), ("rocm", ("jax_rocm7_plugin", "jax_rocm60_plugin"))):
        if any(importlib.util.find_spec(name) for name in names):
            machine["jax_plugin"] = kind
            if not machine.get("torch") and machine["backend"] == "cpu" and glob.glob({"cuda": "/dev/nvidia[0-9]*", "rocm": "/dev/kfd"}[kind]):
                machine["backend"] = kind


def _xla_flags():
    """The flags of the table that the libraries of jaxlib and its plugins contain."""
    import importlib.util
    import mmap

    wanted = {c.split()[2] for s in TABLE["settings"] for w in s["ways"] for c in w.get("when", ()) if c.startswith("xla_flags has ")}
    found = set()
    for package in ("jaxlib", "jax_plugins"):
        spec = importlib.util.find_spec(package)
        for folder in spec.submodule_search_locations or () if spec else ():
            for path in glob.glob(os.path.join(folder, "**", "*.so"), recursive=True):
                with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
                    found |= {flag for flag in wanted - found if view.find(flag.encode()) >= 0}
    return sorted(found)


def _cpus(text):
    """0-3,8 as a set."""
    found = set()
    for part in str(text).split(","):
        first, _, last = part.strip().partition("-")
        if first:
            found |= set(range(int(first), int(last or first) + 1))
    return found


def _siblings():
    """The hardware threads that the process may use, a set for each core."""
    allowed = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set(range(os.cpu_count() or 1))
    cores = {}
    for cpu in allowed:
        shared = _read_text("/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list" % cpu)
        cores.setdefault(min(_cpus(shared) or {cpu}), set()).add(cpu)
    return cores


def _read_text(path):
    try:
        with open(path) as file:
            return file.read().strip()
    except (OSError, UnicodeDecodeError):
        return ""


def _quota():
    """The CPU limit of the process's cgroup, in CPUs; None without a limit."""
    group = _read_text("/proc/self/cgroup").rpartition("::")[2]
    for folder in ("/sys/fs/cgroup" + group, "/sys/fs/cgroup"):
        words = _read_text(folder + "/cpu.max").split()
        if len(words) == 2 and words[0].isdigit():
            return float(words[0]) / float(words[1])
    quota, period = _read_text("/sys/fs/cgroup/cpu/cpu.cfs_quota_us"), _read_text("/sys/fs/cgroup/cpu/cpu.cfs_period_us")
    return float(quota) / float(period) if quota.isdigit() and period.isdigit() else None


def _cpu_here(machine):
    import platform

    siblings, quota = _siblings(), _quota()
    cores, threads = len(siblings), sum(len(s) for s in siblings.values())
    if quota:
        cores, threads = min(cores, max(1, int(quota))), min(threads, max(1, int(quota)))
    machine.update(cores=cores, threads=threads)
    info = _read_text("/proc/cpuinfo")
    for line in info.split("\n"):
        key, _, value = line.partition(":")
        if key.strip() == "model name":
            machine.setdefault("cpu", value.strip())
        elif key.strip() in ("flags", "Features"):
            known = ("amx_bf16", "amx_tile", "amx_fp16", "avx512_bf16", "avx512f", "avx2", "asimd", "bf16", "sve")
            machine["cpu_flags"] = [f for f in known if f in value.split()]
            break
    nodes = glob.glob("/sys/devices/system/node/node[0-9]*")
    free = [line.split()[1] for line in _read_text("/proc/meminfo").split("\n") if line.startswith("MemAvailable")]
    machine.update(nodes=len(nodes) or 1, memory_free_mib=int(free[0]) >> 10 if free else 0)
    enabled = _read_text("/sys/kernel/mm/transparent_hugepage/enabled")
    machine["huge_pages"] = enabled.partition("[")[2].partition("]")[0]
    machine["libc"] = platform.libc_ver()[0]


def _gpu_place(machine):
    """The cores next to the GPU, if there is more than one NUMA node."""
    pci = machine.pop("_pci", "")
    if pci and machine.get("nodes", 1) > 1:
        near = _cpus(_read_text("/sys/bus/pci/devices/%s/local_cpulist" % pci)) & os.sched_getaffinity(0)
        if near and near != os.sched_getaffinity(0):
            machine["gpu_cores"] = ",".join(str(cpu) for cpu in sorted(near))


def _libraries_here(machine):
    folders = ["/usr/lib", "/usr/lib64", "/usr/local/lib", os.path.join(sys.prefix, "lib")]
    folders += glob.glob("/usr/lib/*-linux-gnu*") + os.environ.get("LD_LIBRARY_PATH", "").split(":")
    found = {}
    for folder in filter(None, folders):
        for name, pattern in (("jemalloc", "libjemalloc.so*"), ("tcmalloc", "libtcmalloc*.so*"), ("iomp5", "libiomp5.so*")):
            paths = [p for p in sorted(glob.glob(os.path.join(folder, pattern))) if "debug" not in p and "profiler" not in p]
            if paths:
                found.setdefault(name, paths[0])
    machine["libraries"] = found
