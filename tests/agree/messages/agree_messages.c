/*
 * agree_messages - message-level and packet-level references, alone: agree_messages [--brief]
 *
 * Data is $ORRERY_SHARED/data/peers (default ../shared); what is absent is skipped. Exit code 1
 * if something that must agree does not.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/agree/messages/messages.h"

int main(int argc, char **argv)
{
    typedef enum status part(const char *, bool, FILE *, struct part_count *, struct diag *);
    static part *const run[] = {agree_loggopsim, agree_loggopsim_large, agree_single_flows,
                                agree_packet_patterns, agree_ns3};
    bool brief = argc > 1 && strcmp(argv[1], "--brief") == 0;
    const char *shared = getenv("ORRERY_SHARED");
    struct part_count count = {0};
    struct diag diag = DIAG_NONE;
    for (size_t i = 0; i < sizeof run / sizeof run[0]; i++) {
        enum status status = run[i](shared ? shared : "../shared", brief, stdout, &count, &diag);
        if (status != STATUS_OK) {
            diag_print(&diag, stderr);
            return status_exit_code(status);
        }
    }
    printf("agree_messages: %u passed, %u failed, %u skipped\n", count.passed, count.failed,
           count.skipped);
    return count.failed > 0;
}
