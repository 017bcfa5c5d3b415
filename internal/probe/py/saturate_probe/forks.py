"""A fork server: imports what is installed once, and becomes the programs that are started with it.

    launcher ─ {"import": [names], "try": bool}          ─> imports them ─> {"imported": …} or {"unsafe": why}
    launcher ─ {"job": n} and a socket                   ─> fork
    socket   ─ {"argv", "dir", "environ", …} and files   ─> the child takes all of this over and runs the program as Python would
    child ends ─> its status to the socket, its CPU time to the launcher

A child of a process that has started CUDA or threads is broken. So an import that does either is reported as unsafe, and the launcher
starts another server without it. What programs turn out to import later is tried in a child first, so that it costs no server. The project's own modules are never imported here: they differ from tree to tree.
Linux only, Python 3.9 or later, standard library only.
"""

import array
import ctypes
import gc
import importlib
import json
import mmap
import os
import random
import select
import signal
import socket
import struct
import sys
import types

from . import preload

_CLONE_NEWUSER, _CLONE_NEWNS = 0x10000000, 0x00020000
_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS = 1, 38
_LANDLOCK_RESTRICT_SELF = 446  # the number of the system call, the same on every processor
_LARGEST = 1 << 20


def serve(control):
    """Does what the launcher asks. Returns in a child only: with the function that runs its program."""
    launcher = socket.socket(fileno=control)
    server = _Server(launcher)
    while True:
        job = server.turn()
        if job is not None:
            launcher.close()
            return lambda: _become(job, server)


class _Server:
    def __init__(self, launcher):
        self.launcher = launcher
        self.environ = dict(os.environ)
        self.search = list(sys.path)  # before anything is imported
        self.threads, self.blas = _threads(), 0
        self.children = {}  # by pidfd: pid, number of the job, its socket
        self.poll = select.poll()
        self.poll.register(launcher, select.POLLIN)
        self.open = True

    def turn(self):
        """Waits for something and does it. In a new child it returns what the child is to do."""
        for fd, _ in self.poll.poll():
            if fd == self.launcher.fileno():
                job = self.asked()
                if job is not None:
                    return job
            elif fd in self.children:
                self.ended(fd)
            else:
                self.left(fd)
        if not self.open and not self.children:
            os._exit(0)
        return None

    def asked(self):
        data, files = _receive(self.launcher, _LARGEST)
        if not data:  # the launcher is gone; what runs is ended by others
            self.poll.unregister(self.launcher)
            self.open = False
            return None
        ask = json.loads(data)
        if "import" in ask:
            names = [name for name in ask["import"] if name not in sys.modules]
            self.say(ask.get("try") and self.tried(names) or self.imported(names))
            return None
        return self.fork(ask["job"], socket.socket(fileno=files[0]))

    def say(self, answer):
        try:
            self.launcher.sendall(json.dumps(answer).encode())
        except OSError:
            pass

    def imported(self, names):
        failed = []
        for name in names:
            if name in sys.modules:
                continue
            try:
                importlib.import_module(name)
            except BaseException as error:
                failed.append("%s: %s" % (name, error))
            threads = _threads()
            if threads > self.threads and _blas() > self.blas:  # OpenBLAS stops its threads before a fork, and starts them after
                self.threads = threads
            if "." not in name:  # to look takes milliseconds
                self.blas = _blas()
            if threads > self.threads:
                return {"unsafe": "starts threads", "module": name}
            if _on_gpu():
                return {"unsafe": "starts CUDA", "module": name}
        gc.collect()
        return {"imported": len(names) - len(failed), "failed": failed[:20], "environ": preload.changed(self.environ, os.environ)}

    def tried(self, names):
        """What imported would say of an import that is unsafe; None where all are safe. A child imports them."""
        mine, its = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                os.write(its, json.dumps(self.imported(names)).encode())
            finally:
                os._exit(0)
        os.close(its)
        with os.fdopen(mine, "rb") as said:
            text = said.read()
        os.waitpid(pid, 0)
        answer = json.loads(text) if text else {"unsafe": "ends the process", "module": names[0]}
        return answer if "unsafe" in answer else None

    def fork(self, number, conversation):
        pid = os.fork()
        if pid == 0:
            for fd in self.children:
                os.close(fd)
            for _, _, other in self.children.values():
                other.close()
            return conversation
        fd = os.pidfd_open(pid)
        self.children[fd] = pid, number, conversation
        self.poll.register(fd, select.POLLIN)
        self.poll.register(conversation, select.POLLRDHUP | select.POLLHUP)
        return None

    def ended(self, fd):
        pid, number, conversation = self.children.pop(fd)
        _, status, used = os.wait4(pid, 0)
        self.poll.unregister(fd)
        self.forget(conversation)
        os.close(fd)
        self.say({"job": number, "cpu": used.ru_utime + used.ru_stime})
        try:
            conversation.sendall(struct.pack("<i", status))
        except OSError:
            pass
        conversation.close()

    def left(self, fd):
        """Whoever waits for a child was killed, and the child has to go too: it may not have joined the group yet."""
        for pid, _, conversation in self.children.values():
            if conversation.fileno() == fd:
                self.forget(conversation)
                try:
                    os.kill(pid, signal.SIGKILL)
                except OSError:
                    pass

    def forget(self, conversation):
        try:
            self.poll.unregister(conversation)
        except (KeyError, ValueError):
            pass


def _threads():
    return len(os.listdir("/proc/self/task"))


def _blas():
    """How many libraries of OpenBLAS are loaded."""
    with open("/proc/self/maps") as file:
        return len({line.split()[-1] for line in file if "openblas" in line})


def _on_gpu():
    for fd in os.listdir("/proc/self/fd"):
        try:
            if os.readlink("/proc/self/fd/" + fd).startswith("/dev/nvidia"):
                return True
        except OSError:
            pass
    return False


def _receive(conversation, size):
    data, messages, _, _ = conversation.recvmsg(size, socket.CMSG_SPACE(16 * 4), getattr(socket, "MSG_CMSG_CLOEXEC", 0))
    files = array.array("i")
    for level, kind, content in messages:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            files.frombytes(content[: len(content) - len(content) % files.itemsize])
    return data, list(files)


# In the child.


def _become(conversation, server):
    """Takes over what the program is to have, and runs it. Anything that fails before its first line ends the child."""
    try:
        job = _take(conversation, server)
    except BaseException as error:
        sys.stderr.write("saturate: the program cannot be started from the fork server: %r\n" % (error,))
        sys.stderr.flush()
        os._exit(126)
    _run(job["options"], job["argv"])


def _take(conversation, server):
    data, files = _receive(conversation, 8)
    (size,) = struct.unpack("<q", data)
    parts = []
    while size > 0:
        part = conversation.recv(min(size, _LARGEST))
        if not part:
            raise EOFError("its starter is gone")
        parts.append(part)
        size -= len(part)
    job = json.loads(b"".join(parts))
    conversation.close()
    os.setpgid(0, job["group"])
    for at, fd in enumerate(files[:3]):
        os.dup2(fd, at)
    _confine(job, files[3:])
    for fd in files:
        os.close(fd)
    if _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL) != 0:
        raise OSError(ctypes.get_errno(), "prctl")
    os.chdir(job["dir"])
    _environ(job["environ"], preload.changed(server.environ, os.environ))
    _fresh(server)
    sys.orig_argv = [job["program"]] + job["words"]
    search = [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p]
    _search(search, server.search)
    return job


def _prctl(*args):
    libc = ctypes.CDLL(None, use_errno=True)
    return libc.prctl(*(ctypes.c_ulong(a) for a in args + (0,) * (5 - len(args))))


def _confine(job, files):
    """Enters the namespaces, or takes on the rules, that the starter has made."""
    libc = ctypes.CDLL(None, use_errno=True)

    def check(result, what):
        if result != 0:
            raise OSError(ctypes.get_errno(), "%s: %s" % (what, os.strerror(ctypes.get_errno())))

    if job["kind"] == "overlay":
        check(libc.setns(files[0], _CLONE_NEWUSER), "entering the user namespace")
        check(libc.setns(files[1], _CLONE_NEWNS), "entering the mount namespace")
        if os.geteuid() != 0:  # starting a program drops them
            check(libc.prctl(47, 4, 0, 0, 0), "dropping ambient capabilities")
            header = struct.pack("<Ii", 0x20080522, 0)
            check(libc.capset(header, b"\0" * 24), "dropping capabilities")
    elif job["kind"] == "landlock":
        check(_prctl(_PR_SET_NO_NEW_PRIVS, 1), "no new privileges")
        check(libc.syscall(ctypes.c_long(_LANDLOCK_RESTRICT_SELF), ctypes.c_long(files[0]), ctypes.c_long(0)), "Landlock")


def _environ(wanted, by_imports):
    """The variables that were asked for, with what the imports have set."""
    wanted = dict(entry.split("=", 1) for entry in wanted if "=" in entry)
    for name, value in by_imports.items():
        if value is None:
            wanted.pop(name, None)
        else:
            wanted[name] = value
    for name in [n for n in os.environ if n not in wanted]:
        del os.environ[name]
    for name, value in wanted.items():
        if os.environ.get(name) != value:
            os.environ[name] = value


def _fresh(server):
    """Undoes what a process that has forked once does not share with a new one."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    process = sys.modules.get("multiprocessing.process")
    if process is not None:
        process.ORIGINAL_DIR = os.getcwd()
        process.current_process()._config["authkey"] = process.AuthenticationString(os.urandom(32))
    numpy = sys.modules.get("numpy")
    if numpy is not None and hasattr(numpy, "random"):
        numpy.random.seed()
    importlib.invalidate_caches()
    server.scattered = _scattered()


def _scattered():
    """Memory of random sizes, so that what the program allocates lies elsewhere in each child. All children have the addresses of the
    server. Where a block lies can decide whether memory is given back and taken anew in each step: in all runs of one program, and in
    none of its equal, which then seems to be three times as fast."""
    draw = random.Random(os.urandom(8))  # the program's own numbers stay as they are
    blocks = [bytearray(draw.randrange(1 << draw.randrange(8, 23))) for _ in range(32)]
    pages = mmap.mmap(-1, draw.randrange(1, 64) << 21)  # large blocks are mapped below it, aligned to 2 MB; it is never written to
    return blocks[::2], pages


def _search(first, began):
    """The search path: the server's had its own first entries, and the imports may have added some."""
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    path = [p for p in sys.path if p and os.path.abspath(p) != here]
    front = []
    for entry in first:
        entry = os.path.abspath(entry)
        if entry not in front:
            front.append(entry)
    sys.path[:] = front + [p for p in path if p not in front]


def _run(options, argv):
    """Runs a script, or a module after -m, and ends as Python does."""
    from importlib.machinery import SourceFileLoader

    for name in ("saturate_probe.home", "saturate_probe"):
        try:
            importlib.import_module(name).start()
        except BaseException as error:  # the program must run even if this fails, as in sitecustomize
            sys.stderr.write("saturate: the probe could not start: %r\n" % (error,))
    import builtins

    main = types.ModuleType("__main__")
    main.__builtins__ = builtins
    if sys.version_info < (3, 14):
        main.__annotations__ = {}
    sys.modules["__main__"] = main
    safe = getattr(sys.flags, "safe_path", False)
    try:
        if argv[0] == "-m":
            import runpy

            sys.argv = ["-m"] + argv[2:]
            if not safe:
                sys.path.insert(0, os.getcwd())
            runpy._run_module_as_main(argv[1])
        else:
            script = argv[0]
            sys.argv = list(argv)
            if not safe:
                sys.path.insert(0, os.path.dirname(os.path.realpath(script)))
            file = script if os.path.isabs(script) else os.path.join(os.getcwd(), script)
            main.__file__, main.__cached__ = file, None
            main.__loader__ = SourceFileLoader("__main__", file)
            try:
                with open(script, "rb") as source:
                    text = source.read()
            except OSError as error:
                sys.stderr.write("%s: can't open file %r: [Errno %d] %s\n" % (sys.orig_argv[0], file, error.errno, error.strerror))
                raise SystemExit(2)
            code = compile(text, file, "exec", dont_inherit=True)
            exec(code, main.__dict__)
    except SystemExit:
        raise
    except BaseException as error:
        _fail(error)


def _fail(error):
    """Prints an exception that nothing caught, without the frames of the server, and ends with the code that Python ends with."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename in (__file__, "<string>"):
        trace = trace.tb_next
    error = error.with_traceback(trace)
    sys.last_type, sys.last_value, sys.last_traceback = type(error), error, trace
    sys.last_exc = error
    try:
        sys.excepthook(type(error), error, trace)
    except BaseException:
        sys.__excepthook__(type(error), error, trace)
    if isinstance(error, KeyboardInterrupt):
        import atexit

        signal.signal(signal.SIGINT, signal.SIG_DFL)
        try:
            sys.modules["threading"]._shutdown()
        except Exception:
            pass
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except Exception:
                pass
        os.kill(os.getpid(), signal.SIGINT)
    raise SystemExit(1)
