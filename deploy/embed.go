// Package deploy embeds the Compose file, from which tests read the images of the services.
package deploy

import _ "embed"

// Compose is compose.yaml.
//
//go:embed compose.yaml
var Compose string
