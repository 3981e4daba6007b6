package io.ocicat.plugins.portmap;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.ErrorCode;
import io.ocicat.plugins.Attaching;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Host ports that the Go plugin already forwards. */
@Hosts
class GoHostPortsTest {
  private Site site;

  @BeforeEach
  void build(Host node) {
    site = Site.onPaper(node);
  }

  private Attaching web(String... mappings) {
    return site.attaching(site.web(), Site.config("1.0.0", site.web(), "", mappings));
  }

  private Attaching db(String... mappings) {
    return site.attaching(site.db(), Site.config("1.0.0", site.db(), "", mappings));
  }

  @ParameterizedTest
  @EnumSource(PortmapInteropTest.Iptables.class)
  void aPortThatTheOriginalForwardsByIptablesIsRefused(
      PortmapInteropTest.Iptables iptables, @TempDir Path bin) throws IOException {
    iptables.by(web("8080:80", "10.2.0.1/53:53/udp", "9090:90/sctp"), bin).add().ok();

    assertThat(db("8080:80").add().error())
        .satisfies(
            error -> {
              assertThat(error.code()).isEqualTo(ErrorCode.TRY_AGAIN_LATER);
              assertThat(error.msg())
                  .isEqualTo(
                      "host port 8080/tcp is taken by container pod2 on network net, by the Go"
                          + " portmap plugin");
            });
    assertThat(db("127.0.0.1/8080:80").add().error().msg()).contains("8080/tcp is taken");
    assertThat(db("[::1]/8080:80").add().error().msg()).contains("8080/tcp is taken");
    assertThat(db("53:53/udp").add().error().msg()).contains("10.2.0.1:53/udp is taken");
    assertThat(db("9090:90/sctp").add().error().msg()).contains("9090/sctp is taken");
    assertThat(site.elements()).isEmpty();

    db("8080:80/udp", "8081:80", "53:53/tcp", "10.2.0.9/53:53/udp").add().ok();
  }

  @ParameterizedTest
  @EnumSource(PortmapInteropTest.Iptables.class)
  void whatTheSameContainerHasByTheOriginalIsNoObstacle(
      PortmapInteropTest.Iptables iptables, @TempDir Path bin) throws IOException {
    iptables.by(web("8080:80"), bin).add().ok();

    web("8080:80").add().ok();
    web("8080:80").del().ok();

    db("8080:80").add().ok();
  }

  @Test
  void aPortThatNewerOriginalsForwardByNftablesIsRefused(Host node) {
    String rules =
        """
        table %1$s cni_hostport {
          chain hostports {
            tcp dport 8080 dnat to %2$s comment "pod22"
            %1$s daddr %3$s udp dport 53 dnat to %2$s comment "pod22"
          }
        }
        """;
    node.command("nft", "-f", "-")
        .stdin(
            rules.formatted("ip", "10.1.0.2:80", "10.2.0.1")
                + rules.formatted("ip6", "[fd01::2]:80", "fd02::1"))
        .run();

    assertThat(db("8080:80").add().error().msg())
        .isEqualTo("host port 8080/tcp is taken by container pod22, by the Go portmap plugin");
    assertThat(db("[fd02::1]/53:53/udp").add().error().msg())
        .contains("host port [fd02::1]:53/udp is taken by container pod22");
    db("10.2.0.9/53:53/udp", "8081:80").add().ok();
  }
}
