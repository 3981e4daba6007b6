package io.ocicat.plugins.portmap;

import static io.ocicat.plugins.Tcp.ask;
import static io.ocicat.plugins.portmap.Site.CLIENT;
import static io.ocicat.plugins.portmap.Site.NODE;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.plugins.AtOnce;
import io.ocicat.plugins.Attaching;
import io.ocicat.plugins.Ran;
import io.ocicat.plugins.Tcp;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.Udp;
import java.io.IOException;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A container on several networks: runtimes request its ports on each of them. The first gets them,
 * the others wait.
 */
@Hosts
class PortmapNetworksTest {

  @Test
  void theNextHasThePortWhenTheFirstIsGone(Host node) {
    Site site = Site.onPaper(node);
    Attaching red = on(site, "red", 2, "8080:80", "53:53/udp");
    Attaching blue = on(site, "blue", 3, "8080:80", "53:53/udp", "9090:90");
    red.add().ok();
    List<String> redAlone = site.elements();
    blue.add().ok();

    assertThat(owners(site, "8080")).containsExactly("red/pod/eth2", "red/pod/eth2");
    assertThat(owners(site, "9090")).containsExactly("blue/pod/eth3", "blue/pod/eth3");
    red.check().ok();
    blue.check().ok();

    red.del().ok();
    assertThat(owners(site, "8080")).containsExactly("blue/pod/eth3", "blue/pod/eth3");
    blue.check().ok();
    List<String> blueAlone = site.elements();
    blue.del().ok();
    assertThat(site.elements()).isEmpty();
    blue.add().ok();
    assertThat(site.elements()).containsExactlyInAnyOrderElementsOf(blueAlone);

    blue.del().ok();
    red.add().ok();
    blue.add().ok();
    blue.del().ok();
    assertThat(site.elements()).containsExactlyInAnyOrderElementsOf(redAlone);
  }

  @Test
  void othersAreRefusedWhoeverOfTheContainerHasThePort(Host node) {
    Site site = Site.onPaper(node);
    Attaching red = on(site, "red", 2, "8080:80");
    Attaching blue = on(site, "blue", 3, "8080:80");
    Attaching stranger = on(site, "blue", 4, "8080:80").with("CNI_CONTAINERID", "pod4");
    red.add().ok();
    blue.add().ok();

    assertThat(stranger.add().error().msg())
        .isEqualTo("host port 8080/tcp is taken by red/pod/eth2");
    red.del().ok();
    assertThat(stranger.add().error().msg())
        .isEqualTo("host port 8080/tcp is taken by blue/pod/eth3");
    blue.del().ok();
    stranger.add().ok();
    assertThat(blue.add().error().msg()).isEqualTo("host port 8080/tcp is taken by blue/pod4/eth4");
  }

  @ParameterizedTest
  @CsvSource({
    // What the first has, and what the second asks for.
    "8080:80,           10.2.0.1/8080:80",
    "10.2.0.1/8080:80,  8080:80",
    "10.2.0.1/8080:80,  8080:80 10.2.0.1/8080:81",
    "8080:80,           8080:80 10.2.0.1/8080:81 127.0.0.1/8080:82",
    "8080:80,           8080:80 [fd02::1]/8080:81",
    "8080:80 8081:80,   8081:80 8082:80",
    "8080:80 10.2.0.1/8080:80, 8080:81 10.2.0.1/8080:81",
  })
  void portsThatOverlap(String first, String second, Host node) {
    Site site = Site.onPaper(node);
    Attaching red = on(site, "red", 2, first.split(" ", -1));
    Attaching blue = on(site, "blue", 3, second.split(" ", -1));
    blue.add().ok();
    List<String> blueAlone = site.elements();
    blue.del().ok();

    red.add().ok();
    blue.add().ok();
    red.check().ok();
    blue.check().ok();
    red.del().ok();

    blue.check().ok();
    assertThat(site.elements()).containsExactlyInAnyOrderElementsOf(blueAlone);
    blue.del().ok();
    assertThat(site.elements()).isEmpty();
  }

  @Test
  void anotherAddKeepsOrGivesUpThePort(Host node) {
    Site site = Site.onPaper(node);
    Attaching red = on(site, "red", 2, "8080:80");
    Attaching blue = on(site, "blue", 3, "8080:80");
    red.add().ok();
    blue.add().ok();

    red.add().ok();
    blue.add().ok();
    assertThat(owners(site, "8080")).containsOnly("red/pod/eth2");

    on(site, "red", 2, "8081:80").add().ok();
    assertThat(owners(site, "8080")).containsOnly("blue/pod/eth3");
    blue.check().ok();
  }

  @Test
  void checkSeesThatOneDoesNotWait(Host node) {
    Site site = Site.onPaper(node);
    Attaching red = on(site, "red", 2, "8080:80");
    Attaching blue = on(site, "blue", 3, "8080:80");
    red.add().ok();
    blue.add().ok();
    node.exec("nft", "flush", "map", "inet", "ocicat_portmap", "waiting6");

    assertThat(blue.check().error().msg()).contains("waiting6").contains("is missing");
    red.check().ok();
    blue.del().ok();
    assertThat(owners(site, "8080")).containsOnly("red/pod/eth2");
  }

  @Test
  void gcOfOneNetworkHandsOver(Host node) {
    Site site = Site.onPaper(node);
    Attaching red = on(site, "red", 2, "8080:80");
    Attaching blue = on(site, "blue", 3, "8080:80");
    red.add().ok();
    blue.add().ok();

    gc(blue, "blue", "{\"containerID\":\"pod\",\"ifname\":\"eth3\"}");
    red.check().ok();
    blue.check().ok();
    gc(red, "red", "");
    blue.check().ok();
    assertThat(site.elements()).isNotEmpty().allMatch(element -> element.contains("blue/pod"));
    gc(blue, "blue", "");
    assertThat(site.elements()).isEmpty();
  }

  /** Killed after the ports were released, before the next owner had them. */
  @ParameterizedTest
  @CsvSource({"true", "false"})
  void whatAKilledDelLeftIsFinishedByAnotherOrByGc(boolean byDel, Host node) {
    Site site = Site.onPaper(node);
    Attaching red = on(site, "red", 2, "8080:80");
    Attaching blue = on(site, "blue", 3, "8080:80");
    red.add().ok();
    blue.add().ok();
    node.exec("nft", "flush", "map", "inet", "ocicat_portmap", "ports4");
    node.exec("nft", "flush", "map", "inet", "ocicat_portmap", "ports6");
    assertThat(blue.check().error().msg()).contains("is missing");

    if (byDel) {
      red.del().ok();
    } else {
      gc(red, "red", "");
    }

    blue.check().ok();
    assertThat(owners(site, "8080")).containsExactly("blue/pod/eth3", "blue/pod/eth3");
  }

  /** Whatever the order of concurrent ADDs and DELs, a present owner has the port. */
  @Test
  void manyAtOnce(Host node) {
    Site site = Site.onPaper(node);
    Attaching last = on(site, "last", 2, "8080:80");
    List<Attaching> others =
        IntStream.range(10, 26).mapToObj(i -> on(site, "net" + i, i, "8080:80")).toList();

    assertThat(AtOnce.adds(others)).allSatisfy(Ran::ok);
    List<Callable<Ran>> calls = new ArrayList<>(List.of(last::add));
    others.forEach(other -> calls.add(other::del));
    assertThat(AtOnce.run(calls)).allSatisfy(Ran::ok);

    assertThat(owners(site, "8080")).containsExactly("last/pod/eth2", "last/pod/eth2");
    last.check().ok();
    last.del().ok();
    assertThat(site.elements()).isEmpty();
  }

  @Test
  void packetsGoToTheFirstAndThenToTheNext(Host node, Host pod, Host neighbour, Host client)
      throws IOException {
    Site site = Site.build(node, pod, neighbour, client);
    Attaching red = on(site, "red", 2, "8080:80", "5353:53/udp");
    Attaching blue = on(site, "blue", 3, "8080:80", "5353:53/udp");
    try (ServerSocket first = Tcp.serve(pod, 80, "red");
        ServerSocket next = Tcp.serve(neighbour, 80, "blue");
        Udp old = Site.udp(pod, site.web().v4(), 53);
        Udp young = Site.udp(neighbour, site.db().v4(), 53);
        Udp asking = Site.udp(client, CLIENT, 4711)) {
      assertThat(first.isBound() && next.isBound()).isTrue();
      red.add().ok();
      asking.send("before", NODE, 5353);
      assertThat(old.echo()).isEqualTo("before");
      String flow = flow(node);

      blue.add().ok();
      assertThat(ask(client, NODE, 8080)).isEqualTo("red sees " + CLIENT);
      assertThat(flow(node)).as("clients of the first are not forgotten").isEqualTo(flow);

      red.del().ok();
      assertThat(ask(client, NODE, 8080)).isEqualTo("blue sees " + CLIENT);
      assertThat(ask(node, "127.0.0.1", 8080)).startsWith("blue");
      asking.send("after", NODE, 5353);
      assertThat(young.echo()).isEqualTo("after");
    }
  }

  /** The kernel's id of the client's connection, while it is tracked. */
  private static String flow(Host node) {
    return node.exec("conntrack", "-L", "-p", "udp", "--orig-src", CLIENT, "-o", "id")
        .stdout()
        .replaceAll("(?s).* id=(\\d+).*", "$1");
  }

  /** The interface of one and the same container on a network. */
  private static Attaching on(Site site, String network, int number, String... mappings) {
    Attaching attaching = site.portmap(Site.Pod.onPaper(number), "", mappings);
    return attaching
        .with("CNI_CONTAINERID", "pod")
        .with("CNI_IFNAME", "eth" + number)
        .withConfig(
            attaching
                .config()
                .replace("\"net\"", "\"%s\"".formatted(network))
                .replace("\"eth0\"", "\"eth%d\"".formatted(number)));
  }

  private static void gc(Attaching attaching, String network, String valid) {
    attaching
        .withConfig(
            "{\"cniVersion\":\"1.1.0\",\"name\":\"%s\",\"type\":\"portmap\",\"cni.dev/valid-attachments\":[%s]}"
                .formatted(network, valid))
        .gc()
        .ok();
  }

  /** The owner of a TCP port, in each family. */
  private static List<String> owners(Site site, String port) {
    return site.elements().stream()
        .filter(element -> element.startsWith("ports"))
        .filter(element -> element.contains("[\"tcp\"," + port + "]"))
        .map(element -> element.replaceAll(".*\"comment\":\"([^\"]*)\".*", "$1"))
        .toList();
  }
}
