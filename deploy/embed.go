// Package deploy holds what runs the services in containers: a Compose file for
// users, and what images are built from where no registry can be reached. It
// knows files only; package testenv builds the images.
package deploy

import "embed"

// Files are base.sh, which writes the archive of a minimal Debian, and for each
// of the services a folder with what its image is built from on top of that.
//
//go:embed base.sh postgres ollama
var Files embed.FS
