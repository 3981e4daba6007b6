package io.ocicat.plugins;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/**
 * An IPAM plugin, {@code testipam}, that returns a scripted result, records the verbs it was called
 * with, and can be made to fail.
 */
public final class TestIpam {
  private final Path directory;

  private TestIpam(Path directory) {
    this.directory = directory;
  }

  /** Installs it in a directory of the test, which goes into CNI_PATH. */
  public static TestIpam in(Path directory, String result) {
    String script =
        """
        #!/bin/sh
        cat > /dev/null
        echo "$CNI_COMMAND $CNI_CONTAINERID" >> %1$s/calls
        if [ -e %1$s/fail-$CNI_COMMAND ]; then
          echo '{"code": 11, "msg": "testipam was told to fail"}'
          exit 1
        fi
        case $CNI_COMMAND in ADD) cat %1$s/result ;; esac
        """
            .formatted(directory);
    try {
      Path executable = directory.resolve("testipam");
      Files.writeString(executable, script);
      Files.setPosixFilePermissions(executable, PosixFilePermissions.fromString("rwxr-xr-x"));
      Files.writeString(directory.resolve("calls"), "");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    TestIpam ipam = new TestIpam(directory);
    ipam.answer(result);
    return ipam;
  }

  public void answer(String result) {
    write("result", result);
  }

  public void failOn(String verb) {
    write("fail-" + verb, "");
  }

  /** Each verb with the id of the container, in order. */
  public List<String> calls() {
    try {
      return Files.readAllLines(directory.resolve("calls"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The attachment with this plugin in its CNI_PATH. */
  public Attaching with(Attaching attaching) {
    return attaching.with("CNI_PATH", directory.toString());
  }

  private void write(String name, String content) {
    try {
      Files.writeString(directory.resolve(name), content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
