package io.ocicat.plugins.portmap;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.plugin.PluginMain;
import io.ocicat.plugins.Attaching;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.Output;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** A failed ADD undoes what it did, and DEL of an interrupted one leaves nothing. */
@Hosts
class PortmapFailureTest {
  private Site site;

  /** The plugin as a separate process, for what must not happen to this one. */
  static final class Executable {
    private Executable() {}

    public static void main(String[] arguments) {
      PluginMain.main(new PortmapPlugin());
    }
  }

  @BeforeEach
  void build(Host node) {
    site = Site.onPaper(node);
  }

  /** As in many containers, and in all sandboxes. */
  @Test
  void settingsThatCannotBeWrittenTakeTheAddBack() {
    Attaching web = site.portmap(site.web(), "", "8080:80", "53:53/udp");

    Output refused = withoutSettings(web);

    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.stdout())
        .contains("unable to set route_localnet = 1 for \\\"cni0\\\": ")
        .contains("EROFS");
    assertThat(site.elements()).isEmpty();
  }

  @Test
  void settingsThatAreRightNeedNotBeWritten(Host node) {
    Attaching web = site.portmap(site.web(), "", "8080:80");
    node.exec("sysctl", "-qw", "net.ipv4.conf.cni0.route_localnet=1");

    Output added = withoutSettings(web);

    assertThat(added.succeeded()).as(added.toString()).isTrue();
    web.check().ok();
  }

  /** ADD of this attachment where /proc/sys is read-only. */
  private Output withoutSettings(Attaching attaching) {
    Command command =
        site.node()
            .command(
                "unshare",
                "--mount",
                "sh",
                "-ec",
                "mount --bind /proc/sys /proc/sys; mount -o remount,bind,ro /proc/sys; exec \"$@\"",
                "sh",
                System.getProperty("java.home") + "/bin/java",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Executable.class.getName())
            .env("CNI_COMMAND", "ADD")
            .env("CNI_PATH", "/nonexistent")
            .env("CNI_NETNS", attaching.netns())
            .stdin(attaching.config());
    for (Map.Entry<String, String> variable : attaching.variables().entrySet()) {
      command = command.env(variable.getKey(), variable.getValue());
    }
    return command.attempt();
  }

  @RepeatedTest(5)
  void whatNftablesRefusesIsNotHalfDone(Host node) {
    Attaching web = site.portmap(site.web(), "", "8080:80", "10.2.0.1/53:53/udp");
    web.add().ok();
    web.del().ok();
    // The last thing an ADD writes does not fit.
    node.command("nft", "-f", "-")
        .stdin(
            """
            flush chain inet ocicat_portmap masq
            delete set inet ocicat_portmap link6
            add set inet ocicat_portmap link6 { type ipv6_addr; }
            """)
        .run();

    assertThat(web.add().error().msg()).contains("link6");
    assertThat(site.elements()).isEmpty();
    web.del().ok();
    assertThat(site.elements()).isEmpty();
  }

  /** Killed after the transaction, before anything else; before it nothing exists. */
  @Test
  void delFinishesWhatAKilledAddBegan(Host node) {
    Attaching web = site.portmap(site.web(), "", "8080:80", "53:53/udp");
    web.add().ok();
    List<String> made = site.elements();
    node.exec("sysctl", "-qw", "net.ipv4.conf.cni0.route_localnet=0");
    node.exec("ip", "-6", "route", "del", "local", "::1", "dev", "cni0", "table", "local");

    web.del().ok();
    assertThat(site.elements()).isEmpty();

    web.add().ok();
    assertThat(site.elements()).containsExactlyInAnyOrderElementsOf(made);
    web.check().ok();
  }

  /** An operator's interference: each set without the elements of the others. */
  @Test
  void delRemovesTheRestOfWhatSomebodyElseRemovedInPart(Host node) {
    for (String set :
        List.of("map ports4", "set hairpin4", "set link6", "map hostip_ports4", "map ports6")) {
      Attaching web = site.portmap(site.web(), "", "8080:80", "10.2.0.1/53:53/udp");
      web.add().ok();
      node.exec("nft", "flush " + set.replace(" ", " inet ocicat_portmap "));

      web.del().ok();
      assertThat(site.elements()).as("without " + set).isEmpty();
    }
  }
}
