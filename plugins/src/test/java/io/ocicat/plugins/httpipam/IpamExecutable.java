package io.ocicat.plugins.httpipam;

import io.ocicat.cni.plugin.PluginMain;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** The plugin as an executable in a separate JVM, for delegating plugins that are not ours. */
final class IpamExecutable {
  private IpamExecutable() {}

  static void main() {
    PluginMain.main(new HttpIpamPlugin());
  }

  static Path install(Path directory) throws IOException {
    Path script =
        Files.writeString(
            directory.resolve("ipam"),
            "#!/bin/sh\nexec '%s/bin/java' -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp '%s' %s\n"
                .formatted(
                    System.getProperty("java.home"),
                    System.getProperty("java.class.path"),
                    IpamExecutable.class.getName()));
    return Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
  }
}
