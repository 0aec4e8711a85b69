// Package deploy holds the Compose file, so that the program can use it wherever it is installed.
package deploy

import _ "embed"

// Compose is compose.yaml.
//
//go:embed compose.yaml
var Compose string
