package quoted

import "testing"

// A line is found by enough of its words: values and more words may differ. A quotation and a title are read too.
func TestBook_OutputByParts(t *testing.T) {
	t.Parallel()
	b := book(t,
		"Queues\n\n`PRECONDITION_FAILED - inequivalent arg 'x-dead-letter-exchange' for queue 'invoices': received 'dlx'`",
		"Nights\n\nConsumers print \"MySQL server has gone away\" after eight idle hours.",
		"\"Missing sudo password\" on the new nodes\n\nThe key lacks `NOPASSWD`.",
		"Deploys\n\n`deploy tool upload --release notes`",
	)
	for output, want := range map[string]string{
		"channel error: 406, PRECONDITION_FAILED - inequivalent arg 'x-queue-type' for queue 'checkout' in vhost 'shop': current": "PRECONDITION_FAILED - inequivalent arg 'x-dead-letter-exchange' for queue 'invoices': received 'dlx'",
		"SQLSTATE[HY000]: General error: 2006 MySQL server has gone away":                                                         "MySQL server has gone away",
		"fatal: [worker-4]: FAILED! => {\"msg\": \"Missing sudo password\"}":                                                      "\"Missing sudo password\" on the new nodes",
		"deploy tool upload release notes":                                                                                        "", // a command is no message
		"the queue for checkout is empty":                                                                                         "",
	} {
		if got := first(b.Output(output)); got != want {
			t.Errorf("%q is found by %q, want %q", output, got, want)
		}
	}
}
