package io.ocicat.sandbox.container.oci;

import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.container.ContainerSandbox;
import io.ocicat.sandbox.files.StateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Writes what a container gets as files: its name, its hosts, the volumes of its image. */
final class ContainerFiles {
  private static final Path HOSTS = Path.of("/etc/hosts");
  private static final long COPY_LIMIT_SECONDS = 120;

  private ContainerFiles() {}

  /** Returns the hostname. */
  static String write(SpecRequest request) {
    ContainerSandbox sandbox = request.sandbox();
    try {
      String hostname =
          sandbox.netns().isEmpty() || sandbox.config().hostname().isEmpty()
              ? Files.readString(Path.of("/proc/sys/kernel/hostname")).strip()
              : sandbox.config().hostname();
      Files.writeString(request.files().resolve("hostname"), hostname + "\n");
      Files.writeString(request.files().resolve("hosts"), hosts(sandbox, hostname));
      for (String volume : request.image().volumes()) {
        if (!MountList.isCovered(request, volume)) {
          fill(request, volume);
        }
      }
      return hostname;
    } catch (IOException e) {
      throw StateFiles.failed("write the files of a container to", request.files(), e);
    }
  }

  /** For clients other than kubelet, which always mounts its own. */
  private static String hosts(ContainerSandbox sandbox, String hostname) throws IOException {
    if (sandbox.netns().isEmpty()) {
      return Files.exists(HOSTS) ? Files.readString(HOSTS) : "";
    }
    StringBuilder text =
        new StringBuilder("127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n");
    sandbox.ips().forEach(ip -> text.append(ip).append('\t').append(hostname).append('\n'));
    return text.toString();
  }

  /** A volume begins with what the image has there, owners and modes included. */
  private static void fill(SpecRequest request, String volume) throws IOException {
    Path folder = MountList.volumeFolder(request, volume);
    Files.createDirectories(folder);
    Path source = InRoot.resolve(request.rootfs(), volume);
    if (!Files.isDirectory(source, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    Process copy =
        new ProcessBuilder("cp", "-a", "--", source + "/.", folder.toString())
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      if (!copy.waitFor(COPY_LIMIT_SECONDS, TimeUnit.SECONDS)) {
        copy.destroyForcibly();
        throw new IOException("not copied after %d s".formatted(COPY_LIMIT_SECONDS));
      }
    } catch (InterruptedException e) {
      copy.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
    if (copy.exitValue() != 0) {
      throw new SandboxException(
          Reason.FAILED, "volume %s of the image cannot be copied".formatted(volume));
    }
  }
}
