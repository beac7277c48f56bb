// Package specs is the protocol library: one folder a protocol, each a valid PTX file with its launch
// plan, its variants and their expected verdicts. It is part of the program, so that an installed
// ptxmc has it at hand.
package specs

import "embed"

// FS holds the specs by their path below specs/.
//
//go:embed cluster-copy cp-async-tile fine-grained handoff-table14 matrix persistent stas-ring tma-store
var FS embed.FS
