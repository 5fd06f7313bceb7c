/*
 * profile - measured times of ops.
 */
#ifndef ORRERY_COMPUTE_PROFILE_H
#define ORRERY_COMPUTE_PROFILE_H

#include "compute/op_time.h"

extern const struct op_model_ops op_model_profile;

#endif
