package recall

import "testing"

func TestPersonSolved(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]bool{
		"it works now, thanks":                          true,
		"great, that fixed it":                          true,
		"That did the trick!":                           true,
		"works again":                                   true,
		"the bug is gone":                               true,
		"ok the issue was resolved, commit it":          true,
		"Everything passes":                             true,
		"it doesn't crash any more":                     true,
		"it still doesn't work":                         false,
		"that did not fix it":                           false,
		"is it fixed?":                                  false,
		"make it work":                                  false,
		"does it work now?":                             false,
		"check if everything works":                     false,
		"fix it":                                        false,
		"how does the connection pool work":             false,
		"explain how this works":                        false,
		"continue":                                      false,
		"write a test that fails until the bug is gone": false,
	} {
		if got := PersonSolved(prompt); got != want {
			t.Errorf("%q: %v, want %v", prompt, got, want)
		}
	}
}

func TestAssistantSolved(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]bool{
		"The root cause was that idle connections are not closed.": true,
		"All tests now pass.":                                               true,
		"The build is green.":                                               true,
		"It turned out that the proxy strips the header.":                   true,
		"The timeout was caused by a missing index.":                        true,
		"`make check` now passes.":                                          true,
		"I have renamed the function and its three callers.":                false,
		"Here is what the function does: it reads the file and returns it.": false,
		"Hello! What can I do for you?":                                     false,
		"The tests still fail with the same error.":                         false,
	} {
		if got := AssistantSolved(message); got != want {
			t.Errorf("%q: %v, want %v", message, got, want)
		}
	}
}
