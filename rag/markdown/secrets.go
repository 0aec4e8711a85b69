package markdown

import (
	"regexp"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
)

// secretKinds are the kinds of secrets that have a known form. A pattern is tried only on text with one of its hints,
// because the search for a hint is much faster. If the pattern has a group, the group is the secret.
var secretKinds = []struct {
	name    string
	hints   []string
	pattern func() *regexp.Regexp
}{
	{"a private key", []string{"PRIVATE KEY"}, lazyregexp.New(`-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:` +
		`(?:[^-]|-[^-])*[A-Za-z0-9+/]{24}(?:[^-]|-[^-])*-----END [A-Z0-9 ]+-----|(?:\W*[A-Za-z0-9+/=]{24,})+)`)},
	{"a key of AWS", []string{"AKIA", "ASIA"}, lazyregexp.New(`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`)},
	{"a secret key of AWS", []string{"ecret", "ECRET"}, lazyregexp.New(
		`(?i:secret)[^\n]{0,30}?[\s"'=:` + "`" + `]([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)`)},
	{"a token", []string{
		"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "sk-", "k_live_", "AIza", "npm_", "eyJ", "xox", "xapp-",
	}, lazyregexp.New(`\b(?:gh[pousr]_[A-Za-z0-9]{36,255}\b|github_pat_\w{22,255}|glpat-[\w-]{20,}` +
		`|sk-(?:ant|proj|svcacct)-[\w-]{20,}|sk-[A-Za-z0-9]{32,}\b|[rs]k_live_[A-Za-z0-9]{16,}|AIza[\w-]{35}\b|npm_[A-Za-z0-9]{36}\b` +
		`|eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}|xox[abeoprs]-\d[\w-]{9,}|xapp-\d-[\w-]{10,})`)},
	{"a Slack address", []string{"hooks.slack.com/"}, lazyregexp.New(`hooks\.slack\.com/(?:services|workflows)/(T\w+/\w+/\w+)`)},
	{"a password in a URL", []string{"://"}, lazyregexp.New(`://[^\s/:@"'<>]*:([^\s/@"'<>]+)@[\w\[]\w*`)},
	{"a token in a URL", []string{"oken=", "key=", "secret="}, lazyregexp.New(
		`[?&](?i:access_token|auth_token|private_token|token|api_?key|client_secret|secret)=([\w.~-]{0,15}\d[\w.~-]{15,})`)},
}

// example matches a placeholder that a document shows in place of a secret.
var example = lazyregexp.New(`(?i)^(?:[$%{\[(*].*|\.+|x+|(?:your|my|the|some)[_-].*|` +
	`.*(?:password|passwd|token|secret)\W?|pass|pwd?|user|root|admin|guest|test|dev|changeme|change-me|redacted|\d+)$`)

// eachSecret calls f with the byte offsets of each secret of a kind in a text. It skips three things that only look
// like secrets: a password that is the user's name, the tag of an image before its digest, and a hexadecimal hash.
func eachSecret(text string, kind int, f func(start, end int)) {
	hasHint := func(text string) bool {
		return slices.ContainsFunc(secretKinds[kind].hints, func(hint string) bool { return strings.Contains(text, hint) })
	}
	if !hasHint(text) {
		return
	}
	parts := strings.SplitAfter(text, "\n")
	if kind == 0 { // a private key has several lines
		parts = []string{text}
	}
	for offset := 0; len(parts) > 0; parts = parts[1:] {
		part, found := parts[0], [][]int{}
		if hasHint(part) {
			found = secretKinds[kind].pattern().FindAllStringSubmatchIndex(part, -1)
		}
		for _, at := range found {
			whole, start, end := part[at[0]:at[1]], at[len(at)-2], at[len(at)-1]
			secret := part[start:end]
			isOther := strings.HasPrefix(whole, "://"+secret+":") || strings.HasSuffix(whole, "@sha256") ||
				strings.EqualFold(whole[:6], "secret") && secret == strings.ToLower(secret)
			if !isOther && !example().MatchString(secret) {
				f(offset+start, offset+end)
			}
		}
		offset += len(part)
	}
}

// masked replaces each secret by REDACTED and keeps the number of lines. All text that leaves the program is masked.
func masked(text string) string {
	for kind := range secretKinds {
		var out strings.Builder
		done := 0
		eachSecret(text, kind, func(start, end int) {
			out.WriteString(text[done:start] + "REDACTED" + newlines(text[start:end]))
			done = end
		})
		text = out.String() + text[done:]
	}
	return text
}

// Secrets returns the line of each secret in a file. Problem is the kind of the secret.
func Secrets(src []byte) []Error {
	var secrets []Error
	for kind := range secretKinds {
		eachSecret(string(src), kind, func(start, _ int) {
			secrets = append(secrets, Error{Line: lineAt(src, start), Problem: secretKinds[kind].name})
		})
	}
	return secrets
}
