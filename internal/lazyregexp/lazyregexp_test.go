package lazyregexp_test

import (
	"testing"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
)

func TestNew_CompilesAtTheFirstCall(t *testing.T) {
	t.Parallel()
	digits := lazyregexp.New(`^\d+$`)
	if !digits().MatchString("12") || digits().MatchString("1x") {
		t.Error("want one expression that matches digits")
	}
	wrong := lazyregexp.New(`(`)
	defer func() {
		if recover() == nil {
			t.Error("want a panic at the first use of an invalid expression")
		}
	}()
	wrong()
}
