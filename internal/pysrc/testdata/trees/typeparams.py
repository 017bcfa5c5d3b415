# PEP 695 and PEP 696: type parameters and their defaults.
type X = int
type X[T] = list[T]
type X[T: int, *Ts, **P] = Callable[P, tuple[T, *Ts]]
type X[T = int, *Ts = *tuple[int, ...], **P = [int, str]] = ...
type X[T: (int, str) = int] = T
type X[*Ts = Unpack[tuple[int]]] = 1
type type = type
type match = int
type case[_] = _
type = 1
type
type(x)
type[x]
type + 1
type in x
type.x = 2
type: int = 3
type, x = 1, 2
type \
    Y \
    = 1
def f[T](x: T) -> T: ...
def f[T: int = bool, *Ts, **P](*args: *Ts, **kwargs: P.kwargs) -> T: ...
async def f[**P](): ...
class A[T]: ...
class A[T](B[T], metaclass=M): ...
class A[T,](): ...
@decorator
class A[*Ts = *tuple[int]](B): ...
