// Package deploy holds the Compose file, which tests read for the images of the services.
package deploy

import _ "embed"

// Compose is compose.yaml.
//
//go:embed compose.yaml
var Compose string
