package claude

import "strings"

// AddArguments returns the arguments with which Claude Code's program registers the
// server for one user in the project where it runs. environment has entries NAME=value.
//
// The flag --env takes all words that follow it up to the next flag, so it cannot come
// last before the name.
func AddArguments(program string, environment []string) []string {
	arguments := []string{"mcp", "add"}
	for _, entry := range environment {
		arguments = append(arguments, "--env", entry)
	}
	return append(arguments, "--scope", ScopeLocal, ServerName, "--", program, "serve")
}

// AddLine is the command of [AddArguments] for a shell. Its environment has the shell's
// own variables of those names, since values may be secret.
func AddLine(program string, environment []string) string {
	arguments := AddArguments(program, environment)
	words := []string{"claude"}
	for i, word := range arguments {
		if i > 0 && arguments[i-1] == "--env" {
			name, _, _ := strings.Cut(word, "=")
			words = append(words, name+`="$`+name+`"`)
			continue
		}
		words = append(words, Quote(word))
	}
	return strings.Join(words, " ")
}

// Quote returns a word as a shell reads it.
func Quote(word string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@%+,="
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// QuoteLine returns a command line as a shell reads it.
func QuoteLine(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = Quote(word)
	}
	return strings.Join(quoted, " ")
}
