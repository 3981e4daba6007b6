/*
 * The floor: one pod's kernel work with nothing around it. Reads "<netns path> <host link name>" lines on stdin; for each, creates
 * a veth whose peer is born as eth0 in that namespace, brings both ends up, gives eth0 an address and two routes, and prints the
 * nanoseconds it took. Two exchanges: the kernel's echo of the new link tells the index of its peer. The same messages as
 * PodSetUp.java sends, in the same sends, on the same kind of sockets. The link is removed afterwards, outside the measured time.
 */
#include "rtnl.h"

static void route(int index, const char *destination, int length, const char *gateway, int scope) {
    struct rtmsg header = {.rtm_family = AF_INET, .rtm_dst_len = length, .rtm_table = RT_TABLE_MAIN,
                           .rtm_protocol = RTPROT_BOOT, .rtm_scope = scope, .rtm_type = RTN_UNICAST};
    struct in_addr address;
    begin(RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, &header, sizeof header);
    if (length) {
        inet_pton(AF_INET, destination, &address);
        attribute(RTA_DST, &address, 4);
    }
    if (gateway) {
        inet_pton(AF_INET, gateway, &address);
        attribute(RTA_GATEWAY, &address, 4);
    }
    attribute(RTA_OIF, &index, 4);
    finish();
}

static int set_up(int host, int home, const char *path, const char *name) {
    int ns = open(path, O_RDONLY | O_CLOEXEC);
    if (ns < 0) fail(path);
    if (setns(ns, CLONE_NEWNET) < 0) fail("setns");
    int pod = open_socket();
    if (setns(home, CLONE_NEWNET) < 0) fail("setns home");

    veth(name, 0, "eth0", ns);
    struct made outer = exchange(host);

    int inner = outer.peer;
    up(inner);
    address(inner, "10.65.0.7", 32);
    route(inner, "169.254.1.1", 32, NULL, RT_SCOPE_LINK);
    route(inner, "0.0.0.0", 0, "169.254.1.1", RT_SCOPE_UNIVERSE);
    exchange(pod);
    close(pod);
    close(ns);
    return outer.index;
}

static void tear_down(int host, int index) {
    struct ifinfomsg link = {.ifi_index = index};
    begin(RTM_DELLINK, 0, &link, sizeof link);
    finish();
    exchange(host);
}

int main(void) {
    char path[256], name[32];
    int home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    int host = open_socket();
    while (scanf("%255s %31s", path, name) == 2) {
        struct timespec from, to;
        clock_gettime(CLOCK_MONOTONIC, &from);
        int link = set_up(host, home, path, name);
        clock_gettime(CLOCK_MONOTONIC, &to);
        tear_down(host, link);
        printf("%ld\n", (to.tv_sec - from.tv_sec) * 1000000000L + to.tv_nsec - from.tv_nsec);
        fflush(stdout);
    }
    return 0;
}
