"""More models than are told apart: each may be the one that is trained."""

from .many import net00, net01, net02, net03, net04, net05, net06, net07, net08, net09, net10, net11, net12, net13, net14
from .other import net15

table = {
    "net00": net00,
    "net01": net01,
    "net02": net02,
    "net03": net03,
    "net04": net04,
    "net05": net05,
    "net06": net06,
    "net07": net07,
    "net08": net08,
    "net09": net09,
    "net10": net10,
    "net11": net11,
    "net12": net12,
    "net13": net13,
    "net14": net14,
    "net15": net15,
}
