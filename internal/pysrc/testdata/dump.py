"""Parses files with this interpreter's ast and prints what came of each.

The test reads file names from stdin, one per line, and for each gets one line:

    ok <sha256 of the dump>
    error <line> <message>

With --full, the dump itself of the one file that follows.

The dump is a line per node: class, position, fields in the order of the
class. The Go side writes the same shape for the version of the interpreter
(dump_test.go), so that whatever differs between versions is written there,
with three exceptions. Type comments are left out, as the lexer does not read
them. Inside f-strings before 3.12 positions and string kinds are left out, as
those versions take them from the whole string. An empty string in an f-string
is left out: only the first releases of 3.12 have one, after a field that ends
a format specification.
"""
import ast
import hashlib
import io
import struct
import sys
import threading
import tokenize
import warnings

PLAIN_FSTRINGS = sys.version_info < (3, 12)
LEFT_OUT = {"type_comment", "type_ignores"}
classes = {}


def describe(cls):
    fields = tuple(f for f in cls._fields if f not in LEFT_OUT)
    attributes = "end_lineno" in cls._attributes
    # An operator or context is only its name.
    return cls.__name__, fields, attributes, issubclass(
        cls, (ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context))


def text(s):
    n = len(s) if s.isascii() else len(s.encode("utf-8", "surrogatepass"))
    return "s%d:%s" % (n, s)


def number(f):
    return struct.pack(">d", f).hex()


def constant(v):
    if v is None or v is True or v is False:
        return str(v)
    if v is Ellipsis:
        return "Ellipsis"
    if isinstance(v, str):
        return text(v)
    if isinstance(v, bytes):
        return "b" + v.hex()
    if isinstance(v, int):
        return "i%x" % v
    if isinstance(v, float):
        return "f" + number(v)
    return "c" + number(v.imag)


def dump(node, out, plain):
    cls = node.__class__
    info = classes.get(cls)
    if info is None:
        info = classes[cls] = describe(cls)
    name, fields, positioned, bare = info
    if bare:
        out.append(name)
        return
    out.append("\n" + name)
    if positioned and not plain:
        out.append(" %d:%d-%d:%d" % (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset))
    out.append("(")
    if name == "JoinedStr":
        plain = PLAIN_FSTRINGS
    for field in fields:
        value = getattr(node, field, None)
        if name == "Constant":
            if field == "value":
                out.append(constant(value))
            elif value is not None and not plain:
                out.append(" u")
        elif field == "value" and name == "MatchSingleton":
            out.append(constant(value))
        elif value is None:
            out.append("-")
        elif isinstance(value, list):
            out.append("[")
            for item in value:
                if name == "JoinedStr" and getattr(item, "value", None) == "":
                    continue
                if item is None:
                    out.append("-")
                elif isinstance(item, str):
                    out.append(text(item))
                else:
                    dump(item, out, plain)
                out.append(",")
            out.append("]")
        elif isinstance(value, str):
            out.append(text(value))
        elif isinstance(value, int):
            out.append(str(value))
        else:
            dump(value, out, plain)
        out.append(";")
    out.append(")")


def read(path):
    with open(path, "rb") as f:
        source = f.read()
    if not source.isascii():
        # As for a file that is run: ast.parse itself lets some versions
        # accept bytes in a comment that are no text.
        source.decode(tokenize.detect_encoding(io.BytesIO(source).readline)[0])
    out = []
    dump(ast.parse(source, path), out, False)
    return "".join(out).encode("utf-8", "surrogatepass")


def main():
    warnings.simplefilter("ignore")
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(4300)
    if sys.argv[1:2] == ["--full"]:
        sys.stdout.buffer.write(read(sys.argv[2]))
        return
    for line in sys.stdin.buffer:
        path = line.rstrip(b"\n").decode("utf-8", "surrogateescape")
        try:
            answer = "ok " + hashlib.sha256(read(path)).hexdigest()
        except SyntaxError as e:
            answer = "error %d %s" % (e.lineno or 0, str(e.msg).replace("\n", " "))
        except (ValueError, RecursionError, MemoryError) as e:
            answer = "error 0 %s: %s" % (type(e).__name__, str(e).replace("\n", " "))
        sys.stdout.write(answer.encode("ascii", "backslashreplace").decode() + "\n")
        sys.stdout.flush()


sys.setrecursionlimit(20000)
try:
    threading.stack_size(512 << 20)
    thread = threading.Thread(target=main)
    thread.start()
    thread.join()
except RuntimeError:  # no threads here
    main()
