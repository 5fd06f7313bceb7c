#include "tests/agree/forms/ledger.h"

#include <math.h>

bool ledger_enter(struct ledger *ledger, const struct law *law, enum net_backend fidelity,
                  bool holds, double got, double want)
{
    ledger->runs++;
    if (holds)
        return false;
    ledger->worst = fmax(ledger->worst, want > 0 ? fabs(got / want - 1) : 1);
    if (law->excused & AT(fidelity)) {
        ledger->known++;
        return false;
    }
    ledger->broken++;
    return ledger->broken <= LEDGER_MOST_SAID;
}

void ledger_print_head(FILE *out)
{
    fprintf(out, "\n%-11s %6s %6s %6s %9s  %s\n", "law", "runs", "broken", "known", "worst",
            "what");
}

void ledger_print(const struct ledger *ledger, const struct law *law, bool brief, FILE *out,
                  struct part_count *count)
{
    bool is_right = !ledger->broken && ledger->runs > 0 &&
                    (uint64_t)ledger->known * 100 <= (uint64_t)ledger->runs * law->most_known;
    count->passed += is_right;
    count->failed += !is_right;
    if (brief && is_right)
        return;
    fprintf(out, "%-11s %6u %6u %6u %7.2f %%  %s\n", law->name, ledger->runs, ledger->broken,
            ledger->known, 100 * ledger->worst, law->text);
    if (ledger->known)
        fprintf(out, "%44s known: %s (at most %u %%)\n", "", law->known, law->most_known);
}
