# PEP 701: f-strings are made of tokens.
f""
f'{x}'
f"{x}" "b" f'c'
"a" "b"
u"a" f"{x}"
f'a' u'b'
u"a" "b"
f'{a['b']}'
f"{f"{f"{1}"}"}"
f'{'\n'.join(x)}'
f"""{
    x  # comment
    = }"""
f"{x!r:^{width}.{precision}}"
f"{x:{'{'}}" f"{x:{{}}}"
f"{{}}" f"{{{x}}}" f"{{a{x}b}}"
f"{x:}" f"{x!r:}"
f"\N{LATIN SMALL LETTER A}{x}\N{DIGIT ONE}"
rf"\N{x}" f"\{x}" f"\\{x}" f"\x41{x}\u00e9\101"
f"{x=}" f"{x = !r}" f"{x=:>10}" f"{ x=!s:{w}}" f"{x.y[0]=}"
f"{x:{y=}}"
f"{a:=5}" f"{(a:=5)}" f"{a!=b}" f"{a == b}" f"{a >= b}"
f"{lambda_:x}" f"{(lambda x: x)}" f"{*a, *b}" f"{a, }"
f"{x:%Y-%m-%d {y}}" f"{x:a{y}b{z}c}"
f'''
{x:
  d}
{
 y
}
'''
f"{x if y else z:>{w}}"
def f(): return f"{yield}" f"{yield x}"
f"a\
b{x}\
c"
fr"\{x}\n" Rf'{x}\d' FR"{x}"
f"{x}" \
    f"{y}"
(f"{x}"
 "plain {not a field}"
 f"{y}")
f"{ {'a': 1}['a'] }" f"{ {1, 2} }" f"{[1, 2][0]:d}"
f"{x!s}" f"{x !r}"
f"😀{x}é" f"{'é'}"
f"{1_000}" f"{1.5e3j}" f"{0xff:#x}" f"{None}" f"{...}"
f"{a["b"]["c"]}" f'{a("b", c='d')}'
f"{'a' if x else "b"}" f"{x:{'>'}{10}}"
