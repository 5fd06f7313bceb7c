/*
 * agree_messages - message-level and packet-level references, alone: agree_messages [--brief]
 *
 * Data is $ORRERY_SHARED/data/peers (default ../shared); what is absent counts nothing. Exit code 1
 * if something that must agree does not.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/agree/messages/messages.h"

int main(int argc, char **argv)
{
    typedef enum status part(const char *, bool, FILE *, struct agree_count *, struct diag *);
    static part *const parts[] = {agree_loggopsim, agree_loggopsim_large, agree_single_flows,
                                  agree_ns3};
    bool brief = argc > 1 && strcmp(argv[1], "--brief") == 0;
    const char *shared = getenv("ORRERY_SHARED");
    struct agree_count count = {0, 0};
    struct diag diag = DIAG_NONE;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        enum status status = parts[i](shared ? shared : "../shared", brief, stdout, &count, &diag);
        if (status != STATUS_OK) {
            diag_print(&diag, stderr);
            return status_exit_code(status);
        }
    }
    printf("agree_messages: %u passed, %u failed, 0 skipped\n", count.passed, count.failed);
    return count.failed > 0;
}
