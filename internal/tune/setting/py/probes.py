# Probes check whether a setting has its effect. Each returns what it saw, and True, False or None.


def _openmp(function):
    """Asks the OpenMP library of this process."""
    import ctypes

    for path in _mapped_files():
        name = os.path.basename(path)
        if name.startswith(("libgomp", "libiomp5", "libomp")):
            return getattr(ctypes.CDLL(path), function)()
    raise LookupError("no OpenMP library is loaded")


def _mapped_files():
    with open("/proc/self/maps") as file:
        return list(dict.fromkeys(line.split(None, 5)[5].strip() for line in file if "/" in line))


def evaluates(expression):
    value = _value(expression)
    return _plain(value), bool(value)


def mapped(library):
    """The allocator must be loaded, and malloc must call it."""
    import ctypes

    there = [p for p in _mapped_files() if os.path.basename(p).startswith(library)]
    if not there:
        return "%s is not loaded" % library, False

    class Info(ctypes.Structure):
        _fields_ = [("file", ctypes.c_char_p), ("base", ctypes.c_void_p), ("symbol", ctypes.c_char_p), ("address", ctypes.c_void_p)]

    own, info = ctypes.CDLL(None), Info()
    own.dladdr.argtypes = [ctypes.c_void_p, ctypes.POINTER(Info)]
    own.dladdr(ctypes.cast(own.malloc, ctypes.c_void_p), ctypes.byref(info))
    provider = os.path.basename((info.file or b"?").decode())
    return "malloc is from %s" % provider, provider.startswith(library)


def known_by(variables, pattern):
    """A loaded library must contain the names of the variables."""
    import mmap

    torch = sys.modules.get("torch")
    folders = [os.path.join(os.path.dirname(torch.__file__), "lib")] if torch else []
    try:
        folders += sorted({os.path.dirname(p) for p in _mapped_files()})
    except OSError:
        pass  # no /proc: a Mac
    libraries, missing = [p for folder in folders for p in glob.glob(os.path.join(folder, pattern))], list(variables)
    for path in libraries:
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
            missing = [name for name in missing if view.find(name.encode() + b"\0") < 0]
    if not libraries:
        return "%s is missing" % pattern, None
    return ("no library knows %s" % missing[0], False) if missing else ("%s knows it" % os.path.basename(libraries[0]), True)


def matmul_error(device, dtype, low, high):
    """The relative error of a product shows its precision."""
    torch = sys.modules["torch"]
    generator = torch.Generator().manual_seed(0)
    a, b = (torch.randn(*shape, generator=generator) for shape in ((512, 2048), (2048, 512)))
    a, b = (t.to(device, getattr(torch, dtype)) for t in (a, b))
    exact = a.cpu().double() @ b.cpu().double()
    error = float(((a @ b).cpu().double() - exact).norm() / exact.norm())
    return "relative error %.1e" % error, low <= error < high


def attention_kernel(device, wanted):
    torch = sys.modules["torch"]
    q = torch.zeros(1, 2, 128, 64, device=device, dtype=torch.float32 if device == "cpu" else torch.bfloat16)
    names = {0: "math", 1: "flash", 2: "efficient", 3: "cudnn", 4: "overridable"}
    chosen = names.get(int(torch._fused_sdp_choice(q, q, q)), "?")
    return "the kernel is %s" % chosen, chosen == wanted


def _kernels(torch, function):
    """The kernels that a function runs, by name."""
    from torch.profiler import ProfilerActivity, profile

    device = [ProfilerActivity.CUDA] if torch.cuda.is_available() else []
    with profile(activities=[ProfilerActivity.CPU] + device) as recorded:
        function()
        if device:
            torch.cuda.synchronize()
    events = recorded.events()
    return [e.name for e in events if "cuda" in str(e.device_type).lower()], [e.name for e in events]


_sizes = iter(range(33, 1000, 2))


def first_convolution(device):
    torch, size = sys.modules["torch"], next(_sizes)
    layer, image = torch.nn.Conv2d(size, 64, 3).to(device), torch.zeros(4, size, 40, 40, device=device)
    torch.zeros(1, device=device) + 1
    first, second = (len(_kernels(torch, lambda: layer(image))[0]) for _ in range(2))
    return "%d kernels at first, then %d" % (first, second), first > second + 2


def kernel_names(part):
    torch = sys.modules["torch"]
    a = torch.ones(512, 512, device="cuda")
    names = _kernels(torch, lambda: a @ a)[0]
    return ", ".join(sorted(set(names)))[:120], any(part in name for name in names)


def workspace(size, bias):
    """The workspace that the first product of a stream allocates: cuBLASLt's with a bias, else cuBLAS's."""
    torch = sys.modules["torch"]
    a, b, c = (torch.ones(n, device="cuda", dtype=torch.bfloat16) for n in ((512, 512), (512, 512), (512,)))
    torch.cuda.synchronize()
    with torch.cuda.stream(torch.cuda.Stream()):
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        torch.addmm(c, a, b) if bias else torch.mm(a, b)
        taken = torch.cuda.max_memory_allocated() - before
    return "%.1f MiB" % (taken / 2**20), taken >= size


def fused_kernel(backend):
    torch, device = sys.modules["torch"], "cuda" if backend == "rocm" else backend
    weight = torch.nn.Parameter(torch.ones(8, device=device))
    optimizer = torch.optim.AdamW([weight])
    weight.grad = torch.ones_like(weight)
    names = _kernels(torch, optimizer.step)[1]
    fused = any("_fused_adamw" in name for name in names)
    return "the step is %s" % ("fused" if fused else "not fused"), fused


def pinned_batch():
    torch = sys.modules["torch"]
    batch = next(iter(torch.utils.data.DataLoader([torch.zeros(4)])))
    return "a batch is %s" % ("pinned" if batch.is_pinned() else "not pinned"), bool(batch.is_pinned())


def autocast_output(device):
    torch, seen = sys.modules["torch"], []
    model = torch.nn.Sequential(torch.nn.Linear(8, 8)).to(device).eval()
    model[0].register_forward_hook(lambda m, i, out: seen.append(out.dtype))
    result = model(torch.zeros(2, 8, device=device))
    return "computes in %s, returns %s" % (seen[0], result.dtype), seen[0] == torch.bfloat16


def laid_out():
    torch = sys.modules["torch"]
    model = torch.nn.Sequential(torch.nn.Conv2d(4, 4, 3)).eval()
    last = model(torch.zeros(2, 4, 8, 8)).is_contiguous(memory_format=torch.channels_last)
    return "the output is %s" % ("channels last" if last else "channels first"), last


def compiled_models(device):
    """What the program has compiled; without a program, a model of our own."""
    torch = sys.modules["torch"]
    if _checking:
        model = torch.nn.Sequential(torch.nn.Linear(1024, 1024), torch.nn.ReLU()).to(device).eval()
        for _ in range(3):
            model(torch.zeros(8, 1024, device=device))
    counters = getattr(sys.modules.get("torch._dynamo.utils"), "counters", {})
    hooks = [a.hook for a in _applied.values() if a.hook is not None and a.hook.done == "compiled"]
    graphs, models = counters.get("stats", {}).get("unique_graphs", 0), sum(h.count for h in hooks)
    return "%d models, %d graphs" % (models, graphs), (graphs > 0) if models else False if _checking else None


def _thread_times():
    times = {}
    for task in os.listdir("/proc/self/task"):
        try:
            with open("/proc/self/task/%s/schedstat" % task) as file:
                times[task] = int(file.read().split()[0])
        except OSError:
            pass  # it has ended
    return times


def _busy(seconds, work):
    """The threads of this process that used CPU time meanwhile. The kernel counts late, so it takes a while to show."""
    before, end = _thread_times(), time.monotonic() + seconds
    while time.monotonic() < end:
        work()
    return [task for task, ran in _thread_times().items() if ran - before.get(task, 0) > 200000]  # ns


def _working(seconds=0.02, patience=1.0):
    """The threads that share a large sum; None if other threads are always busy.

    Threads spin before they sleep: those of OpenMP after each operator, and those that torch makes for QNNPACK when the
    number of threads is set, as many again, after they were made. So nothing is counted before all are asleep.
    """
    x = sys.modules["torch"].ones(4 << 20)
    x.add_(1.0)  # the pool exists now
    end, main = time.monotonic() + patience, str(threading.get_native_id())
    while set(_busy(seconds, lambda: time.sleep(seconds))) - {main}:
        if time.monotonic() > end:
            return None
    return _busy(seconds, lambda: x.add_(1.0))


def working_threads(wanted):
    tasks = _working()
    if tasks is None:
        return "other threads are always busy", None
    return "%d threads work" % len(tasks), len(tasks) == wanted


def bound():
    """Threads of the pool that may run on one core each, or on the threads of one."""
    widths = [len(os.sched_getaffinity(int(task))) for task in _working() or ()]
    return "cores of each thread: %s" % sorted(widths), max(widths) < max(2, len(_siblings())) if widths else None


def runs_on(cores):
    seen = []
    thread = threading.Thread(target=lambda: seen.append(os.sched_getaffinity(0)))
    thread.start()
    thread.join()
    return "new threads run on %d cores" % len(seen[0]), bool(seen[0]) and seen[0] <= _cpus(cores)


def page_faults():
    """Memory that was kept causes no new page faults."""
    import ctypes
    import resource

    libc, size = ctypes.CDLL(None), 64 << 20
    libc.malloc.restype, libc.malloc.argtypes, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_size_t], [ctypes.c_void_p]

    def touch():
        block = libc.malloc(size)
        ctypes.memset(block, 1, size)
        libc.free(block)

    touch()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(4):
        touch()
    faults = (resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) // 4
    return "%d page faults for 64 MiB" % faults, faults < 100


def huge_pages():
    def huge():
        with open("/proc/self/smaps_rollup") as file:
            return sum(int(line.split()[1]) for line in file if line.startswith("AnonHugePages")) / 1024

    before, block = huge(), sys.modules["torch"].ones(32 << 20)
    share = (huge() - before) / (block.numel() * 4 / 2**20)
    return "%d%% of a tensor is in huge pages" % round(100 * share), share > 0.2


def jax_matmul_error(low, high):
    jax = sys.modules["jax"]
    import numpy

    random = numpy.random.default_rng(0)
    a, b = (random.standard_normal(shape).astype("float32") for shape in ((512, 2048), (2048, 512)))
    exact = a.astype("float64") @ b.astype("float64")
    got = numpy.asarray(jax.jit(lambda x, y: x @ y)(a, b)).astype("float64")
    error = float(numpy.linalg.norm(got - exact) / numpy.linalg.norm(exact))
    return "relative error %.1e" % error, low <= error < high


def cached_program():
    """Caches programs of any size, because those of a probe are small."""
    jax, names = sys.modules["jax"], ("jax_persistent_cache_min_compile_time_secs", "jax_persistent_cache_min_entry_size_bytes")
    folder = jax.config.jax_compilation_cache_dir
    old = [getattr(jax.config, name) for name in names]
    try:
        jax.config.update(names[0], 0.0)
        jax.config.update(names[1], -1)
        shape = 3 + int(time.time() * 1000) % 100000  # a program that was not compiled before
        before = set(os.listdir(folder)) if folder and os.path.isdir(folder) else set()
        jax.jit(lambda x: x * 2.0 + shape)(jax.numpy.zeros(8)).block_until_ready()
        new = set(os.listdir(folder)) - before if folder and os.path.isdir(folder) else set()
    finally:
        for name, value in zip(names, old):
            jax.config.update(name, value)
    return "%d new files in the cache" % len(new), bool(new)


def jax_memory(total_mib):
    stats = sys.modules["jax"].devices()[0].memory_stats() or {}
    share = stats.get("bytes_limit", 0) / 2**20 / total_mib
    return ("the limit is %d%% of the memory" % round(100 * share), share > 0.85) if share else ("JAX does not report its limit", None)


def _xla_options(flags):
    """The options in XLA's dump: those that differ from their defaults. Needs a separate process."""
    import subprocess
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        flags = flags + ["--xla_dump_to=" + folder, "--xla_dump_hlo_as_text"]
        code = "import jax; jax.jit(lambda x: x + 1)(1.0).block_until_ready()"
        environment = dict(os.environ, XLA_FLAGS=" ".join(flags), JAX_COMPILATION_CACHE_DIR="", XLA_PYTHON_CLIENT_PREALLOCATE="false", PYTHONPATH="")
        subprocess.run([sys.executable, "-c", code], env=environment, check=True, timeout=120, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for path in glob.glob(os.path.join(folder, "*debug_options*")):
            with open(path) as file:
                pairs = [line.partition(":")[::2] for line in file]
                return {name.strip(): value.strip().strip('"') for name, value in pairs}
    return None


def xla_option(name, wanted):
    """Whether an option has the wanted value. XLA does not dump defaults, so then the opposite is set, which it must dump."""
    flags = os.environ.get("XLA_FLAGS", "").split()
    options = _xla_options(flags)
    if options is None:
        return "XLA wrote no options", None
    if name in options:
        return "%s is %s" % (name, options[name]), options[name] == wanted
    opposite = {"true": "false", "false": "true"}[wanted]
    others = [flag for flag in flags if flag.partition("=")[0] != "--" + name]
    if (_xla_options(others + ["--%s=%s" % (name, opposite)]) or {}).get(name) == opposite:
        return "%s is %s by default" % (name, wanted), True
    return "%s is at its default" % name, False


PROBES = {f.__name__: f for f in (
    evaluates, mapped, known_by, matmul_error, attention_kernel, first_convolution, kernel_names, workspace, fused_kernel,
    pinned_batch, autocast_output, laid_out, compiled_models, working_threads, bound, runs_on, page_faults, huge_pages,
    jax_matmul_error, cached_program, jax_memory, xla_option)}
