package apierror_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/rag/apierror"
)

// A front end writes the parts of a message in its own words, however deep the message is wrapped. Its
// other text, and the cause, stay.
func TestIn(t *testing.T) {
	t.Parallel()
	cause := errors.New("away")
	activate := apierror.Call{Tool: "activate_project", How: "with a path"}
	lexical := apierror.Argument{Parameter: "mode", Value: "lexical"}
	for name, tt := range map[string]struct {
		err      error
		mcp, own string
	}{
		"a call":           {apierror.Errorf(apierror.ProjectNotActivated, "none; %s", activate), "none; call activate_project with a path", "none; CALL"},
		"an argument":      {apierror.Wordf("%w; leave out %s", cause, lexical), "away; leave out `mode: \"lexical\"`", "away; leave out ARGUMENT"},
		"a parameter":      {apierror.Refuse("limit", "is %d", 0), "limit is 0", "PARAMETER is 0"},
		"inside another":   {apierror.Wordf("%s: %w", lexical, apierror.Wordf("%s", activate)), "`mode: \"lexical\"`: call activate_project with a path", "ARGUMENT: CALL"},
		"wrapped by fmt":   {fmt.Errorf("open: %w", apierror.Refuse("limit", "is wrong")), "open: limit is wrong", "open: PARAMETER is wrong"},
		"without any part": {cause, "away", "away"},
	} {
		if got := tt.err.Error(); got != tt.mcp {
			t.Errorf("%s: in the words of MCP %q, want %q", name, got, tt.mcp)
		}
		own := func(part apierror.Part) string {
			return strings.ToUpper(strings.TrimPrefix(fmt.Sprintf("%T", part), "apierror."))
		}
		if got := apierror.In(tt.err, own); got != tt.own {
			t.Errorf("%s: in other words %q, want %q", name, got, tt.own)
		}
		if again := apierror.AsError(tt.err); again.Error() != tt.mcp {
			t.Errorf("%s: as an error %q", name, again)
		}
	}
	if err := apierror.Wordf("%w; %s", cause, activate); !errors.Is(err, cause) {
		t.Errorf("%v hides its cause", err)
	}
}
