package io.ocicat.plugins.bridge;

import io.ocicat.base.json.Json;
import io.ocicat.plugins.Attaching;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/** An IPAM plugin that returns scripted results and records its calls. */
record ScriptedIpam(Path directory) {
  static final String NAME = "scripted";

  static ScriptedIpam in(Path directory) {
    Path program = directory.resolve(NAME);
    write(
        program,
        """
        #!/bin/sh
        here=${0%/*}
        cat > /dev/null
        echo "$CNI_COMMAND" >> "$here/calls"
        [ "$CNI_COMMAND" = ADD ] || exit 0
        [ ! -e "$here/deed" ] || . "$here/deed"
        cat "$here/answer"
        [ ! -e "$here/fails" ]
        """);
    try {
      Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new ScriptedIpam(directory);
  }

  /** ADD prints this result. */
  ScriptedIpam answering(String result) {
    write(directory.resolve("answer"), result);
    return this;
  }

  /** ADD prints this error. */
  ScriptedIpam failing(String error) {
    write(directory.resolve("fails"), "");
    return answering(error);
  }

  /** ADD does this first, in shell. */
  ScriptedIpam doing(String commands) {
    write(directory.resolve("deed"), commands);
    return this;
  }

  /** The network with addresses from this plugin. */
  BridgeNetwork of(BridgeNetwork network) {
    return network.with("ipam", Json.object().put("type", NAME));
  }

  Attaching found(Attaching attachment) {
    return attachment.with("CNI_PATH", directory.toString());
  }

  /** The verbs, in order. */
  List<String> calls() {
    try {
      Path calls = directory.resolve("calls");
      return Files.exists(calls) ? Files.readAllLines(calls) : List.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void write(Path file, String text) {
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
