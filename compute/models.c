#include "model/compute.h"

#include "compute/model/device_op.h"
#include "compute/model/replay.h"
#include "compute/model/roofline.h"

const struct compute_ops *const compute_models[] = {&compute_replay, &compute_roofline,
                                                    &compute_device, NULL};

const struct compute_ops *compute_model_for(const struct system_config *system,
                                            const struct trace_node *node)
{
    if (system->replay_only || node->flags & NODE_IS_HOST || node->type != OP_COMPUTE)
        return &compute_replay;
    return compute_models[system->compute];
}
