package io.ocicat.cli.pod;

import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.container.ContainerFilter;
import io.ocicat.sandbox.container.ContainerState;
import io.ocicat.sandbox.container.ContainerStatus;
import io.ocicat.sandbox.pods.PodSandboxes;
import io.ocicat.sandbox.pods.SandboxStatus;
import io.ocicat.sandbox.store.ContainerRecord;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ocicat pod logs}: prints what a container printed. */
@Command(
    name = "logs",
    description = {
      "Print what a container of a pod has printed.",
      "The containers are those that kubelet or crictl created, and those of \"ocicat pod exec"
          + " --detach\". What they wrote to standard error goes there."
    },
    mixinStandardHelpOptions = true,
    footer = {"", "Example: ocicat pod logs web -c nginx -f"})
final class PodLogsCommand extends PodCommand.Sub {
  @Parameters(index = "0", paramLabel = "POD", description = "The pod's name or id.")
  private String name = "";

  @Option(
      names = {"-c", "--container"},
      paramLabel = "NAME",
      description = "Which container; may be omitted when the pod has one.")
  private @Nullable String container;

  @Option(
      names = {"-f", "--follow"},
      description = "Go on until the container ends.")
  private boolean follow;

  PodLogsCommand(PodContext context) {
    super(context);
  }

  @Override
  int call(PodSandboxes pods) {
    SandboxStatus pod = pods.status(resolve(pods, name));
    List<ContainerStatus> ofCri = containers().list(ContainerFilter.ofSandbox(pod.id()));
    String wanted = container != null ? container : only(pod, ofCri);
    for (ContainerRecord started : pod.containers()) {
      if (started.name().equals(wanted)) {
        Path file = Path.of(pod.config().logDirectory(), wanted, "0.log");
        print(new ContainerLog(file, false), started.process()::isAlive);
        return 0;
      }
    }
    ContainerStatus found = PodContainers.find(containers(), pod.id(), wanted);
    if (found.logPath().isEmpty()) {
      throw new SandboxException(
          Reason.NOT_READY, "container %s was created without a log".formatted(wanted));
    }
    print(
        new ContainerLog(Path.of(found.logPath()), true),
        () -> containers().status(found.id()).state() == ContainerState.RUNNING);
    return 0;
  }

  private static String only(SandboxStatus pod, List<ContainerStatus> ofCri) {
    List<String> names =
        java.util.stream.Stream.concat(
                pod.containers().stream().map(ContainerRecord::name),
                ofCri.stream().map(each -> each.config().metadata().name()))
            .distinct()
            .toList();
    if (names.size() != 1) {
      throw new SandboxException(
          Reason.INVALID,
          names.isEmpty()
              ? "pod %s has no containers".formatted(pod.config().metadata().pod())
              : "pod %s has the containers %s: name one with --container"
                  .formatted(pod.config().metadata().pod(), names));
    }
    return names.getFirst();
  }

  private void print(ContainerLog log, BooleanSupplier running) {
    try {
      log.print(out(), err(), follow ? running : () -> false);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the log: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
