package expect

import (
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// workingDirectory is where the test process starts: the folder of the tested package.
var workingDirectory, _ = os.Getwd()

// subject returns how a failure begins: what the test says of the comparison, and the compared expression.
func subject(what []string) string {
	parts := what
	if _, file, line, ok := runtime.Caller(2); ok {
		if expression := compared(file, line); expression != "" {
			parts = append(parts[:len(parts):len(parts)], expression)
		}
	}
	if len(parts) == 0 {
		return "the value:"
	}
	return strings.Join(parts, ": ") + ":"
}

// compared returns the second argument of the call of this package at a line of a file, or "" without the source.
func compared(file string, line int) (expression string) {
	positions := token.NewFileSet()
	parsed, err := parser.ParseFile(positions, source(file), nil, parser.SkipObjectResolution)
	if err != nil {
		return ""
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if ok && len(call.Args) > 1 && positions.Position(call.Lparen).Line == line && isCheck(call) {
			var text strings.Builder
			if format.Node(&text, positions, call.Args[1]) == nil {
				expression = strings.Join(strings.Fields(text.String()), " ")
			}
		}
		return expression == ""
	})
	return expression
}

// isCheck reports whether a call is one of a function of this package, with or without type arguments.
func isCheck(call *ast.CallExpr) bool {
	function := call.Fun
	if instance, ok := function.(*ast.IndexExpr); ok {
		function = instance.X
	}
	selector, ok := function.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	name, ok := selector.X.(*ast.Ident)
	return ok && name.Name == "expect"
}

// source returns the path of a source file. The flag -trimpath leaves the path from the module's name on, so the
// module's folder is looked for in the working directory and above it.
func source(file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	_, inModule, _ := strings.Cut(file, "/")
	for folder := workingDirectory; ; folder = filepath.Dir(folder) {
		path := filepath.Join(folder, filepath.FromSlash(inModule))
		if _, err := os.Stat(path); err == nil || folder == filepath.Dir(folder) {
			return path
		}
	}
}
