/*
 * resnet - residual networks for images (He et al. 2015, arXiv:1512.03385, table 1), with the
 * stride of a bottleneck in its 3x3 convolution as today's frameworks have it ("v1.5").
 *
 * In a model's file:
 *
 *     family: resnet
 *     resnet: {depth: 50, image: 224, classes: 1000}
 *
 * Rules:
 *  1. Depths 18 and 34 have blocks of two 3x3 convolutions, 50, 101 and 152 bottlenecks (1x1, 3x3,
 *     1x1). The stem is a 7x7 convolution of stride 2 and a 3x3 pooling of stride 2; stages have
 *     64, 128, 256 and 512 channels.
 *  2. Convolutions are implicit products (model/op_shape.h) without bias; batch norms have two
 *     parameters a channel. Worked: depth 50 at 224: 25,557,032 parameters, 4,089,184,256
 *     multiply-adds.
 *  3. Pieces: stem, each block, head (pooling, linear layer, loss). A convolution's two gradients
 *     cost as much as it does each; the stem's input needs none. Batch norm passes over its input
 *     twice forward, and over input and gradient twice backward.
 *  4. An image is a multiple of 32 points wide.
 */
#ifndef ORRERY_WORKLOADS_GENERATE_RESNET_H
#define ORRERY_WORKLOADS_GENERATE_RESNET_H

#include "workloads/generate/family.h"

struct resnet_spec {
    uint32_t depth, image, classes;
};

extern const struct family_ops family_resnet;

#endif
