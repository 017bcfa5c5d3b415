# Statements of 3.8 and later, and where their positions lie.
with a: pass
with a as b: pass
with a as b, c as (d, e): pass
with (a): pass
with (a, b): pass
with (a, b,): pass
with (a as b): pass
with (a as b, c as d,): pass
with (a, b) as c: pass
with (a), (b): pass
with (a).b: pass
with (a)(): pass
with (a, b)[0] as c: pass
with (yield): pass
with (yield a), b: pass
with (a := b): pass
with (a for a in b): pass
with (a if b else c) as d, e: pass
with (open(x)) as f: pass
with (
    a as b,
    c
): pass
with (a, *b) as c: pass
with a as (b): pass
with a as b.c, d as e[0], f as [g, h], i as (j, *k): pass
async def f():
    async with a as b: pass
    async for x in y: pass
    else: pass
    await x
    return [x async for x in y if await z]
for x in y: pass
for x, in y: pass
for (x, y), *z in a, b: pass
for x in *a, b: pass
for x.y in z: pass
for x[0], (y) in z:
    break
else:
    continue
for x in lambda: 1, 2: pass
while x: pass
else: pass
while (x := y()): pass
if a: pass
elif b: pass
elif c: pass
else: pass
if a:
    pass;
elif b: x; y;
else:
    z ;
try: pass
except: pass
try: pass
except A as e: pass
except (B, C): pass
else: pass
finally: pass
try: pass
finally: pass
try: pass
except* A: pass
raise
raise A
raise A from B
assert a
assert a, b
assert (a, b)
del a
del a, b
del (a, b), [c, d], e.f, g[0]
del (a)
del a,
del ()
del []
return_ = 1
global_ = 2
def f():
    global a, b
    nonlocal_ = 1
    def g():
        nonlocal nonlocal_
    return
    return 1, *a
    yield
    yield 1, *a
    yield from a
    x = yield
    x = y = yield z
    x += yield z
    x: int = yield z
def f(a, b=1, /, c=2, *d, e, f=3, **g): pass
def f(a: int, *, b: str = "x") -> None: pass
def f(*args: *Ts, **kwargs: int): pass
def f(a, /): pass
def f(a, /, b): pass
def f(*, a): pass
def f(**a): pass
def f(a, b,): pass
def f(*a,): pass
def f(**a,): pass
def f(
    a,  # comment
    b,
): pass
lambda: 1
lambda a, b=1, /, c=2, *d, e, f=3, **g: a
lambda *, a: a
lambda *a, b: (yield)
lambda a,: a
class A: pass
class A(): pass
class A(B, C, *D, metaclass=E, **F): pass
@a
@a.b.c(d)
@a[0].b
@(lambda x: x)
@x if y else z
@a := b
async def f(): pass
@a
class B:
    @c
    def d(self): pass
import a
import a.b.c as d, e
import a . b
from a import b
from a import b as c, d
from a import (b, c as d,)
from . import a
from .. import a
from ... import a
from .... import a
from .a.b import c
from . a import *
from ...a import (b)
x = 1
x = y = 1
x, y = y, x
x, *y = z
*x, = y
*x, y = z
(x) = 1
[x, [y, z]] = 1
() = []
[] = ()
(x, y), z = w
x.y = x[0] = x[1:2] = z
x = *a, *b
x += 1; x -= 1; x *= 1; x /= 1; x //= 1; x %= 1; x @= 1
x &= 1; x |= 1; x ^= 1; x >>= 1; x <<= 1; x **= 1
x.y += 1, 2
(x) += 1
x: int
x: int = 1
(x): int = 1
x.y: int
x[0]: int = 1
x: (yield)
x: tuple = 1, *a
pass; pass
if x: pass; pass;
*a
*a, b
print >>f, x
x if y else z
async_ = 1
if x:
	pass
	if y:
		pass
