/* What the floors say to the kernel, and how. */
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

/* A veth that is up, whose peer is born in another namespace. */
static void veth(const char *name, int master, const char *inside, int ns) {
    struct ifinfomsg link = {.ifi_flags = IFF_UP, .ifi_change = IFF_UP}, end_inside = {0};
    begin(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL | NLM_F_ECHO, &link, sizeof link);
    attribute(IFLA_IFNAME, name, strlen(name) + 1);
    if (master) attribute(IFLA_MASTER, &master, 4);
    int info = open_attribute(IFLA_LINKINFO | NLA_F_NESTED);
    attribute(IFLA_INFO_KIND, "veth", 5);
    int data = open_attribute(IFLA_INFO_DATA | NLA_F_NESTED);
    int peer = open_attribute(VETH_INFO_PEER | NLA_F_NESTED);
    memcpy(out + end, &end_inside, sizeof end_inside);
    end += sizeof end_inside;
    attribute(IFLA_IFNAME, inside, strlen(inside) + 1);
    attribute(IFLA_NET_NS_FD, &ns, 4);
    close_attribute(peer);
    close_attribute(data);
    close_attribute(info);
    finish();
}

static void address(int index, const char *text, int length) {
    struct ifaddrmsg header = {.ifa_family = AF_INET, .ifa_prefixlen = length, .ifa_index = index};
    struct in_addr ip;
    inet_pton(AF_INET, text, &ip);
    begin(RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, &header, sizeof header);
    attribute(IFA_LOCAL, &ip, 4);
    attribute(IFA_ADDRESS, &ip, 4);
    finish();
}
