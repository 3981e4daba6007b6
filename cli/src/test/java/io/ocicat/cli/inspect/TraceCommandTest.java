package io.ocicat.cli.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cli.LiveDaemon;
import io.ocicat.cli.Shell;
import io.ocicat.cli.Shell.Printed;
import io.ocicat.cni.CniJson;
import io.ocicat.daemon.call.PluginExecutables;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

@Hosts
class TraceCommandTest {
  private static final int TEXT_STARTS = 40;

  @TempDir private Path directory;
  private LiveDaemon daemon;

  @BeforeEach
  void aDaemon() {
    daemon = LiveDaemon.start(directory);
  }

  @AfterEach
  void itStops() {
    daemon.close();
  }

  @Test
  void theLastCallIsShownWithWhatTheKernelWasAsked(Host host, Host pod) {
    String network = daemon.network("10.77.0.0/24");
    assertThat(daemon.call("ADD", "c1", host, pod, network).exitCode()).isZero();

    Printed trace = trace();

    assertThat(trace.exitCode()).isZero();
    assertThat(trace.out())
        .startsWith("#1 bridge ADD c1 eth0, network blue: ")
        .contains(" ms, ok, ")
        .contains("arrive", "queue", "journal", "intent", "commit", "host-local ADD", "reply")
        .contains("10.77.0.2/24")
        .contains("█")
        .doesNotContain("\u001b[");
    assertThat(trace.out().lines().filter(line -> line.matches(".*\\b(link|kernel)\\b.*")))
        .isNotEmpty();
  }

  /** Review U9. */
  @Test
  void theLastCallIsTheLastThatChangedSomething(Host host, Host pod) {
    daemon.call("VERSION", "dummy", host, pod, "{\"cniVersion\":\"1.0.0\"}");
    assertThat(trace().out()).as("there is nothing else").contains("bridge VERSION");
    daemon.call("ADD", "c1", host, pod, daemon.network("10.77.0.0/24"));
    daemon.call("VERSION", "dummy", host, pod, "{\"cniVersion\":\"1.0.0\"}");

    assertThat(trace().out()).contains("bridge ADD c1 eth0").doesNotContain("VERSION");
    assertThat(trace("last").out()).contains("bridge ADD c1 eth0").doesNotContain("VERSION");
  }

  /** Review U9, U20. */
  @Test
  void aTerminalOfEightyColumnsIsEnoughAndIdsAreShort(Host host, Host pod) {
    String id = "46cc70".repeat(10) + "abcd";
    Map<String, String> args =
        Map.of("CNI_ARGS", "IgnoreUnknown=1;K8S_POD_NAMESPACE=shop;K8S_POD_NAME=web-0");
    daemon.call("ADD", id, host, pod, daemon.network("10.77.0.0/24"), args);

    Printed trace =
        new Shell(daemon.folders(), directory, PluginExecutables.none(), Map.of("COLUMNS", "80"))
            .run(TraceCommand::new);

    assertThat(trace.out()).contains("bridge ADD 46cc7046cc70 eth0").doesNotContain(id);
    assertThat(trace.out().lines())
        .allSatisfy(line -> assertThat(line.length()).as(line).isLessThanOrEqualTo(80))
        .anyMatch(line -> line.indexOf("lock of 46cc7046cc70/eth0") == TEXT_STARTS);
    assertThat(CniJson.parse(trace("--json").out()).at("/calls/0/container").asString())
        .isEqualTo(id);
    assertThat(trace("10.77.0.2", "--cache-dir=" + directory.resolve("cache")).out())
        .contains("bridge ADD 46cc7046cc70 eth0");
    assertThat(trace("10.77.0.3", "--cache-dir=" + directory.resolve("cache")).err())
        .contains("nothing that is attached has the address 10.77.0.3");
    assertThat(trace().out().lines())
        .as("of a pipe lines have no end")
        .anyMatch(line -> line.matches(".*create veth \"veth\\w+\" with peer \"eth0\".*"));
  }

  @Test
  void oneContainersCallsAreShownInTheirOrder(Host host, Host pod) {
    String network = daemon.network("10.77.0.0/24");
    daemon.call("ADD", "aaa1", host, pod, network);
    daemon.call("DEL", "aaa1", host, pod, network);
    daemon.call("ADD", "bbb2", host, pod, network);

    assertThat(trace("aaa").out().lines().filter(line -> line.startsWith("#")))
        .satisfiesExactly(
            line -> assertThat(line).startsWith("#1 bridge ADD aaa1"),
            line -> assertThat(line).startsWith("#2 bridge DEL aaa1"));
    assertThat(trace("last").out()).startsWith("#3 bridge ADD bbb2");
    assertThat(trace("zzz").exitCode()).isEqualTo(1);
    assertThat(trace("zzz").out()).contains("no such call");
  }

  @Test
  void failuresSayWhatToDo(Host host, Host pod) {
    daemon.call("ADD", "good", host, pod, daemon.network("10.77.0.0/24"));
    daemon.call("ADD", "bad", host, pod, "{\"cniVersion\":\"9.9.9\",\"name\":\"x\"}");

    Printed failed = trace("--failed");

    assertThat(failed.out())
        .contains("bridge ADD bad", "failed: ", "cause: config")
        .doesNotContain("good");
  }

  @Test
  void theSlowestComeFirst(Host host, Host pod) {
    String network = daemon.network("10.77.0.0/24");
    for (int i = 0; i < 3; i++) {
      daemon.call("ADD", "c" + i, host, pod, network);
      daemon.call("DEL", "c" + i, host, pod, network);
    }

    JsonNode calls = CniJson.parse(trace("--slow=2", "--json").out()).path("calls");

    assertThat(calls.size()).isEqualTo(2);
    assertThat(calls.get(0).path("nanos").asLong())
        .isGreaterThanOrEqualTo(calls.get(1).path("nanos").asLong());
    assertThat(trace("--slow").out().lines().filter(line -> line.startsWith("#"))).hasSize(5);
  }

  @Test
  void podsAreFoundByTheirNameAndTracesByTheirs(Host host, Host pod) {
    Map<String, String> kubernetes =
        Map.of(
            "CNI_ARGS",
            "IgnoreUnknown=1;K8S_POD_NAMESPACE=shop;K8S_POD_NAME=web-0",
            "TRACEPARENT",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
    daemon.call("ADD", "c1", host, pod, daemon.network("10.77.0.0/24"), kubernetes);

    assertThat(trace("shop/web-0").out()).contains("pod shop/web-0");
    assertThat(trace("web-0").out()).contains("trace 4bf92f3577b34da6a3ce929d0e0e4736");
    assertThat(trace("other/web-0").exitCode()).isEqualTo(1);
    assertThat(daemon.log())
        .anyMatch(line -> line.contains("trace=4bf92f3577b34da6a3ce929d0e0e4736"));
  }

  @Test
  void aTerminalGetsColours(Host host, Host pod) {
    daemon.call("ADD", "c1", host, pod, daemon.network("10.77.0.0/24"));

    Printed trace = new Shell(daemon.folders()).run(TraceCommand::new, true);

    assertThat(trace.out()).contains("\u001b[32mok\u001b[0m");
  }

  @Test
  void aCountBelowOneIsAMistake() {
    assertThat(trace("--slow=0").exitCode()).isEqualTo(2);
    assertThat(trace("--slow=0").err()).contains("--slow=0: at least 1 is expected");
  }

  @Test
  void withoutADaemonThereIsNothingToShow() {
    daemon.close();

    Printed trace = trace();

    assertThat(trace.exitCode()).isEqualTo(1);
    assertThat(trace.err()).contains("ocicatd is not running");
  }

  private Printed trace(String... args) {
    return new Shell(daemon.folders()).run(TraceCommand::new, args);
  }
}
