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
		{"without pgvector", []Installation{outdated, without}, "PostgreSQL 18.1 is in /18, and lacks it"},
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
	const pgdg = "sudo /usr/share/postgresql-common/pgdg/apt.postgresql.org.sh -y && sudo apt-get install -y "
	tests := []struct {
		name, system, release string
		major                 int
		want                  string
	}{
		{"Debian 13", "linux", "ID=debian\nVERSION_ID=\"13\"\n", 0, "run: sudo apt-get install -y postgresql-17 postgresql-17-pgvector,"},
		{"Debian 12", "linux", "ID=debian\nVERSION_ID=\"12\"\n", 0, pgdg + "postgresql-17 postgresql-17-pgvector,"},
		{"Debian 12 with PostgreSQL", "linux", "ID=debian\nVERSION_ID=\"12\"\n", 15, pgdg + "postgresql-15 postgresql-15-pgvector,"},
		{"Debian 13 with another PostgreSQL", "linux", "ID=debian\nVERSION_ID=\"13\"\n", 16, pgdg + "postgresql-16 postgresql-16-pgvector,"},
		{"Ubuntu", "linux", "ID=ubuntu\nID_LIKE=debian\nVERSION_ID=\"24.04\"\n", 0, pgdg + "postgresql-17 postgresql-17-pgvector,"},
		{"one like Ubuntu", "linux", "ID=linuxmint\nID_LIKE=\"ubuntu debian\"\nVERSION_ID=\"13\"\n", 0, pgdg},
		{"Fedora", "linux", "ID=fedora\nVERSION_ID=42\n", 0, "run: sudo dnf install -y postgresql-server pgvector,"},
		{"Arch", "linux", "ID=arch\n", 0, "run: sudo pacman -S --needed --noconfirm postgresql pgvector,"},
		{"Alpine", "linux", "ID=alpine\nVERSION_ID=3.23.0\n", 0, "run: sudo apk add postgresql postgresql-pgvector,"},
		{"macOS", "darwin", "", 0, "run: brew install postgresql@17 pgvector,"},
		{"macOS with one that Homebrew has no pgvector for", "darwin", "", 16, "run: brew install postgresql@17 pgvector,"},
		{"Windows", "windows", "", 0, "run compound-docs inside WSL (wsl --install), or install Docker Desktop"},
		{"another", "linux", "ID=void\n", 0, "install PostgreSQL 15 or newer with pgvector 0.8 or newer, or Docker"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := installHint(readSystem(test.system, test.release), test.major)
			if !strings.Contains(got, test.want) || !strings.Contains(got, "CDOCS_DATABASE_URL") {
				t.Errorf("hint %q, want one with %q", got, test.want)
			}
			root := readSystem(test.system, test.release)
			root.root = true
			if got := installHint(root, test.major); strings.Contains(got, "sudo") {
				t.Errorf("hint %q for root, want one without sudo", got)
			}
		})
	}
}
