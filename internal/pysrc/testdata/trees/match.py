# PEP 634: patterns, and match and case as names.
match x:
    case 0 | -1 | 1.5 | -2j | 1 + 2j | -1 - 2j: pass
    case "a" "b" | b"c" | None | True | False: pass
    case a.b | a.b.c: pass
    case _: pass
    case y: pass
    case (y): pass
    case (y,) | [y] | () | []: pass
    case a, b: pass
    case a, *rest: pass
    case *_, b: pass
    case a,: pass
    case [a, *_, [b, (c, d)]]: pass
    case {}: pass
    case {"k": v, 1: 2, a.b: _, -1: x, 1+1j: z, None: n, **rest}: pass
    case {**rest}: pass
    case {"k": v,}: pass
    case A(): pass
    case A(b, c.d, x=1, y=z,): pass
    case a.B(): pass
    case (A() | B()) as c: pass
    case A() | B() as c if c > 1: pass
    case [A(x=[1, 2])] as y if (z := y): pass
match x, y:
    case 1, 2: pass
match x,:
    case 1,: pass
match *a, b:
    case _:
        match = 1
match (x):
    case 1: pass
match [x]:
    case 1: pass
match {x: y}:
    case 1: pass
match -x:
    case 1: pass
match not x:
    case 1: pass
match (yield):
    case 1: pass
match x := 1:
    case 1: pass
match await x:
    case 1: pass
match lambda: 1:
    case 1: pass
match match:
    case case: pass
match "a":
    case 'a': pass
match = case = 1
match
match()
match[1]
match[1:2]
match.case = 1
match(x)
match(x).y
match * a
match -1
match: int = 1
match, case = case, match
match + case
match in case
print(match)
case: int
def match(case): return match(case)
class case: match = 1
match in (1, 2)
if match: pass
match x if y else z:
    case 1: pass
match (a, b), c:
    case _: pass
