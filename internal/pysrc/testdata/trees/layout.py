if x:
    a

    b

class A:
    x = """a
b"""
    y = "c\
d"
\

z = 1 \
  + 2
if a:\
  b
