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

// A typo in the scheme is no name of a host.
func TestParseHost_Typos(t *testing.T) {
	t.Parallel()
	for _, given := range []string{"htp://gpu-box", "http:/gpu-box:11434", "https//gpu-box", "http:", "://gpu-box", "ftp://gpu-box"} {
		if got, err := parseHost(given); err == nil {
			t.Errorf("%q is taken for %s", given, got)
		}
	}
}
