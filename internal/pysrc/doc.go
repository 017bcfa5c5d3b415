// Package pysrc reads Python source, any version from 3.8 to 3.14, into a tree
// whose every node knows its byte range.
//
// The pipeline:
//
//  1. decode   bytes to UTF-8: byte order mark, coding cookie (source.go)
//  2. lex      one logical line of tokens at a time; comments are kept aside (lex*.go)
//  3. parse    recursive descent, and precedence climbing for operators (parse*.go)
//  4. recover  a broken statement becomes a BadStmt, the next one is read as usual (recover.go)
//
// The tree is CPython's: one struct per class of its ast module, same fields,
// same order. It differs in four ways, each to make rules shorter:
//
//   - an async def, for or with is a FunctionDef, For or With whose Async is set,
//     and try … except* is a Try whose Star is set;
//   - an expression statement is an ExprStmt, because Expr is the interface;
//   - a Constant has a Kind and a Value instead of a dynamic value;
//   - statements that do not parse are BadStmt nodes.
//
// # How to use it
//
//	f := pysrc.Parse("train.py", src)         // always gives a File and a Module
//	for _, e := range f.Errors { … }          // where the source is not Python
//	pysrc.Inspect(f.Module, func(n pysrc.Node) bool {
//		call, ok := n.(*pysrc.Call)
//		if ok && pysrc.DottedName(call.Func) == "torch.utils.data.DataLoader" {
//			at := f.Position(call.Start)       // line and column, both from 1
//			text := f.Text(call)               // the source of the call
//			if kw := call.Keyword("num_workers"); kw != nil {
//				n, ok := pysrc.IntValue(kw.Value)
//			}
//		}
//		return true                            // false: do not go into n
//	})
//
// Nodes are immutable by convention and may be shared between goroutines.
// Their strings are parts of File.Src, which therefore must not be changed.
package pysrc
