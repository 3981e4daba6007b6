package io.ocicat.cni.testplugins;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** Makes executables that run a class of the tests in a JVM of its own. */
public final class JvmPlugins {
  private JvmPlugins() {}

  /** The executable {@code directory/name}, which runs the class's main method. */
  public static Path install(Path directory, String name, Class<?> main) {
    Path script = directory.resolve(name);
    try {
      Files.writeString(
          script,
          "#!/bin/sh\nexec '%s/bin/java' -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp '%s' %s\n"
              .formatted(
                  System.getProperty("java.home"),
                  System.getProperty("java.class.path"),
                  main.getName()));
      Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return script;
  }
}
