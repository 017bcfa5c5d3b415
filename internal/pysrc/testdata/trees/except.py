# PEP 758: except without parentheses.
try:
    pass
except A, B:
    pass
except A, B, C:
    pass
except (A, B):
    pass
except (A, B) as e:
    pass
except A.b, c[0], d():
    pass
except A,:
    pass
except A:
    pass
except:
    pass
else:
    pass
finally:
    pass
try:
    pass
except* A, B:
    pass
except* (C, D) as e:
    pass
except* E:
    pass
def f():
    try:
        return 1
    finally:
        return 2
