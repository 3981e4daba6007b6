/*
 * The floor of a call: a plugin that says to the kernel what a pod on a bridge cannot do without, and nothing else. No leases, no
 * record, no question about what is there, nothing undone when it fails. What a real plugin takes longer than this is its own.
 */
#include "rtnl.h"

static const char *variable(const char *name) {
    const char *value = getenv(name);
    if (!value) {
        fprintf(stderr, "%s is not set\n", name);
        exit(1);
    }
    return value;
}

/* Made by the first call. */
static int bridge(int host) {
    int index = if_nametoindex("br-floor");
    if (index) return index;
    struct ifinfomsg link = {.ifi_flags = IFF_UP, .ifi_change = IFF_UP};
    begin(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL | NLM_F_ECHO, &link, sizeof link);
    attribute(IFLA_IFNAME, "br-floor", 9);
    int info = open_attribute(IFLA_LINKINFO | NLA_F_NESTED);
    attribute(IFLA_INFO_KIND, "bridge", 7);
    close_attribute(info);
    finish();
    return exchange(host).index;
}

static int inside(const char *path) {
    int ns = open(path, O_RDONLY | O_CLOEXEC);
    if (ns < 0) fail(path);
    return ns;
}

static void add(int pod, int client) {
    char name[IFNAMSIZ], ip[32];
    int ns = inside(variable("CNI_NETNS"));
    int host = open_socket();
    snprintf(name, sizeof name, "floor%d-%d", pod, client);
    snprintf(ip, sizeof ip, "10.77.%d.%d", pod + 1, client + 1);
    veth(name, bridge(host), variable("CNI_IFNAME"), ns);
    int eth0 = exchange(host).peer;
    if (setns(ns, CLONE_NEWNET) < 0) fail("setns");
    int container = open_socket();
    up(eth0);
    address(eth0, ip, 16);
    exchange(container);
}

static void del(void) {
    const char *name = variable("CNI_IFNAME");
    if (setns(inside(variable("CNI_NETNS")), CLONE_NEWNET) < 0) fail("setns");
    int container = open_socket();
    struct ifinfomsg link = {0};
    begin(RTM_DELLINK, 0, &link, sizeof link);
    attribute(IFLA_IFNAME, name, strlen(name) + 1);
    finish();
    exchange(container);
}

int main(void) {
    int pod, client;
    if (sscanf(variable("CNI_CONTAINERID"), "floor-%d-%d", &pod, &client) != 2) return 1;
    if (strcmp(variable("CNI_COMMAND"), "ADD") == 0) {
        add(pod, client);
    } else {
        del();
    }
    return 0;
}
