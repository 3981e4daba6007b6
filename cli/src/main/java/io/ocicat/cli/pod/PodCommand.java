package io.ocicat.cli.pod;

import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.container.Containers;
import io.ocicat.sandbox.pods.PodSandboxes;
import java.io.PrintWriter;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code ocicat pod}: the group of pod commands, and what they share. */
@Command(
    name = "pod",
    description = "Run pods with networks, without Kubernetes.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND")
public final class PodCommand {
  private PodCommand() {}

  public static CommandLine of(PodContext site) {
    return new CommandLine(new PodCommand())
        .addSubcommand(new PodRunCommand(site))
        .addSubcommand(new PodExecCommand(site))
        .addSubcommand(new PodLogsCommand(site))
        .addSubcommand(new PodStopCommand(site))
        .addSubcommand(new PodRemoveCommand(site))
        .addSubcommand(new PodListCommand(site))
        .addSubcommand(new PodInspectCommand(site));
  }

  /** The base of a subcommand: opens what it needs, does its work, closes it. */
  abstract static class Sub implements Callable<Integer> {
    private final PodContext site;

    @Spec private CommandSpec spec = CommandSpec.create();
    @Mixin private PodOptions options = new PodOptions();
    private PodContext.@Nullable Open opened;

    Sub(PodContext site) {
      this.site = site;
    }

    @Override
    public final Integer call() {
      try (PodContext.Open open = site.open(options, err())) {
        opened = open;
        int exitCode = call(open.pods());
        open.messages().show();
        return exitCode;
      }
    }

    abstract int call(PodSandboxes pods);

    /** The containers of pods, while the command runs. */
    Containers containers() {
      return Objects.requireNonNull(opened).containers();
    }

    PodContext site() {
      return site;
    }

    PodOptions options() {
      return options;
    }

    CommandLine commandLine() {
      return spec.commandLine();
    }

    PrintWriter out() {
      return spec.commandLine().getOut();
    }

    PrintWriter err() {
      return spec.commandLine().getErr();
    }

    /** The next command that changes anything undoes what killed commands left. */
    void recover(PodSandboxes pods) {
      pods.recoverUnfinished().forEach(failure -> err().println("ocicat: " + failure));
    }

    /** The id of a pod that is given by its name, by namespace/name, or by the start of its id. */
    String resolve(PodSandboxes pods, String pod) {
      int slash = pod.indexOf('/');
      String namespace = slash < 0 ? options.namespace() : pod.substring(0, slash);
      List<String> named = pods.ofPod(namespace, pod.substring(slash + 1));
      if (named.size() > 1) {
        throw new SandboxException(
            Reason.AMBIGUOUS,
            "pod %s/%s has %d sandboxes: name one by its id, see `ocicat pod ls`"
                .formatted(namespace, pod.substring(slash + 1), named.size()));
      }
      if (named.size() == 1) {
        return named.getFirst();
      }
      return pods.resolve(pod)
          .orElseThrow(
              () ->
                  new SandboxException(
                      Reason.NOT_FOUND,
                      "there is no pod %s in namespace %s, nor an id that begins so; see `ocicat pod ls`"
                          .formatted(pod, namespace)));
    }
  }
}
