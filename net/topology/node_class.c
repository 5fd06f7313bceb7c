#include "net/topology/node_class.h"

#include <stdio.h>
#include <string.h>

#include "base/table.h"

void node_class(const char *name, char text[NODE_CLASS_TEXT])
{
    const char *dot = strrchr(name, '.');
    const char *last = dot ? dot + 1 : name;
    size_t length = strcspn(last, "0123456789");
    if (!length) {
        last = name;
        length = strlen(name);
    }
    length = length < NODE_CLASS_TEXT ? length : NODE_CLASS_TEXT - 1;
    memcpy(text, last, length);
    text[length] = '\0';
}

bool node_class_is_there(const struct fabric *fabric, const char *text)
{
    char class[NODE_CLASS_TEXT];
    for (uint32_t v = 0; v < fabric->node_count; v++) {
        node_class(fabric->node[v].name, class);
        if (strcmp(class, text) == 0)
            return true;
    }
    return false;
}

const char *node_class_list(const struct fabric *fabric, char *text, size_t room)
{
    struct names names;
    size_t used = 0;
    names_init(&names);
    *text = '\0';
    for (uint32_t v = 0; v < fabric->node_count; v++) {
        char class[NODE_CLASS_TEXT];
        uint32_t before = names.count;
        node_class(fabric->node[v].name, class);
        names_add(&names, class, strlen(class));
        if (names.count > before && used + strlen(class) + 3 < room)
            used += (size_t)snprintf(text + used, room - used, "%s%s", used ? ", " : "", class);
    }
    names_release(&names);
    return text;
}
