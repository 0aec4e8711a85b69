package main

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What a document says does not reach the terminal as a command.
func TestOutput_SanitizesTerminalSequences(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain\ttext\nü": "plain\ttext\nü",
		"\x1b[1mbold\x1b[0m \x1b[2mdim\x1b[0m \x1b[33myellow\x1b[0m": "\x1b[1mbold\x1b[0m \x1b[2mdim\x1b[0m \x1b[33myellow\x1b[0m",
		"\x1b]0;title\x07":            "\ufffd]0;title\ufffd",
		"\x1b[2J\x1b[1;1H\x1b[8mgone": "\ufffd[2J\ufffd[1;1H\ufffd[8mgone",
		"\u009b31m \x9b31m":           "\ufffd31m \x9b31m",
		"over\rwritten\b\x00":         "over\ufffdwritten\ufffd\ufffd",
		"\x1b[1m\x1b]52;c;YQ==\x07":   "\x1b[1m\ufffd]52;c;YQ==\ufffd",
		"two\r\nlines":                "two\r\nlines",
	} {
		var written bytes.Buffer
		n, err := newOutput(&written).Write([]byte(text))
		if err != nil || n != len(text) {
			t.Errorf("%q: wrote %d of %d, %v", text, n, len(text), err)
		}
		if diff := cmp.Diff(want, written.String()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}
