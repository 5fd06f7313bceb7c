#include "net/topology/blocks.h"
#include "net/topology/dragonfly.h"
#include "net/topology/parts.h"
#include "net/topology/rail.h"
#include "net/topology/spec.h"
#include "net/topology/trees.h"

const struct spec_kind *const spec_kinds[] = {
    &block_ring, &block_line,      &block_full,     &block_switch, &block_torus,
    &block_mesh, &block_hypercube, &tree_leafspine, &tree_fattree, &tree_fattree2,
    &tree_xgft,  &dragonfly_kind,  &rail_kind,      &parts_kind,   NULL};
