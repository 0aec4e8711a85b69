package quoted_test

import (
	"testing"

	"github.com/compound-docs/compound-docs/internal/hooks/quoted"
)

// A line is found by enough of its words: values and more words may differ. A title is read too.
func TestMessages_ByParts(t *testing.T) {
	t.Parallel()
	var m quoted.Messages
	m.Add(0, "Queues", []string{"PRECONDITION_FAILED - inequivalent arg 'x-dead-letter-exchange' for queue 'invoices': received 'dlx'"})
	m.Add(1, "Nights", []string{"MySQL server has gone away"})
	m.Add(2, "\"Missing sudo password\" on the new nodes", nil)
	for output, want := range map[string]string{
		"channel error: 406, PRECONDITION_FAILED - inequivalent arg 'x-queue-type' for queue 'checkout' in vhost 'shop': current": "PRECONDITION_FAILED - inequivalent arg 'x-dead-letter-exchange' for queue 'invoices': received 'dlx'",
		"SQLSTATE[HY000]: General error: 2006 MySQL server has gone away":                                                         "MySQL server has gone away",
		"fatal: [worker-4]: FAILED! => {\"msg\": \"Missing sudo password\"}":                                                      "\"Missing sudo password\" on the new nodes",

		"the queue for checkout is empty": "",
	} {
		got := ""
		if found := m.In(output); len(found) > 0 {
			got = found[0].Text
		}
		if got != want {
			t.Errorf("%q is found by %q, want %q", output, got, want)
		}
	}
}
