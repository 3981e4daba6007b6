package io.ocicat.plugins.portmap;

import static io.ocicat.plugins.Tcp.ask;
import static io.ocicat.plugins.portmap.Site.NODE;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.plugins.Attaching;
import io.ocicat.plugins.Side;
import io.ocicat.plugins.Tcp;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.node.ObjectNode;

/** Together with the Go plugin (Debian's 1.1.1, which only supports iptables), and in its place. */
@Hosts
class PortmapInteropTest {
  private static final String[] MAPPINGS = {"8080:80", "10.2.0.1/53:53/udp"};

  private Site site;

  /** Which variant the iptables command is. */
  enum Iptables {
    NFT,
    LEGACY;

    String command(String name) {
      return "/usr/sbin/%s-%s".formatted(name, name().toLowerCase(Locale.ROOT));
    }

    /** An attachment by the Go plugin, with this iptables variant. */
    Attaching by(Attaching attaching, Path directory) throws IOException {
      for (String name : List.of("iptables", "ip6tables")) {
        Path script = directory.resolve(name);
        Files.writeString(script, "#!/bin/sh\nexec %s \"$@\"\n".formatted(command(name)));
        assertThat(script.toFile().setExecutable(true)).isTrue();
      }
      return attaching.by(Side.GO).with("PATH", directory + ":" + System.getenv("PATH"));
    }

    /** Names of chains of containers, in definitions and jumps alike. */
    List<String> chains(Host node) {
      return Stream.of("iptables", "ip6tables")
          .flatMap(name -> node.exec(command(name) + "-save", "-t", "nat").stdout().lines())
          .filter(line -> line.contains("CNI-DN-") || line.contains("CNI-SN-"))
          .toList();
    }
  }

  @BeforeEach
  void build(Host node) {
    site = Site.onPaper(node);
  }

  private Attaching web() {
    return site.attaching(site.web(), Site.config("1.0.0", site.web(), "", MAPPINGS));
  }

  private Attaching db() {
    return site.attaching(site.db(), Site.config("1.0.0", site.db(), "", "8081:80"));
  }

  @Test
  void theResultIsThatOfTheOriginal() {
    ObjectNode go = (ObjectNode) web().by(Side.GO).add().ok();
    // Later versions of the Go plugin omit an empty one, as the specification of 1.0.0 does.
    assertThat(go.remove("dns")).isEmpty();

    assertThat(web().add().ok()).isEqualTo(go);
  }

  @ParameterizedTest
  @EnumSource(Iptables.class)
  void oursRemovesWhatTheOriginalMade(Iptables iptables, Host node, @TempDir Path bin)
      throws IOException {
    iptables.by(web(), bin).add().ok();
    iptables.by(db(), bin).add().ok();
    List<String> both = iptables.chains(node);

    web().del().ok();

    List<String> one = iptables.chains(node);
    assertThat(one).isNotEmpty().hasSizeLessThan(both.size()).noneMatch(l -> l.contains("pod2"));
    db().check().ok();
    db().del().ok();
    assertThat(iptables.chains(node)).isEmpty();
    // What all containers share stays, as with the Go plugin.
    assertThat(node.exec(iptables.command("iptables") + "-save", "-t", "nat").stdout())
        .contains("-j CNI-HOSTPORT-DNAT");
    iptables.by(db(), bin).add().ok();
    iptables.by(db(), bin).del().ok();
  }

  @Test
  void checkAcceptsWhatTheOriginalMade(Host node) {
    web().by(Side.GO).add().ok();

    web().check().ok();
    node.exec("iptables", "-t", "nat", "-F", "CNI-HOSTPORT-DNAT");
    assertThat(web().check().error().msg()).contains("are not forwarded as they should be");
  }

  /**
   * The Go plugin does not know our table. Its DEL succeeds and leaves our elements to our DEL or
   * GC, which nodes run before they go back to it, see the documentation.
   */
  @Test
  void theOriginalLeavesToUsWhatWeMade() {
    web().add().ok();
    List<String> made = site.elements();

    web().by(Side.GO).del().ok();
    assertThat(site.elements()).containsExactlyInAnyOrderElementsOf(made);

    web()
        .withConfig(
            "{\"cniVersion\":\"1.1.0\",\"name\":\"net\",\"type\":\"portmap\",\"cni.dev/valid-attachments\":[]}")
        .gc()
        .ok();
    assertThat(site.elements()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(Iptables.class)
  void gcRemovesWhatTheOriginalLeft(Iptables iptables, Host node, @TempDir Path bin)
      throws IOException {
    iptables.by(web(), bin).add().ok();
    iptables.by(db(), bin).add().ok();
    Attaching elsewhere =
        db().with("CNI_CONTAINERID", "pod9")
            .withConfig(db().config().replace("\"net\"", "\"net2\"").replace("8081", "8082"));
    iptables.by(elsewhere, bin).add().ok();

    web()
        .withConfig(
            "{\"cniVersion\":\"1.1.0\",\"name\":\"net\",\"type\":\"portmap\","
                + "\"cni.dev/valid-attachments\":[{\"containerID\":\"pod3\",\"ifname\":\"eth0\"}]}")
        .gc()
        .ok();

    assertThat(iptables.chains(node)).noneMatch(line -> line.contains("pod2"));
    // Not by the Go plugin: 1.1.1 looks for the rules of IPv4 among those of IPv6.
    db().check().ok();
    elsewhere.check().ok();
  }

  /** Versions from 1.6 on keep their rules in tables of their own, by the container's id alone. */
  @Test
  void oursRemovesWhatNewerOriginalsKeepInNftables(Host node) {
    String rules =
        """
        table %1$s cni_hostport {
          comment "CNI portmap plugin";
          chain hostports {
            tcp dport 8080 dnat to %2$s comment "pod2"
            tcp dport 8081 dnat to %2$s comment "pod22"
          }
          chain hostip_hostports {
            %1$s daddr %3$s tcp dport 8080 dnat to %2$s comment "pod2"
          }
          chain masquerading {
            type nat hook postrouting priority srcnat;
            %1$s saddr %3$s %1$s daddr %3$s masquerade comment "pod2"
            %1$s saddr %3$s %1$s daddr %3$s masquerade comment "pod22"
          }
        }
        """;
    node.command("nft", "-f", "-")
        .stdin(
            rules.formatted("ip", "10.1.0.2:80", "10.1.0.2")
                + rules.formatted("ip6", "[fd01::2]:80", "fd01::2"))
        .run();

    web().check().ok();
    web().del().ok();

    assertThat(node.exec("nft", "list", "ruleset").stdout())
        .doesNotContain("\"pod2\"")
        .containsOnlyOnce("dnat to 10.1.0.2:80 comment \"pod22\"")
        .containsOnlyOnce("dnat to [fd01::2]:80 comment \"pod22\"");
  }

  @Test
  void bothServeOneHostAtTheSameTime(Host other, Host pod, Host neighbour, Host client)
      throws IOException {
    Site real = Site.build(other, pod, neighbour, client);
    Attaching go =
        real.attaching(real.web(), Site.config("1.0.0", real.web(), "", "8080:80")).by(Side.GO);
    Attaching ours = real.attaching(real.db(), Site.config("1.0.0", real.db(), "", "8081:80"));
    go.add().ok();
    ours.add().ok();

    try (ServerSocket web = Tcp.serve(pod, 80, "web");
        ServerSocket db = Tcp.serve(neighbour, 80, "db")) {
      assertThat(web.isBound() && db.isBound()).isTrue();
      assertThat(ask(client, NODE, 8080)).startsWith("web");
      assertThat(ask(client, NODE, 8081)).startsWith("db");
      assertThat(ask(other, "127.0.0.1", 8080)).startsWith("web");
      assertThat(ask(other, "127.0.0.1", 8081)).startsWith("db");
      go.by(Side.OURS).del().ok();
      assertThat(ask(client, NODE, 8080)).isEqualTo("no answer");
      assertThat(ask(client, NODE, 8081)).startsWith("db");
    }
  }
}
