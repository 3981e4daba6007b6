package io.ocicat.daemon;

import io.ocicat.testkit.Background;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A mount namespace in which file systems can be full or read-only, for what is started in it. */
final class Mounts implements AutoCloseable {
  private final Background holder;

  private Mounts(Background holder) {
    this.holder = holder;
  }

  /** Mounts a small file system at each of these paths, which are created. */
  static Mounts small(Path... places) {
    StringBuilder script = new StringBuilder("set -e\n");
    for (Path place : places) {
      script.append(
          "mkdir -p '%s'; mount -t tmpfs -o size=128k,mode=700 small '%s'\n"
              .formatted(place, place));
    }
    script.append("echo ready; exec sleep 600");
    Background holder = Command.of("unshare", "--mount", "sh", "-c", script.toString()).start();
    Mounts mounts = new Mounts(holder);
    Eventually.await(
        "the file systems to be mounted",
        Duration.ofSeconds(20),
        () -> holder.stdout().contains("ready"));
    return mounts;
  }

  String[] prefix() {
    return new String[] {"nsenter", "--mount=/proc/%d/ns/mnt".formatted(holder.pid()), "--"};
  }

  /** A path in there, as seen from outside. */
  Path outside(Path inside) {
    return Path.of("/proc/%d/root%s".formatted(holder.pid(), inside));
  }

  void readOnly(Path place) {
    shell("mount -o remount,ro '%s'".formatted(place));
  }

  void writable(Path place) {
    shell("mount -o remount,rw '%s'".formatted(place));
  }

  /** Leaves no room for a single byte more. */
  void fill(Path place) {
    shell("head -c 1m /dev/zero >'%s/filler' 2>/dev/null || true".formatted(place));
  }

  /** The same once more, of what has been removed since. */
  void fillAgain(Path place) {
    shell("head -c 1m /dev/zero >>'%s/filler' 2>/dev/null || true".formatted(place));
  }

  void makeRoom(Path place) {
    shell("rm '%s/filler'".formatted(place));
  }

  private void shell(String script) {
    List<String> argv = new ArrayList<>(List.of(prefix()));
    argv.addAll(List.of("sh", "-c", script));
    Command.of(argv).run();
  }

  @Override
  public void close() {
    holder.close();
  }
}
