package markdown

import (
	"regexp"
	"strings"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
)

// mask stands for a secret.
const mask = "REDACTED"

// secretKind is a kind of secret that its form tells.
type secretKind struct {
	name string
	// hints are texts of which each secret of the kind has one. They are much faster to find than the pattern.
	hints   []string
	pattern func() *regexp.Regexp // its last group, if there is one, is what is masked
	// isReal tells a secret from another text, nil for always.
	isReal func(secret, whole string) bool
}

var secretKinds = []secretKind{
	{"a private key", []string{"PRIVATE KEY"}, lazyregexp.New(
		`-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----` +
			`(?:(?:[^-]|-[^-])*-----END [A-Z0-9 ]+-----|(?:\W*[A-Za-z0-9+/=]{16,})*)`), hasKey},
	{"a key of AWS", []string{"AKIA", "ASIA"}, lazyregexp.New(`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`), nil},
	{"a secret key of AWS", []string{"ecret", "ECRET"}, lazyregexp.New(
		`(?i:secret)[^\n]{0,30}?[\s"'=:` + "`" + `]([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)`), isMixed},
	{"a token", []string{
		"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "sk-", "k_live_", "AIza", "npm_", "eyJ",
	}, lazyregexp.New(
		`\b(?:gh[pousr]_[A-Za-z0-9]{36,255}\b|github_pat_\w{22,255}|glpat-[\w-]{20,}|sk-(?:ant|proj|svcacct)-[\w-]{20,}` +
			`|sk-[A-Za-z0-9]{32,}\b|[rs]k_live_[A-Za-z0-9]{16,}|AIza[\w-]{35}\b|npm_[A-Za-z0-9]{36}\b` +
			`|eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,})`), nil},
	{"a token of Slack", []string{"xox", "xapp-", "hooks.slack.com/"}, lazyregexp.New(
		`\b(?:xox[abeoprs]-[\w-]{10,}|xapp-\d-[\w-]{10,}|hooks\.slack\.com/(?:services|workflows)/(T\w+/\w+/\w+))`), isUnlikeName},
	{"a password in a URL", []string{"://"}, lazyregexp.New(
		`://[^\s/:@"'<>]*:([^\s/@"'<>]+)@[\w\[]\w*`), isPassword},
	{"a token in a URL", []string{"oken=", "key=", "secret="}, lazyregexp.New(
		`[?&](?i:access_token|auth_token|private_token|token|api_?key|client_secret|secret)=([\w.~-]{16,})`), isUnlikeName},
}

// hasKey reports whether a block has more than its borders.
func hasKey(block, _ string) bool { return keyText().MatchString(block) }

var (
	keyText = lazyregexp.New(`[A-Za-z0-9+/]{24}`)
	digit   = lazyregexp.New(`\d`)
	upper   = lazyregexp.New(`[A-Z]`)
	lower   = lazyregexp.New(`[a-z]`)
	// placeholder matches what stands for a password in an example.
	placeholder = lazyregexp.New(`(?i)^(?:[$%{\[(*].*|\.+|x+|(?:your|my|the|some)[_-].*|` +
		`.*(?:password|passwd|token|secret)\W?|pass|pwd?|user|root|admin|guest|test|dev|postgres|changeme|change-me|redacted|\d+)$`)
)

// isMixed reports whether a text has letters of both cases and digits, as no hash in hexadecimal has.
func isMixed(secret, _ string) bool {
	return digit().MatchString(secret) && upper().MatchString(secret) && lower().MatchString(secret)
}

// isUnlikeName reports whether a text has digits, and is no placeholder.
func isUnlikeName(secret, _ string) bool {
	return digit().MatchString(secret) && !placeholder().MatchString(secret)
}

// isPassword reports whether the password of a URL is none of an example, such as the user's name, and no tag of an
// image with its digest.
func isPassword(secret, whole string) bool {
	return !placeholder().MatchString(secret) && !strings.HasPrefix(whole, "://"+secret+":") && !strings.HasSuffix(whole, "@sha256")
}

// found calls f with each secret of the kind in a text, in order.
func (k secretKind) found(text string, f func(start, end int)) {
	for _, hint := range k.hints {
		if !strings.Contains(text, hint) {
			continue
		}
		for _, at := range k.pattern().FindAllStringSubmatchIndex(text, -1) {
			start, end := at[0], at[1]
			if last := len(at) - 2; at[last] >= 0 {
				start, end = at[last], at[last+1]
			}
			if k.isReal == nil || k.isReal(text[start:end], text[at[0]:at[1]]) {
				f(start, end)
			}
		}
		return
	}
}

// masked returns a text with each secret masked, in as many lines. What leaves the program is made of it.
func masked(text string) string {
	for _, kind := range secretKinds {
		var out strings.Builder
		done := 0
		kind.found(text, func(start, end int) {
			out.WriteString(text[done:start] + mask + strings.Repeat("\n", strings.Count(text[start:end], "\n")))
			done = end
		})
		text = out.String() + text[done:]
	}
	return text
}

// Secrets returns the places of a file's secrets, each with what it is.
func Secrets(src []byte) []Error {
	var secrets []Error
	text := string(src)
	for _, kind := range secretKinds {
		kind.found(text, func(start, _ int) {
			secrets = append(secrets, Error{Line: lineAt(src, start), Problem: kind.name})
		})
	}
	return secrets
}
