/*
 * network_options - the options of the network that `collective` and `traffic` share.
 *
 * SETTING(option, argument, key, help) makes a row of an option table that sets `key`.
 */
#ifndef ORRERY_CLI_NETWORK_OPTIONS_H
#define ORRERY_CLI_NETWORK_OPTIONS_H

/* clang-format off */
#define NETWORK_OPTIONS(SETTING)                                                                   \
    SETTING("--routing", "NAME", "network.routing",                                                \
            "auto (default), shortest, ecmp, dimension-order, up-down, spray, static, simgrid"),  \
    SETTING("--routes", "FILE", "network.routes", "routing static: the routes"),                   \
    SETTING("--seed", "N", "network.seed", "of hashed routes (default 0)"),                        \
    SETTING("--changes", "TEXT", "network.changes",                                                \
            "slow or failed links, slow ranks (orrery topo --help)"),                              \
    SETTING("--forwarding", "NAME", "network.forwarding",                                          \
            "link: cut-through (default) or store-and-forward"),                                   \
    SETTING("--segment", "SIZE", "network.segment",                                                \
            "link: messages move in pieces of this size (default: whole)"),                        \
    SETTING("--segment-header", "SIZE", "network.segment-header",                                  \
            "link: bytes added to each piece on the wire (default 0)"),                            \
    SETTING("--send-overhead", "TIME", "network.send-overhead", "LogGP's o at the sender"),        \
    SETTING("--receive-overhead", "TIME", "network.receive-overhead",                              \
            "LogGP's o at the receiver"),                                                          \
    SETTING("--message-gap", "TIME", "network.message-gap", "LogGP's g"),                          \
    SETTING("--byte-gap", "NS", "network.byte-gap", "LogGP's G, ns per byte"),                     \
    SETTING("--injection", "RATE", "network.injection",                                            \
            "most that an NPU sends or receives over all its links")
/* clang-format on */

#endif
