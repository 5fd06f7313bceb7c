/* Shunting-yard (Dijkstra 1961): operators wait on a stack until one that binds no tighter
 * comes. */
#include "sweep/expression.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/suggest.h"
#include "sweep/quantity.h"

enum operator{
    OP_VALUE, /* a step only: pushes a number or text */
    OP_NAME,  /* a step only: pushes the value of a name */
    OP_OPEN,
    OP_OR,
    OP_AND,
    OP_NOT,
    OP_EQUAL,
    OP_UNEQUAL,
    OP_LESS,
    OP_AT_MOST,
    OP_MORE,
    OP_AT_LEAST,
    OP_ADD,
    OP_SUBTRACT,
    OP_TIMES,
    OP_DIVIDE,
    OP_MODULO,
    OP_MINUS
};

struct operator_row {
    const char *text;
    int binds; /* tighter is more */
    bool is_unary;
};

static const struct operator_row operators[] = {
    [OP_OPEN] = {"(", 0, false},   [OP_OR] = {"or", 1, false},
    [OP_AND] = {"and", 2, false},  [OP_NOT] = {"not", 3, true},
    [OP_EQUAL] = {"==", 4, false}, [OP_UNEQUAL] = {"!=", 4, false},
    [OP_LESS] = {"<", 4, false},   [OP_AT_MOST] = {"<=", 4, false},
    [OP_MORE] = {">", 4, false},   [OP_AT_LEAST] = {">=", 4, false},
    [OP_ADD] = {"+", 5, false},    [OP_SUBTRACT] = {"-", 5, false},
    [OP_TIMES] = {"*", 6, false},  [OP_DIVIDE] = {"/", 6, false},
    [OP_MODULO] = {"%", 6, false}, [OP_MINUS] = {"-", 7, true},
};

enum { BINDS_COMPARISON = 4, OPERATOR_COUNT = sizeof operators / sizeof *operators };

struct step {
    enum operator op;
    uint32_t name;
    struct expression_value value;
};

struct expression {
    const char *text, *field;
    const char *const *known;
    uint32_t count;
    struct step step[EXPRESSION_STEPS];
};

/* -- compiling --------------------------------------------------------------------------------- */

struct compiler {
    struct expression *expression;
    struct arena *arena;
    const char *at;
    enum operator waiting[EXPRESSION_DEPTH];
    uint32_t waiting_count;
    struct diag *diag;
};

static bool wrong(struct compiler *compiler, const char *expected)
{
    const char *text = compiler->expression->text;
    if (*compiler->at)
        diag_fail(compiler->diag, STATUS_BAD_CONFIG, "character %d of \"%.200s\": expected %s",
                  (int)(compiler->at - text) + 1, text, expected);
    else
        diag_fail(compiler->diag, STATUS_BAD_CONFIG, "\"%.200s\" ends where %s was expected", text,
                  expected);
    diag_field(compiler->diag, "%s", compiler->expression->field);
    return false;
}

static bool add_step(struct compiler *compiler, struct step step)
{
    struct expression *expression = compiler->expression;
    if (expression->count == EXPRESSION_STEPS)
        return wrong(compiler, "the end: it is too long");
    expression->step[expression->count++] = step;
    return true;
}

static bool push_waiting(struct compiler *compiler, enum operator op)
{
    if (compiler->waiting_count == EXPRESSION_DEPTH)
        return wrong(compiler, "the end: too many parentheses or operators are open");
    compiler->waiting[compiler->waiting_count++] = op;
    return true;
}

/* Those that bind at least as tightly as `binds` are done before what follows. */
static bool settle(struct compiler *compiler, int binds)
{
    while (compiler->waiting_count) {
        enum operator top = compiler->waiting[compiler->waiting_count - 1];
        if (top == OP_OPEN || operators[top].binds < binds)
            return true;
        if (binds == BINDS_COMPARISON && operators[top].binds == BINDS_COMPARISON)
            return wrong(compiler, "and, or: comparisons do not chain");
        compiler->waiting_count--;
        if (!add_step(compiler, (struct step){.op = top}))
            return false;
    }
    return true;
}

static bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '.' || c == '_';
}

/* Characters of the name at `text`, brackets but as the first included: a '-' is of it if a letter
 * or digit stands on both sides. */
static size_t name_length(const char *text)
{
    size_t n = 0;
    while (is_name_char(text[n]) || (n && strchr("[]", text[n]) && text[n]) ||
           (n && text[n] == '-' && isalnum((unsigned char)text[n - 1]) &&
            isalnum((unsigned char)text[n + 1])))
        n++;
    return n;
}

static bool is_word(const struct compiler *compiler, const char *word)
{
    size_t length = name_length(compiler->at);
    return length == strlen(word) && memcmp(compiler->at, word, length) == 0;
}

static bool take_name(struct compiler *compiler)
{
    size_t length = name_length(compiler->at);
    char *name = arena_text(compiler->arena, compiler->at, length);
    const char *const *known = compiler->expression->known;
    for (uint32_t i = 0; known[i]; i++) {
        if (strcmp(known[i], name) != 0)
            continue;
        compiler->at += length;
        return add_step(compiler, (struct step){.op = OP_NAME, .name = i});
    }
    diag_fail(compiler->diag, STATUS_BAD_CONFIG, "\"%.100s\" is no name that is known here", name);
    diag_field(compiler->diag, "%s", compiler->expression->field);
    const char *nearest = suggest_nearest(name, known);
    if (nearest)
        diag_hint(compiler->diag, "did you mean \"%s\"?", nearest);
    else
        diag_hint(compiler->diag, "text stands in quotes: '%.60s'", name);
    return false;
}

/* Length of the number at `text` with its unit, if it has one. */
static size_t number_length(const char *text)
{
    double number;
    const char *unit;
    if (!quantity_split(text, &number, &unit))
        return 0;
    size_t plain = strspn(text, "0123456789.");
    if ((text[plain] == 'e' || text[plain] == 'E') &&
        strcspn(text + plain, "0123456789") <= (strchr("+-", text[plain + 1]) ? 2u : 1u))
        plain += 2 + strspn(text + plain + 2, "0123456789");
    if (!isalpha((unsigned char)text[plain]))
        return plain;
    return plain + strcspn(text + plain, " ()<>=!+-*%'\"");
}

static bool take_number(struct compiler *compiler)
{
    size_t length = number_length(compiler->at);
    char *text = arena_text(compiler->arena, compiler->at, length);
    struct step step = {.op = OP_VALUE};
    if (!length || !quantity_parse(text, &step.value.number))
        return wrong(compiler, "a number, with a unit or without");
    compiler->at += length;
    return add_step(compiler, step);
}

static bool take_text_value(struct compiler *compiler)
{
    const char *begin = compiler->at + 1, *end = strchr(begin, *compiler->at);
    if (!end)
        return wrong(compiler, "a closing quote");
    struct step step = {.op = OP_VALUE, .value = {.number = NAN}};
    step.value.text = arena_text(compiler->arena, begin, (size_t)(end - begin));
    compiler->at = end + 1;
    return add_step(compiler, step);
}

/* What begins an operand. *is_done: it is complete. */
static bool take_operand(struct compiler *compiler, bool *is_done)
{
    char c = *compiler->at;
    *is_done = true;
    if (c == '\'' || c == '"')
        return take_text_value(compiler);
    if (isdigit((unsigned char)c) || c == '.')
        return take_number(compiler);
    bool is_not = is_word(compiler, "not");
    if (isalpha((unsigned char)c) && !is_not && !is_word(compiler, "and") &&
        !is_word(compiler, "or"))
        return take_name(compiler);
    if (c != '(' && c != '-' && !is_not)
        return wrong(compiler, "a name, a number, a text in quotes or a parenthesis");
    *is_done = false;
    compiler->at += is_not ? 3 : 1;
    return push_waiting(compiler, is_not ? OP_NOT : c == '(' ? OP_OPEN : OP_MINUS);
}

static enum operator operator_at(const char *at, size_t *length)
{
    enum operator found = OP_VALUE;
    *length = 0;
    for (int op = OP_OR; op < OPERATOR_COUNT; op++) {
        const char *text = operators[op].text;
        size_t n = strlen(text);
        bool is_word = isalpha((unsigned char)*text);
        if (operators[op].is_unary || n <= *length || strncmp(at, text, n) != 0 ||
            (is_word && name_length(at) != n))
            continue;
        found = (enum operator)op;
        *length = n;
    }
    return found;
}

static bool close_parenthesis(struct compiler *compiler)
{
    if (!settle(compiler, 1))
        return false;
    if (!compiler->waiting_count)
        return wrong(compiler, "no closing parenthesis: none is open");
    compiler->waiting_count--;
    compiler->at++;
    return true;
}

/* What follows an operand; *is_done stays true after a parenthesis. */
static bool take_operator(struct compiler *compiler, bool *is_done)
{
    if (*compiler->at == ')')
        return close_parenthesis(compiler);
    size_t length;
    enum operator op = operator_at(compiler->at, &length);
    if (op == OP_VALUE)
        return wrong(compiler, "an operator: and, or, ==, !=, <, <=, >, >=, +, -, *, /, %");
    if (!settle(compiler, operators[op].binds))
        return false;
    *is_done = false;
    compiler->at += length;
    return push_waiting(compiler, op);
}

static bool compile(struct compiler *compiler)
{
    bool is_done = false; /* an operand stands before this place */
    for (;;) {
        compiler->at += strspn(compiler->at, " \t\n");
        if (!*compiler->at)
            break;
        if (!(is_done ? take_operator(compiler, &is_done) : take_operand(compiler, &is_done)))
            return false;
    }
    if (!is_done)
        return wrong(compiler, "a value");
    if (!settle(compiler, 1))
        return false;
    return compiler->waiting_count ? wrong(compiler, "a closing parenthesis") : true;
}

struct expression *expression_compile(struct arena *arena, const char *text, const char *field,
                                      const char *const *known, struct diag *diag)
{
    struct expression *expression = arena_take(arena, sizeof *expression);
    expression->text = arena_text(arena, text, strlen(text));
    expression->field = field;
    expression->known = known;
    struct compiler compiler = {
        .expression = expression, .arena = arena, .at = expression->text, .diag = diag};
    return compile(&compiler) ? expression : NULL;
}

/* -- evaluating -------------------------------------------------------------------------------- */

static enum status fail(const struct expression *expression, const char *what, struct diag *diag)
{
    diag_fail(diag, STATUS_BAD_CONFIG, "%s in \"%.200s\"", what, expression->text);
    diag_field(diag, "%s", expression->field);
    return STATUS_BAD_CONFIG;
}

static double compared(enum operator op, double order)
{
    switch (op) {
    case OP_EQUAL:
        return order == 0;
    case OP_UNEQUAL:
        return order < 0 || order > 0; /* false of what has no value */
    case OP_LESS:
        return order < 0;
    case OP_AT_MOST:
        return order <= 0;
    case OP_MORE:
        return order > 0;
    default:
        return order >= 0;
    }
}

static double order_of(double a, double b)
{
    return a < b ? -1 : a > b ? 1 : a == b ? 0 : NAN;
}

static bool is_truth(double number)
{
    return number != 0 && !isnan(number);
}

static double calculated(enum operator op, double a, double b)
{
    switch (op) {
    case OP_OR:
        return is_truth(a) || is_truth(b);
    case OP_AND:
        return is_truth(a) && is_truth(b);
    case OP_ADD:
        return a + b;
    case OP_SUBTRACT:
        return a - b;
    case OP_TIMES:
        return a * b;
    case OP_DIVIDE:
        return a / b;
    case OP_MODULO:
        return fmod(a, b);
    default:
        return compared(op, order_of(a, b));
    }
}

/* Replaces the operands at `a` and b = a + 1 by the result. */
static enum status apply(const struct expression *expression, enum operator op,
                         struct expression_value *a, struct diag *diag)
{
    struct expression_value *b = a + 1;
    if (operators[op].is_unary) {
        if (a->text)
            return fail(expression, "a number is needed, found a text,", diag);
        a->number = op == OP_NOT ? !is_truth(a->number) : -a->number;
        return STATUS_OK;
    }
    if (a->text && b->text && operators[op].binds == BINDS_COMPARISON) {
        *a = (struct expression_value){NULL, compared(op, strcmp(a->text, b->text))};
        return STATUS_OK;
    }
    bool has_text = a->text || b->text;
    bool is_absent = (!a->text && isnan(a->number)) || (!b->text && isnan(b->number));
    if (has_text && !(is_absent && operators[op].binds == BINDS_COMPARISON))
        return fail(expression, "a text where a number is needed, or compared with a number,",
                    diag);
    if ((op == OP_DIVIDE || op == OP_MODULO) && b->number == 0)
        return fail(expression, "division by 0", diag);
    double number = has_text ? 0 : calculated(op, a->number, b->number);
    *a = (struct expression_value){NULL, number};
    return STATUS_OK;
}

enum status expression_holds(const struct expression *expression,
                             const struct expression_value *value, bool *is_true, struct diag *diag)
{
    struct expression_value stack[EXPRESSION_STEPS + 1];
    uint32_t depth = 0;
    for (uint32_t i = 0; i < expression->count; i++) {
        const struct step *step = &expression->step[i];
        if (step->op == OP_VALUE || step->op == OP_NAME) {
            stack[depth++] = step->op == OP_NAME ? value[step->name] : step->value;
            continue;
        }
        depth -= operators[step->op].is_unary ? 1 : 2;
        enum status status = apply(expression, step->op, &stack[depth++], diag);
        if (status != STATUS_OK)
            return status;
    }
    promise(depth == 1);
    if (stack[0].text)
        return fail(expression, "the result is a text, not a condition,", diag);
    *is_true = is_truth(stack[0].number);
    return STATUS_OK;
}
