# PEP 750: template strings.
t""
t"plain"
t'{name}'
T"Hello {name}!"
t"{ name }"
t"{name!r}{name!s}{name!a}"
t"{value:.2f}"
t"{value:{width}.{precision}}"
t"{value!r:>{width}}"
t"{x=}"
t"{ x = }"
t"{x + 1 = !s:>10}"
rt"\d{x}\n"
tR"\{x}"
Rt'''
{
    x  # a comment
    + 1
}
'''
t"{{literal}} {x}"
t"\N{BULLET} {x}\t"
t"a" t"b{c}" t"d"
t"{t'{inner}'}"
t"{f'{inner}'}" t"{f"{inner!r}"}"
t"{a, b}"
t"{*a, b}"
t"{lambda_}"
t"{(lambda x: x)(1)}"
t"{x if y else z}"
t"{[i for i in y]}"
t"{ {1: 2}[1] }"
t"{yield_!r:}"
def f():
    t"{yield x}"
    t"{await x}"
t"""{
x = 
}"""
t"{'a' 'b'}{x['k']}"
t = 1
t
t(x)
tr = rt = 1
print(t"{x}", sep=t"")
t"{x:{y:{z}}}"
t"{x!r:{y!s:}}"
t"{x:%H:%M}"
t"é{ñ}ü"
