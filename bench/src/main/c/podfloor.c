/*
 * The floor: one pod's kernel work with nothing around it. Reads "<netns path> <host link name>" lines on stdin; for each, creates
 * a veth whose peer is born as eth0 in that namespace, brings both ends up, gives eth0 an address and two routes, and prints the
 * nanoseconds it took. Two exchanges: the kernel's echo of the new link tells the index of its peer. The same messages as PodSetUp.java sends, in the same sends, on the same kind of sockets. The link is
 * removed afterwards, outside the measured time.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static char out[8192];
static char in[65536];
static int end, last;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void begin(int type, int flags, const void *header, int size) {
    struct nlmsghdr *message = (void *)(out + end);
    *message = (struct nlmsghdr){.nlmsg_type = type, .nlmsg_flags = NLM_F_REQUEST | flags, .nlmsg_seq = 1};
    memcpy(out + end + NLMSG_HDRLEN, header, size);
    last = end;
    end += NLMSG_HDRLEN + NLMSG_ALIGN(size);
}

static void finish(void) {
    ((struct nlmsghdr *)(out + last))->nlmsg_len = end - last;
}

static int open_attribute(int type) {
    struct rtattr *attribute = (void *)(out + end);
    attribute->rta_type = type;
    int at = end;
    end += 4;
    return at;
}

static void close_attribute(int at) {
    ((struct rtattr *)(out + at))->rta_len = end - at;
    end = at + RTA_ALIGN(end - at);
}

static void attribute(int type, const void *value, int size) {
    int at = open_attribute(type);
    memcpy(out + end, value, size);
    end += size;
    close_attribute(at);
}

static int open_socket(void) {
    int one = 1, buffer = 1024 * 1024;
    struct timeval patience = {.tv_sec = 30};
    struct sockaddr_nl self = {.nl_family = AF_NETLINK};
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (fd < 0) fail("socket");
    setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof buffer);
    setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &one, sizeof one);
    setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof one);
    setsockopt(fd, SOL_NETLINK, NETLINK_GET_STRICT_CHK, &one, sizeof one);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (bind(fd, (void *)&self, sizeof self) < 0) fail("bind");
    return fd;
}

/* A new link as the kernel echoes it. */
struct made {
    int index, peer;
};

static struct made read_link(struct nlmsghdr *message) {
    struct ifinfomsg *link = NLMSG_DATA(message);
    struct made made = {.index = link->ifi_index};
    int size = IFLA_PAYLOAD(message);
    for (struct rtattr *a = IFLA_RTA(link); RTA_OK(a, size); a = RTA_NEXT(a, size)) {
        if (a->rta_type == IFLA_LINK) memcpy(&made.peer, RTA_DATA(a), sizeof made.peer);
    }
    return made;
}

/* Sends what was written, asks for one acknowledgement, returns the link that was echoed. */
static struct made exchange(int fd) {
    ((struct nlmsghdr *)(out + last))->nlmsg_flags |= NLM_F_ACK;
    if (send(fd, out, end, 0) < 0) fail("send");
    end = 0;
    struct made made = {0};
    for (;;) {
        int size = recv(fd, in, sizeof in, 0);
        if (size < 0) fail("recv");
        for (struct nlmsghdr *m = (void *)in; NLMSG_OK(m, size); m = NLMSG_NEXT(m, size)) {
            if (m->nlmsg_type == RTM_NEWLINK) made = read_link(m);
            if (m->nlmsg_type != NLMSG_ERROR) continue;
            int error = ((struct nlmsgerr *)NLMSG_DATA(m))->error;
            if (error) {
                errno = -error;
                fail("netlink");
            }
            return made;
        }
    }
}

static void up(int index) {
    struct ifinfomsg link = {.ifi_index = index, .ifi_flags = IFF_UP, .ifi_change = IFF_UP};
    begin(RTM_NEWLINK, 0, &link, sizeof link);
    finish();
}

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

    struct ifinfomsg link = {.ifi_flags = IFF_UP, .ifi_change = IFF_UP}, end_inside = {0};
    begin(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL | NLM_F_ECHO, &link, sizeof link);
    attribute(IFLA_IFNAME, name, strlen(name) + 1);
    int info = open_attribute(IFLA_LINKINFO | NLA_F_NESTED);
    attribute(IFLA_INFO_KIND, "veth", 5);
    int data = open_attribute(IFLA_INFO_DATA | NLA_F_NESTED);
    int peer = open_attribute(VETH_INFO_PEER | NLA_F_NESTED);
    memcpy(out + end, &end_inside, sizeof end_inside);
    end += sizeof end_inside;
    attribute(IFLA_IFNAME, "eth0", 5);
    attribute(IFLA_NET_NS_FD, &ns, 4);
    close_attribute(peer);
    close_attribute(data);
    close_attribute(info);
    finish();
    struct made outer = exchange(host);

    int inner = outer.peer;
    up(inner);
    struct ifaddrmsg address = {.ifa_family = AF_INET, .ifa_prefixlen = 32, .ifa_index = inner};
    struct in_addr ip;
    inet_pton(AF_INET, "10.65.0.7", &ip);
    begin(RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, &address, sizeof address);
    attribute(IFA_LOCAL, &ip, 4);
    attribute(IFA_ADDRESS, &ip, 4);
    finish();
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
