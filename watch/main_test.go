package watch_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/compound-docs/compound-docs/test/testenv"
)

// withServices runs the tests with what testenv provides.
type withServices struct{ m *testing.M }

func (w withServices) Run() int { return testenv.Main(w.m) }

func TestMain(m *testing.M) { goleak.VerifyTestMain(withServices{m}) }
