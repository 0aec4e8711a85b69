package ollama

import "testing"

func TestParseHost(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ given, want string }{
		{"localhost", "http://localhost:11434"},
		{"http://localhost:11434/", "http://localhost:11434"},
		{" gpu-box:80 ", "http://gpu-box:80"},
		{"http://plain", "http://plain"},
		{"https://me:pw@secure/m/?q#f", "https://me:pw@secure/m"},
		{"[::1]", "http://[::1]:11434"},
	} {
		got, err := parseHost(test.given)
		if err != nil || got.String() != test.want {
			t.Errorf("%q is %v, %v, want %s", test.given, got, err, test.want)
		}
	}
}
