package main

import "testing"

func TestWithoutPassword_ShowsNoSecret(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"postgres://u:PW@h:5432/d":                            "postgres://u@h:5432/d",
		"postgres://u:PW@h/d?sslmode=require&sslpassword=PW":  "postgres://u@h/d?sslmode=require",
		"postgres:u:PW@h":                                     "",
		"postgres://h/d?PW":                                   "postgres://h/d",
		"postgres://h/d?PASSWORD=PW&passfile=PW#PW":           "postgres://h/d",
		"host=h password=PW":                                  "",
		"postgres:///d?host=/run/postgresql&port=5433&user=u": "postgres:///d?host=%2Frun%2Fpostgresql&port=5433",
		"postgres:///PW":                                      "",
		"u:PW@h":                                              "",
		"postgres://u:P W@h/d":                                "",
	} {
		if got := withoutPassword(given); got != want {
			t.Errorf("withoutPassword(%q) is %q, want %q", given, got, want)
		}
	}
}
