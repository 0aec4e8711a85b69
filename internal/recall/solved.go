package recall

import (
	"regexp"
	"strings"
)

// A person says that it works, or the assistant that it has found the cause or that what
// failed now passes. These are signs, not proofs: a reminder costs one line, once a
// session.
var (
	personSays = regexp.MustCompile(`(?i)\b(?:(?:it|that|this|everything|all)(?:'s| is| has)? ?(?:now )?` +
		`(?:works?|working|worked|fixed|solved|passes|passing|did (?:it|the trick)|fixed it|solved it)\b` +
		`|works (?:now|again|fine|perfectly|great)\b|(?:problem|bug|issue) (?:is |was )?(?:now )?(?:gone|solved|fixed|resolved)\b` +
		`|(?:no longer|doesn't|does not) (?:fails?|crash(?:es)?|hangs?) (?:any ?more|now)\b)`)
	// notYet makes a wish, a question or a failure of the same words.
	notYet = regexp.MustCompile(`(?i)\b(?:not|n't|isn't|doesn't|didn't|still|never|nothing|if|whether|does|until|should|make|` +
		`how|why|what|explain|describe|show)\b[^.!\n]{0,40}` +
		`\b(?:works?|working|worked|fixed|solved|passes|passing|pass|gone|resolved)\b`)
	assistantSays = regexp.MustCompile(`(?i)(?:\b(?:root cause|` +
		`the (?:real |actual |underlying )?(?:cause|culprit|problem|bug|issue) ` +
		`(?:was|turned out|is that|came from)|turned out (?:to be|that)|caused by)\b` +
		`|\b(?:tests?|build|suite|check|command|ci|lint|it) (?:all )?(?:now pass(?:es)?|` +
		`(?:is|are) (?:now )?(?:green|passing|fixed)|pass(?:es)? (?:now|again))\b` +
		`|\bnow (?:passes|passing|works|succeeds|builds|compiles)\b)`)
)

// PersonSolved reports whether a prompt says that something works now.
func PersonSolved(prompt string) bool {
	return personSays.MatchString(prompt) && !notYet.MatchString(prompt) && !strings.HasSuffix(strings.TrimSpace(prompt), "?")
}

// AssistantSolved reports whether the last message of an assistant says that a cause was
// found, or that what failed now passes.
func AssistantSolved(message string) bool {
	return assistantSays.MatchString(message)
}
