//go:build ruleguard

// Package lint has rules of this project that no linter knows. golangci-lint reads them through gocritic.
package lint

import "github.com/quasilyte/go-ruleguard/dsl"

// straight wants errors to return at once, so that a function's good path is at the left margin.
func straight(m dsl.Matcher) {
	m.Match(
		`if $*_, $v = $_; $_ { $*_ }`, `if $*_, $v = $_; $_ { $*_ } else { $*_ }`,
	).
		Where(!m.File().Name.Matches(`_test\.go$`)).
		Report("this if assigns to a variable that is declared outside it: assign on a line of its own")
	m.Match(
		`if $err == nil { $*_ }`, `if $_; $err == nil { $*_ }`,
		`if $err == nil && $_ { $*_ }`, `if $_; $err == nil && $_ { $*_ }`,
		`if $_ && $err == nil { $*_ }`, `if $_; $_ && $err == nil { $*_ }`,
	).
		Where(m["err"].Type.Is("error") && m["err"].Node.Is("Ident") && !m.File().Name.Matches(`_test\.go$`)).
		Report("return if the error is not nil, and go on without an indent")
}
