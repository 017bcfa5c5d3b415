# Operators, literals, displays and calls.
a or b or c and d and not e
not a == b
a < b <= c != d is e is not f in g not in h
a | b ^ c & d << e >> f + g - h * i / j // k % l @ m
-a ** -b ** c
+a, -a, ~a, not not a
(a + b) * (c)
a if b else c if d else e
(a, b), (a,), (), (a)
((a, b), c)
[a, *b, (c)], [], [a,]
{a, *b}, {a,}
{}, {a: b, **c, d: e,}, {**a}, {a: b}
{a: b for c, d in e if f if g}
{a for b in c for d in e}
[a for b in c if d]
[a for a, in b]
[a async for b in c]
(a for b in c)
(a for b in c if d for e in f)
[(yield_) for x in y]
[x := 1, y := 2]
{x := 1}
(x := 1, 2)
f(x := 1)
f(a, *b, c, d=e, *f, **g, h=i)
f(*a, *b, **c, **d)
f(a for a in b)
f((a for a in b), c)
f(a)(b)(c)
f(a,)
f(
    a,
    b=c,
)
f(*a or b)
f(**a or b)
f(print=1, match=2, type=3)
a[b], a[b:c], a[b:c:d], a[:], a[::], a[:b], a[b:], a[::b], a[:b:c]
a[b, c], a[b,], a[b:c, d], a[*b], a[*b, c], a[b, *c], a[(b, c)], a[()], a[x := 1]
a[lambda: 1], a[b if c else d], a[...], a[-1]
a.b.c(d).e[f].g
a . b
(a).b
"a".b, 1 .real, 1.0.real, 1j.imag, [].x, {}.y, ().z
await_
0, 00, 0_0, 1_000, 0x_fF, 0Xab, 0b_10, 0B1, 0o_17, 0O7
1., .5, 1.5, 1e5, 1E-5, 1.5e+10, 1_0.0_1e1_0, 1e400, 0e0, 00.5, 09.5, 09e1
1j, 1.5J, .5j, 1e5j, 0j, 00j, 09j, 1_0j
123456789012345678901234567890, 0xffffffffffffffffffff
None, True, False, ...
"", '', "a'b", 'a"b', "a" 'b', """a
b""", '''a"""b'''
r"\n\d", R'\'', "\n\t\\\'\"\a\b\f\v\r\0\7\77\377\400\x41\u00e9\U0001F600"
"\N{BULLET}\N{latin small letter e with acute}\N{LF}\N{HANGUL SYLLABLE GAG}\N{CJK UNIFIED IDEOGRAPH-4E00}"
"\ud800", "\udfff\ud83d\ude00", "\q\8\9\ "
"a\
b"
b"", b'a\x00\377\n\u00e9', B"\N{x}", rb"\x00", bR'\\', Rb"a", BR"b"
b"a" b'b'
u"a", U"b", u"a" "b", "a" u"b"
("a"
 "b")
1if a else 2
1or 2
0x1for x in y
[1for x in y]
1 if a else(2)
lambda: (yield)
a<b>c==d>=e<=f!=g
a@b
x = yield_
é = ñ.ü(ﬁ=ℌ)
ªµº = 1
变量 = "值"
é = 1
