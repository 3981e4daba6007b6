package io.ocicat.examples.runtime;

import io.ocicat.cni.Attachment;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.Result;
import io.ocicat.cni.runtime.CachedAttachment;
import io.ocicat.cni.runtime.Cni;
import io.ocicat.cni.runtime.Container;
import io.ocicat.cni.runtime.Network;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * The networking of a small container runtime: {@code up}, {@code down}, {@code ls} and {@code gc}.
 * It uses the first valid network of {@code /etc/cni/net.d}.
 */
public final class SmallRuntime {
  private final Cni cni =
      Cni.builder()
          .confDirectory(Path.of("/etc/cni/net.d"))
          .pluginDirectories(Path.of("/opt/cni/bin"))
          .timeLimit(Duration.ofSeconds(30))
          .rollBackFailedAdds(Duration.ofSeconds(30))
          .observer(run -> System.err.println(run.plugin() + " " + run.verb()))
          .build();

  private SmallRuntime() {}

  static void main(String[] args) {
    SmallRuntime runtime = new SmallRuntime();
    try {
      switch (String.join(" ", args).split(" ", 2)[0]) {
        case "up" -> runtime.up(args[1]);
        case "down" -> runtime.down(args[1]);
        case "ls" -> runtime.list();
        case "gc" -> runtime.collect();
        default -> System.err.println("usage: SmallRuntime up|down CONTAINER, ls, gc");
      }
    } catch (CniException e) {
      System.err.println(e.getMessage());
      System.exit(e.is(ErrorCode.TRY_AGAIN_LATER) ? 75 : 1);
    }
  }

  private void up(String id) {
    Network network = cni.defaultNetwork().orElseThrow();
    Result result = network.add(Container.of(id, Path.of("/run/netns", id)));
    result.ips().forEach(ip -> System.out.println(ip.address()));
  }

  /** From what ADD left in the cache, whatever has happened to the configuration. */
  private void down(String id) {
    for (CachedAttachment attachment : cni.attachments(id)) {
      cni.network(attachment).del(attachment.container());
    }
  }

  private void list() {
    cni.attachments()
        .forEach(
            attachment ->
                System.out.println(
                    attachment.network().value() + " " + attachment.container().id().value()));
  }

  /** Everything but the containers whose namespace is still there. */
  private void collect() {
    List<Attachment> valid =
        cni.attachments().stream()
            .map(CachedAttachment::container)
            .filter(container -> Path.of(container.netns()).toFile().exists())
            .map(container -> new Attachment(container.id().value(), container.ifName().value()))
            .toList();
    cni.defaultNetwork().orElseThrow().gc(valid);
  }
}
