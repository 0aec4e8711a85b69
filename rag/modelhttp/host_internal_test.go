package modelhttp

import "testing"

func TestParseURL(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ given, port, want string }{
		{"localhost", "11434", "http://localhost:11434"},
		{"http://localhost:11434/", "11434", "http://localhost:11434"},
		{" gpu-box:80 ", "11434", "http://gpu-box:80"},
		{"http://plain", "11434", "http://plain"},
		{"plain", "", "http://plain"},
		{"https://me:pw@secure/m/?q#f", "11434", "https://me:pw@secure/m"},
		{"[::1]", "11434", "http://[::1]:11434"},
	} {
		got, err := parseURL(Kind{Port: test.port}, test.given)
		if err != nil || got.String() != test.want {
			t.Errorf("%q is %v, %v, want %s", test.given, got, err, test.want)
		}
	}
}

// A typo in the scheme is no name of a host.
func TestParseURL_Typos(t *testing.T) {
	t.Parallel()
	for _, given := range []string{"htp://gpu-box", "http:/gpu-box:11434", "https//gpu-box", "http:", "://gpu-box", "ftp://gpu-box"} {
		if got, err := parseURL(Kind{Port: "11434"}, given); err == nil {
			t.Errorf("%q is taken for %s", given, got)
		}
	}
}
