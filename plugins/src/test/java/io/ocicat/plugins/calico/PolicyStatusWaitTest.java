package io.ocicat.plugins.calico;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.Deadline;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ip.MacAddress;
import io.ocicat.plugins.resident.EndpointReadiness;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who is asked whether an endpoint is ready: an agent of this process, else its files. */
class PolicyStatusWaitTest {
  private static final Duration LONG = Duration.ofMinutes(1);
  private static final String STATUS =
      "{\"mac\":\"ee:ee:ee:00:00:01\",\"ipv4Nets\":[\"10.65.0.7/32\"]}";

  @TempDir Path directory;

  /** An agent that answers as it is told, and covers nothing once it has no answer left. */
  private static final class Answers implements EndpointReadiness {
    private final Deque<Boolean> answers = new ArrayDeque<>();
    private final List<Expected> asked = new ArrayList<>();
    private volatile Path covered = Path.of("/nowhere");

    @Override
    public boolean covers(Path statusDirectory) {
      return statusDirectory.equals(covered) && !answers.isEmpty();
    }

    @Override
    public boolean await(Expected endpoint, Duration limit) {
      asked.add(endpoint);
      return answers.removeFirst();
    }
  }

  private static Resource endpoint() {
    return Resource.of(
        new ResourceKey.Named(Kind.WORKLOAD_ENDPOINT, "default", "node1-k8s-web-eth0"),
        spec -> spec.put("mac", "ee:ee:ee:00:00:01").putArray("ipNetworks").add("10.65.0.7/32"));
  }

  private Path file() {
    return directory.resolve(EndpointStatusName.of(endpoint().key()));
  }

  private boolean await(Duration limit, EndpointReadiness agent) {
    return new PolicyStatusWait(directory, limit, agent).await(endpoint(), Deadline.NEVER);
  }

  @Test
  void anAgentOfThisProcessIsAskedAndNoFileIsRead() {
    Answers agent = new Answers();
    agent.covered = directory;
    agent.answers.add(true);

    assertThat(await(LONG, agent)).isTrue();

    assertThat(agent.asked)
        .containsExactly(
            new EndpointReadiness.Expected(
                endpoint().key(),
                MacAddress.parse("ee:ee:ee:00:00:01"),
                Set.of(IpPrefix.parse("10.65.0.7/32"))));
  }

  @Test
  void theFileOfAnAgentOfThisProcessDoesNotCount() throws Exception {
    Files.writeString(file(), STATUS);
    Answers agent = new Answers();
    agent.covered = directory;
    agent.answers.add(false);

    assertThat(await(Duration.ofNanos(1), agent)).as("left by an earlier agent").isFalse();
  }

  @Test
  void anAgentThatCoversAnotherDirectoryIsNotAsked() throws Exception {
    Files.writeString(file(), STATUS);
    Answers agent = new Answers();
    agent.answers.add(false);

    assertThat(await(LONG, agent)).isTrue();
    assertThat(agent.asked).isEmpty();
  }

  @Test
  void afterTheAgentOfThisProcessHasStoppedTheFileCounts() throws Exception {
    Files.writeString(file(), STATUS);
    Answers agent = new Answers();
    agent.covered = directory;
    agent.answers.add(false);

    assertThat(await(LONG, agent)).isTrue();
    assertThat(agent.asked).hasSize(1);
  }

  @Test
  void anAgentThatStartsWhileTheFileIsPolledIsAsked() throws Exception {
    Answers agent = new Answers();
    agent.answers.add(true);
    Thread starting =
        Thread.ofVirtual()
            .start(
                () -> {
                  while (Files.notExists(directory.resolve("go"))) {
                    Thread.onSpinWait();
                  }
                  agent.covered = directory;
                });
    Files.writeString(directory.resolve("go"), "");

    assertThat(await(LONG, agent)).isTrue();
    starting.join();
    assertThat(agent.asked).hasSize(1);
  }

  @Test
  void withoutAnyReportTheWaitEndsAfterItsLimit() {
    assertThat(await(Duration.ofMillis(30), EndpointReadiness.NO_AGENT)).isFalse();
  }
}
