package io.ocicat.plugins.portmap;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.Deadline;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.cni.exec.ProcessExec;
import io.ocicat.cni.plugin.Dispatcher;
import io.ocicat.cni.plugin.Namespaces;
import io.ocicat.cni.plugin.PluginHost;
import io.ocicat.plugins.Attaching;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A call for many ports ends when its caller stops waiting (reviews R5, R17). */
@Hosts
class PortmapDeadlineTest {
  private Site site;

  @BeforeEach
  void build(Host node) {
    site = Site.onPaper(node);
  }

  private Attaching portmap(int ports) {
    String[] mappings =
        IntStream.range(0, ports)
            .mapToObj(i -> "%d:80".formatted(10_000 + i))
            .toArray(String[]::new);
    return site.portmap(site.web(), "", mappings);
  }

  private static PluginReply tooLate(String command, Attaching attaching) {
    Map<String, String> environment = new HashMap<>(attaching.variables());
    environment.put("CNI_COMMAND", command);
    environment.put("CNI_NETNS", attaching.netns());
    environment.put("CNI_PATH", "/nowhere");
    PluginHost host =
        new PluginHost(
            new Namespaces(attaching.host().path(), Map.of()),
            new ProcessExec(),
            Deadline.in(Duration.ZERO),
            _ -> {});
    return Dispatcher.dispatch(
        new PortmapPlugin(),
        host,
        environment,
        attaching.config().getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void aCheckLooksUpNothingMoreAndChangesNothing() {
    Attaching many = portmap(300);
    many.add().ok();
    int before = site.elements().size();

    PluginReply reply = tooLate("CHECK", many);

    CniException error = CniException.fromJson(CniJson.parse(reply.stdout()));
    assertThat(error.code()).isEqualTo(ErrorCode.TRY_AGAIN_LATER);
    assertThat(error.msg()).contains("the caller's time is over after 256 lookups");
    assertThat(site.elements()).hasSize(before);
    many.check().ok();
    many.del().ok();
    assertThat(site.elements()).isEmpty();
  }

  /** One that gave up would start from the beginning when the runtime repeats it. */
  @Test
  void aDelIsFinishedHoweverLate() {
    Attaching many = portmap(300);
    many.add().ok();
    assertThat(tooLate("DEL", many).exitCode()).isZero();
    assertThat(site.elements()).isEmpty();
  }

  @Test
  void anAddLeavesNothing() {
    portmap(1).add().ok();

    // What it has already is looked up.
    PluginReply reply = tooLate("ADD", portmap(300));

    assertThat(reply.exitCode()).isEqualTo(1);
    portmap(1).check().ok();
    portmap(1).del().ok();
    assertThat(site.elements()).isEmpty();
  }

  @Test
  void fewPortsAreFinishedAllTheSame() {
    Attaching few = portmap(3);
    few.add().ok();
    assertThat(tooLate("CHECK", few).exitCode()).isZero();
    assertThat(tooLate("DEL", few).exitCode()).isZero();
    assertThat(site.elements()).isEmpty();
  }
}
