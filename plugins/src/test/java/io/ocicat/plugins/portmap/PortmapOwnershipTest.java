package io.ocicat.plugins.portmap;

import static io.ocicat.plugins.portmap.Site.NODE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.PortMapping.Protocol;
import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.plugins.AtOnce;
import io.ocicat.plugins.Attaching;
import io.ocicat.plugins.Ran;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The ownership of a port: assigned once, kept until released, and found again only by its owner.
 */
@Hosts
class PortmapOwnershipTest {
  private Site site;

  @BeforeEach
  void build(Host node) {
    site = Site.onPaper(node);
  }

  @Test
  void aTakenPortIsRefusedAndItsOwnerNamed() {
    site.portmap(site.web(), "", "8080:80").add().ok();
    List<String> before = site.elements();

    CniException refusal = site.portmap(site.db(), "", "9090:80", "8080:80").add().error();

    assertThat(refusal.code()).isEqualTo(ErrorCode.TRY_AGAIN_LATER);
    assertThat(refusal.msg()).isEqualTo("host port 8080/tcp is taken by net/pod2/eth0");
    assertThat(refusal.details()).contains("DEL");
    assertThat(site.elements()).as("all or nothing").containsExactlyInAnyOrderElementsOf(before);
  }

  @Test
  void aTakenPortIsRefusedWithTheNameOfThePodThatTheRuntimeRemembers(@TempDir Path cache)
      throws IOException {
    String id = "46cc70".repeat(10) + "abcd";
    Path results = Files.createDirectories(cache.resolve("results"));
    Files.writeString(
        results.resolve("net-%s-eth0".formatted(id)),
        """
        {"kind":"cniCacheV1","containerId":"%s","ifName":"eth0","networkName":"net","config":"e30=",
         "cniArgs":[["K8S_POD_NAMESPACE","default"],["K8S_POD_NAME","web"]],"result":{}}
        """
            .formatted(id));
    PortOwner owners = new PortOwner(cache);

    assertThat(owners.pod("net/%s/eth0".formatted(id))).contains("default/web");
    assertThat(owners.pod("net/other/eth0")).isEmpty();
    assertThat(PortOwner.brief("net/%s/eth0".formatted(id))).isEqualTo("net/46cc7046cc70/eth0");
    Forward forward = claim(1, "").forwards().getFirst();
    SetElement taken =
        FamilySets.of(forward).forward(forward).withComment("net/%s/eth0".formatted(id));
    PortConflicts conflicts = new PortConflicts(Set.of(), Map.of(), Map.of(forward, taken));
    assertThatExceptionOfType(CniException.class)
        .isThrownBy(() -> conflicts.requireNoneTaken(owners))
        .withMessageStartingWith("host port")
        .withMessageContaining(
            "is taken by default/web (net/46cc7046cc70/eth0); end that pod, or choose another");
  }

  @ParameterizedTest
  @CsvSource({
    // What one has, what the other asks for, and whether that is somebody else's.
    "8080:80,             10.2.0.1/8080:80,    10.2.0.1:8080/tcp",
    "0.0.0.0/8080:80,     10.2.0.1/8080:80,    10.2.0.1:8080/tcp",
    "10.2.0.1/8080:80,    10.2.0.1/8080:80,    10.2.0.1:8080/tcp",
    "[::]/8080:80,        [fd02::1]/8080:80,   [fd02::1]:8080/tcp",
    "8080:80/udp,         8080:80/udp,         8080/udp",
    "8080:80/tcp,         8080:80/udp,         ''",
    "10.2.0.1/8080:80,    10.1.0.1/8080:80,    ''",
    "10.2.0.1/8080:80,    8080:80,             ''",
    "0.0.0.0/8080:80,     [::]/8080:80,        ''",
    "8080:80,             8081:80,             ''",
  })
  void portsThatOverlap(String has, String asks, String taken) {
    site.portmap(site.web(), "", has).add().ok();

    Ran second = site.portmap(site.db(), "", asks).add();

    if (taken.isEmpty()) {
      second.ok();
    } else {
      assertThat(second.error().msg())
          .isEqualTo("host port %s is taken by net/pod2/eth0".formatted(taken));
    }
  }

  @Test
  void oneOwnerMayHaveAPortOnAllAddressesAndAnotherWayOnOne() {
    Attaching both = site.portmap(site.web(), "", "8080:80", NODE + "/8080:81");
    both.add().ok();
    both.check().ok();
    both.del().ok();

    assertThat(site.elements()).isEmpty();
  }

  @Test
  void thePortIsFreeAfterDel() {
    site.portmap(site.web(), "", "8080:80").add().ok();
    site.portmap(site.web(), "").del().ok();

    site.portmap(site.db(), "", "8080:80").add().ok();
  }

  @Test
  void anotherAddReplacesWhatTheOwnerHad() {
    site.portmap(site.web(), "", "8080:80", "8081:81", "53:53/udp").add().ok();
    Attaching second = site.portmap(site.web(), "\"snat\":false", "8080:8080", "9090:90");
    second.add().ok();

    second.check().ok();
    List<String> now = site.elements();
    site.portmap(site.web(), "").del().ok();
    second.add().ok();
    assertThat(now).containsExactlyInAnyOrderElementsOf(site.elements());
  }

  /** All but one address of a port went to another container since. */
  @Test
  void anotherAddKeepsAPortOnOneAddress() {
    Attaching web = site.portmap(site.web(), "", NODE + "/8080:80");
    web.add().ok();
    site.portmap(site.db(), "", "8080:80").add().ok();

    web.add().ok();
    web.check().ok();
    Attaching more = site.portmap(site.web(), "", NODE + "/8080:80", "10.1.0.1/8080:80");
    assertThat(more.add().error().msg())
        .isEqualTo("host port 10.1.0.1:8080/tcp is taken by net/pod3/eth0");
    web.check().ok();
  }

  @Test
  void conditionsComeAndGoWithTheirOwner(Host node) {
    String conditions = "\"conditionsV4\":[\"ip saddr 10.2.0.0/24\"]";
    site.portmap(site.web(), conditions, "0.0.0.0/8080:80").add().ok();
    site.portmap(site.db(), conditions, "0.0.0.0/8080:80").add().ok();
    site.portmap(site.web(), conditions, "0.0.0.0/8081:80").add().ok();

    assertThat(conditional(node))
        .containsExactly(
            "ip saddr 10.2.0.0/24 tcp dport 8080 dnat ip to 10.1.0.3:80 comment \"net/pod3/eth0\"",
            "ip saddr 10.2.0.0/24 tcp dport 8081 dnat ip to 10.1.0.2:80 comment \"net/pod2/eth0\"");
    site.portmap(site.web(), "", "8081:80").add().ok();
    assertThat(conditional(node)).hasSize(1);
    site.portmap(site.db(), "").del().ok();
    assertThat(conditional(node)).isEmpty();
  }

  /** Two interfaces of one container, and the same interface on two networks. */
  @Test
  void everyAttachmentHasItsOwnPorts() {
    Attaching first = site.portmap(site.web(), "", "8080:80");
    Attaching second =
        first
            .with("CNI_IFNAME", "eth1")
            .withConfig(first.config().replace("8080", "8081").replace("10.1.0.2", "10.1.0.12"));
    Attaching third =
        first.withConfig(
            first
                .config()
                .replace("\"net\"", "\"other\"")
                .replace("8080", "8082")
                .replace("10.1.0.2", "10.1.0.22"));
    first.add().ok();
    second.add().ok();
    third.add().ok();

    first.del().ok();
    second.check().ok();
    third.check().ok();
    second.del().ok();
    third.check().ok();
    third.del().ok();
    assertThat(site.elements()).isEmpty();
  }

  @Test
  void delNeedsNothingButTheNames() {
    Attaching portmap = site.portmap(site.web(), "", "8080:80", "53:53/udp");
    portmap.add().ok();
    Attaching bare =
        portmap.withConfig("{\"cniVersion\":\"1.1.0\",\"name\":\"net\",\"type\":\"portmap\"}");

    bare.withNetns("").del().ok();
    assertThat(site.elements()).isEmpty();
    bare.withNetns("/run/netns/never").del().ok();
    bare.withNetns("/etc/hostname").del().ok();
    site.portmap(site.db(), "").del().ok();
  }

  /** What was valid at ADD may have been edited since. */
  @Test
  void delIsNotStoppedByABadConfiguration() {
    site.portmap(site.web(), "", "8080:80").add().ok();

    site.portmap(site.web(), "\"backend\":\"none\",\"conditionsV4\":[\"-s\"],\"snat\":7", "0:0")
        .del()
        .ok();

    assertThat(site.elements()).isEmpty();
  }

  /** Its DEL never came, and IPAM gave its address to another container. */
  @Test
  void anAddressThatChangedHandsBelongsToItsNewOwner() {
    Attaching gone = site.portmap(site.web(), "", "8080:80").with("CNI_CONTAINERID", "gone");
    gone.add().ok();
    Attaching here = site.portmap(site.web(), "", "8081:80");
    here.add().ok();

    here.check().ok();
    gone.del().ok();
    here.check().ok();
    here.del().ok();
    assertThat(site.elements()).isEmpty();
  }

  @Test
  void longNamesAreTold() {
    String id = "c".repeat(200);
    Attaching portmap = site.portmap(site.web(), "", "8080:80").with("CNI_CONTAINERID", id);
    portmap.add().ok();
    portmap.check().ok();
    Attaching other =
        site.portmap(site.db(), "", "8080:80").with("CNI_CONTAINERID", id.replaceAll("c$", "d"));

    assertThat(other.add().error().msg()).contains("host port 8080/tcp is taken by net/ccc");
    other.del().ok();
    portmap.check().ok();
    portmap.del().ok();
    assertThat(site.elements()).isEmpty();
  }

  @Test
  void gcRemovesWhatNobodyOfThisNetworkHasAnyMore() {
    Attaching stays = site.portmap(site.web(), "", "8080:80");
    Attaching goes = site.portmap(site.db(), "", "8081:80", "53:53/udp");
    Attaching elsewhere =
        goes.with("CNI_CONTAINERID", "pod9")
            .withConfig(
                goes.config()
                    .replace("\"net\"", "\"net2\"")
                    .replace("8081", "8082")
                    .replace(":53", ":54")
                    .replace("10.1.0.3", "10.1.0.9")
                    .replace("fd01::3", "fd01::9"));
    stays.add().ok();
    goes.add().ok();
    elsewhere.add().ok();
    List<String> all = site.elements();
    String valid = "{\"containerID\":\"pod2\",\"ifname\":\"eth0\"}";

    stays.withConfig(gc("")).gc().ok();
    assertThat(site.elements())
        .as("the runtime did not say what is valid")
        .containsExactlyInAnyOrderElementsOf(all);

    stays.withConfig(gc(",\"cni.dev/valid-attachments\":[%s]".formatted(valid))).gc().ok();
    stays.check().ok();
    elsewhere.check().ok();
    assertThat(site.elements()).noneMatch(element -> element.contains("pod3"));

    stays.withConfig(gc(",\"cni.dev/valid-attachments\":[]")).gc().ok();
    assertThat(site.elements()).isNotEmpty().allMatch(element -> element.contains("net2/pod9"));
  }

  private static String gc(String members) {
    return "{\"cniVersion\":\"1.1.0\",\"name\":\"net\",\"type\":\"portmap\"%s}".formatted(members);
  }

  /** The first of them also race to create the table. */
  @Test
  void manyAtOnceGetOnePortEachAndOneOfThemTheSharedOne() {
    List<Attaching> all =
        IntStream.range(0, 32)
            .mapToObj(i -> site.portmap(Site.Pod.onPaper(100 + i), "", 9000 + i + ":80"))
            .toList();
    List<Attaching> rivals =
        all.stream()
            .map(a -> a.withConfig(a.config().replaceFirst("\"hostPort\":\\d+", "\"hostPort\":80")))
            .map(a -> a.with("CNI_IFNAME", "eth0"))
            .toList();

    assertThat(AtOnce.adds(all)).allSatisfy(Ran::ok);
    all.forEach(attaching -> attaching.check().ok());
    assertThat(AtOnce.dels(all)).allSatisfy(Ran::ok);
    assertThat(site.elements()).isEmpty();

    List<Ran> contest = AtOnce.adds(rivals);
    assertThat(contest).filteredOn(ran -> ran.exitCode() == 0).hasSize(1);
    assertThat(contest)
        .filteredOn(ran -> ran.exitCode() != 0)
        .allSatisfy(
            ran ->
                assertThat(ran.error().msg()).startsWith("host port 80/tcp is taken by net/pod"));
  }

  /** However many there are, others' ports cost nothing: messages are counted, not time. */
  @ParameterizedTest
  @ValueSource(strings = {"", "10.2.0.1"})
  void twoThousandOthersMakeNoDifference(String hostIp, Host node) {
    try (NetNs namespace = NetNs.open(node.path());
        NetlinkSocket net = NetlinkSocket.open(io.ocicat.netlink.Protocol.NETFILTER, namespace)) {
      HostPorts ports = new HostPorts(net);
      ports.assign(claim(0, hostIp));
      int giveAmongFew = cost(net, () -> ports.assign(claim(1, hostIp)));
      int takeAmongFew = cost(net, () -> ports.release(claim(1, hostIp).label()));
      for (int i = 2; i < 2002; i++) {
        ports.assign(claim(i, hostIp));
      }
      int giveAmongMany = cost(net, () -> ports.assign(claim(5000, hostIp)));
      int takeAmongMany = cost(net, () -> ports.release(claim(5000, hostIp).label()));
      int takeNothing = cost(net, () -> ports.release("net/nobody/eth0"));

      assertThat(ports.owners()).hasSize(2001);
      assertThat(giveAmongMany).isEqualTo(giveAmongFew).isLessThanOrEqualTo(8);
      assertThat(takeAmongMany).isEqualTo(takeAmongFew).isLessThanOrEqualTo(20);
      assertThat(takeNothing).isEqualTo(4);
    }
  }

  private static int cost(NetlinkSocket net, Runnable work) {
    int before = net.messagesSent();
    work.run();
    return net.messagesSent() - before;
  }

  private static PortClaim claim(int number, String hostIp) {
    PortmapConf conf = new PortmapConf(true, false, Conditions.NONE, Conditions.NONE, List.of());
    HostPort port =
        new HostPort(
            IpAddress.parse(hostIp.isEmpty() ? "0.0.0.0" : hostIp), Protocol.TCP, 10_000 + number);
    ContainerAddress containerAddress =
        new ContainerAddress(IpAddress.parse("10.1.0.0").plus(number + 2), "cni0");
    return new PortClaim(
        "net/pod%d/eth0".formatted(number), conf, List.of(new Forward(port, containerAddress, 80)));
  }

  private static List<String> conditional(Host node) {
    return node.exec("nft", "list", "chain", "inet", "ocicat_portmap", "conditional")
        .stdout()
        .lines()
        .map(String::strip)
        .filter(line -> line.contains("dnat"))
        .toList();
  }
}
