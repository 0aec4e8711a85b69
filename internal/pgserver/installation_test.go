package pgserver

import (
	"errors"
	"strings"
	"testing"
)

func TestNewest(t *testing.T) {
	t.Parallel()
	old := Installation{Bin: "/old", PostgreSQL: "14.9", Pgvector: "0.8.0"}
	fits := Installation{Bin: "/15", PostgreSQL: "15.18", Pgvector: "0.8.0"}
	newer := Installation{Bin: "/17", PostgreSQL: "17rc1", Pgvector: "1.0"}
	without := Installation{Bin: "/18", PostgreSQL: "18.1"}
	outdated := Installation{Bin: "/16", PostgreSQL: "16.9", Pgvector: "0.7.4"}
	tests := []struct {
		name string
		all  []Installation
		want string // its folder, or a part of the error
	}{
		{"none", nil, "no PostgreSQL 15 or newer with pgvector"},
		{"too old", []Installation{old}, "no PostgreSQL 15 or newer with pgvector"},
		{"the newest that fits", []Installation{old, fits, without, newer, outdated}, "/17"},
		{"without pgvector", []Installation{outdated, without}, "PostgreSQL 18.1 is in /18 without it"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := newest(test.all)
			if err == nil && got.Bin != test.want {
				t.Errorf("found %s, want %s", got.Bin, test.want)
			}
			if err != nil && (!errors.Is(err, ErrNotInstalled) || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
}

func TestInstallHint(t *testing.T) {
	t.Parallel()
	const pgdg = "sudo /usr/share/postgresql-common/pgdg/apt.postgresql.org.sh -y && sudo apt-get install -y postgresql-17 "
	tests := []struct{ name, system, release, want string }{
		{"Debian", "linux", "ID=debian\nVERSION_ID=\"12\"\n", pgdg},
		{"Ubuntu", "linux", "ID=ubuntu\nID_LIKE=debian\nVERSION_ID=\"24.04\"\n", pgdg},
		{"one like Ubuntu", "linux", "ID_LIKE=\"ubuntu debian\"\nID=linuxmint\n", pgdg},
		{"Fedora", "linux", "ID=fedora\nVERSION_ID=42\n", "run: sudo dnf install -y postgresql-server pgvector,"},
		{"one like Red Hat", "linux", "ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n", "install PostgreSQL 15 or newer"},
		{"Arch", "linux", "ID=arch\n", "run: sudo pacman -S --needed --noconfirm postgresql pgvector,"},
		{"Alpine", "linux", "ID=alpine\nVERSION_ID=3.23.0\n", "run: sudo apk add postgresql postgresql-pgvector,"},
		{"macOS", "darwin", "", "run: brew install postgresql@17 pgvector,"},
		{"Windows", "windows", "", "run compound-docs inside WSL (wsl --install), or install Docker Desktop"},
		{"another", "linux", "ID=void\n", "install PostgreSQL 15 or newer with pgvector 0.8 or newer, or Docker"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			system := append([]string{test.system}, distributions(test.release)...)
			got := installHint(system, false)
			if !strings.Contains(got, test.want) || !strings.Contains(got, "CDOCS_DATABASE_URL") {
				t.Errorf("hint %q, want one with %q", got, test.want)
			}
			if got := installHint(system, true); strings.Contains(got, "sudo") {
				t.Errorf("hint %q for root, want one without sudo", got)
			}
		})
	}
}
