package terms_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/rag/terms"
)

// askedBesideLogs are two sets of questions, each with the formats of eight tools. The rule was written with the first.
var askedBesideLogs = []struct {
	questions []string
	formats   map[string]string // a line, with a number and a word at its verbs
}{
	{
		[]string{
			"Why do the nightly imports stop after the first partner?", "how can I raise the limit of open connections for the worker",
			"The label printer skips every second page, where is that set?", "uploads fail for customers behind a proxy",
			"What must be restarted after a certificate is renewed?", "Which queue takes the refunds when the bank is closed?",
			"can two schedulers run at the same time?", "Who may delete the data of a customer, and how?",
			"the map shows shops in the ocean, what is wrong with them", "Emails with an umlaut in the subject bounce.",
		},
		map[string]string{
			"logback":    "2026-03-04 08:11:%02d.113  INFO 1 --- [main] c.s.orders.%s : it was started in %[1]d ms and is now ready",
			"logfmt":     `level=info ts=2026-03-04T08:11:%02dZ caller=%s.go:12 msg="it is ready for the next request"`,
			"syslog":     "Mar  4 08:11:%02d host-1 %s[812]: the unit was started and it is now ready",
			"nginx":      `10.0.0.%d - - [04/Mar/2026:08:11:00 +0000] "GET /%s HTTP/1.1" 200 512 "-" "curl/8.1"`,
			"json":       `{"level":30,"time":17725%05d,"name":"%s","msg":"it was not found in the list of the others"}`,
			"npm":        "npm ERR! at %d the module %s could not be found in any of the folders",
			"java stack": "at com.shop.orders.Step%d.%s(Step.java:118)",
			"kernel":     "[%5d.203941] %s: link is up and it is ready to be used",
		},
	},
	{
		[]string{
			"Why does the courier get two parcels for one order?", "how is the price of a bundle worked out",
			"Where are the rules for discounts kept?", "the sitemap has pages that were removed long ago",
			"What happens to a cart when its shop is closed?", "How do I add a language to the storefront?",
			"how do we find out who changed a price", "The warehouse sees stock that was sold already.",
			"Which service sends the reminders, and when?", "passwords with a blank at the end are refused",
		},
		map[string]string{
			"glog":       "I0304 08:11:%02d.113482       1 %s.go:118] it is done with all of the items in the list",
			"compose":    "web-%d  | %s is listening on all of the addresses that it has",
			"python":     `  File "/srv/app/step%d.py", line 118, in %s`,
			"go stack":   "goroutine %d [chan receive]: main.%s(0xc0000)",
			"postgresql": "2026-03-04 08:11:%02d UTC [812] LOG:  checkpoint of %s complete: it wrote the rest of the buffers",
			"maven":      "[INFO] step %d of %s was not needed and it is left out of the build",
			"tap":        "ok %d - it is as the %s says that it should be",
			"pytest":     "tests/test_step%d.py::test_%s PASSED [ 12%%]",
		},
	},
}

// logOf returns so many lines of a format.
func logOf(format string, lines int) string {
	words := []string{"orders", "labels", "queue", "mailer", "stock", "prices", "images"}
	var log strings.Builder
	for i := range lines {
		fmt.Fprintf(&log, format+"\n", i%60, words[i%len(words)])
	}
	return log.String()
}

// A question is heard in front of a log, behind it, and with a greeting and thanks around both.
func TestParts_BesideALog(t *testing.T) {
	t.Parallel()
	const least = .95
	for number, set := range askedBesideLogs {
		asked, heard, missed := 0, 0, map[string]int{}
		for tool, format := range set.formats {
			for _, lines := range []int{30, 150} {
				log := logOf(format, lines)
				for _, question := range set.questions {
					for _, text := range []string{question + "\n" + log, log + "\n" + question, "Hello,\n" + question + "\n\n" + log + "\nThanks in advance!"} {
						asked++
						if said, pasted := terms.Parts(text); said == question && len(pasted) >= lines {
							heard++
						} else {
							missed[tool]++
						}
					}
				}
			}
		}
		if share := float64(heard) / float64(asked); share < least {
			t.Errorf("set %d: %.3f of the questions are heard, want %v; missed are %v", number+1, share, least, missed)
		}
	}
}

// A greeting and thanks are not asked, and a text of nothing else stays.
func TestParts_Greetings(t *testing.T) {
	t.Parallel()
	const question = "Why do the nightly imports stop? Each one has thanks in its last row."
	for text, want := range map[string]string{
		"Hi all, " + question + " Many thanks, Ada":                        question,
		"Good morning!\n" + question + "\n\nThanks a lot in advance.\nAda": question,
		"Hallo,\n" + question + "\nVielen Dank":                            question,
		question:                                                           question,
		"hello there":                                                      "hello there", "Thank you!": "Thank you!", "Hello!": "Hello!",
		"hello world prints nothing": "hello world prints nothing",
	} {
		if said, _ := terms.Parts(text); said != want {
			t.Errorf("%q says %q, want %q", text, said, want)
		}
	}
}
