package project

// plainMethods are methods of tensors, arrays, strings and containers.
var plainMethods = setOf(
	"view", "reshape", "transpose", "permute", "size", "dim", "ndimension", "numel", "unsqueeze", "squeeze", "expand",
	"expand_as", "repeat", "repeat_interleave", "contiguous", "flatten", "unflatten", "unbind", "chunk", "split", "sum",
	"mean",
	"std", "var", "min", "max", "amax", "amin", "argmax", "argmin", "abs", "exp", "log", "sqrt", "rsqrt", "pow", "clamp",
	"clamp_", "clip", "softmax", "log_softmax", "sigmoid", "tanh", "relu", "masked_fill", "masked_fill_", "masked_scatter",
	"gather", "scatter", "scatter_", "scatter_add_", "index_select", "index_add_", "index_copy_", "fill_", "zero_",
	"normal_",
	"uniform_", "copy_", "add", "add_", "sub", "sub_", "mul", "mul_", "div", "div_", "eq", "ne", "gt", "lt", "ge", "le",
	"type_as", "long", "int", "bool", "double", "new_zeros", "new_ones", "new_tensor", "new_full", "cumsum", "cumprod",
	"topk", "argsort", "matmul", "bmm", "mm", "norm", "all", "any", "isnan", "isinf", "roll", "flip",
	"diagonal", "triu", "tril", "stride", "data_ptr", "element_size", "items", "keys", "values", "setdefault",
	"append", "extend", "insert", "remove", "clear", "index", "count", "join", "strip", "rstrip", "lstrip", "startswith",
	"endswith", "lower", "upper", "title", "format", "find", "rfind", "splitlines", "partition",
	"isdigit", "isalpha", "isspace", "zfill", "replace", "astype", "ravel", "fill", "nonzero", "round", "swapaxes",
	"union", "intersection", "difference", "issubset", "add_argument_group", "group", "groups", "start", "end", "span",
	"removeprefix", "removesuffix", "capitalize", "ljust", "rjust", "center", "as_posix", "is_absolute", "exists",
	"is_dir",
	"is_file", "mkdir", "relative_to", "with_suffix", "assertEqual", "assertTrue", "assertFalse", "assertIn",
	"assertIsNone",
	"assertIsNotNone", "assertRaises", "assertListEqual", "assertDictEqual", "assertGreater", "assertLess",
	"assertIsInstance",
)
