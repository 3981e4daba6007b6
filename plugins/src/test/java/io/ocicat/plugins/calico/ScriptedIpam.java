package io.ocicat.plugins.calico;

import io.ocicat.cni.CniJson;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** An IPAM plugin that returns scripted results and records its requests. */
record ScriptedIpam(Path directory) {
  static ScriptedIpam in(Path directory, String name, String answer) {
    ScriptedIpam ipam = new ScriptedIpam(directory);
    ipam.write("answer", answer);
    ipam.write("calls", "");
    ipam.write(
        name,
        """
        #!/bin/sh
        cat > %1$s/stdin-$CNI_COMMAND
        echo "$CNI_COMMAND $CNI_CONTAINERID $CNI_ARGS" >> %1$s/calls
        if [ -e %1$s/fail-$CNI_COMMAND ]; then
          echo '{"code": 11, "msg": "told to fail"}'
          exit 1
        fi
        case $CNI_COMMAND in ADD) cat %1$s/answer ;; esac
        """
            .formatted(directory));
    try {
      Files.setPosixFilePermissions(
          directory.resolve(name), PosixFilePermissions.fromString("rwxr-xr-x"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return ipam;
  }

  void failOn(String verb) {
    write("fail-" + verb, "");
  }

  void succeedOn(String verb) {
    try {
      Files.deleteIfExists(directory.resolve("fail-" + verb));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void answer(String answer) {
    write("answer", answer);
  }

  List<String> calls() {
    return read("calls").lines().toList();
  }

  /** The standard input of the last call with that verb. */
  JsonNode asked(String verb) {
    return CniJson.parse(read("stdin-" + verb));
  }

  private String read(String name) {
    try {
      return Files.readString(directory.resolve(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void write(String name, String content) {
    try {
      Files.writeString(directory.resolve(name), content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
