#!/usr/bin/env bash
# The bundled example: one data-parallel training iteration of 8 layers on 8 NPUs. The inputs are of
# the kinds that ASTRA-sim takes: a Chakra trace, network YAML, system and remote-memory JSON.
set -euo pipefail
cd "$(dirname "$0")/../.."
here=configs/examples/dp8
exec "${ORRERY:-./orrery}" run --workload $here/workload --replicate --network $here/network.yml \
    --system $here/system.json --remote-memory $here/memory.json "$@"
