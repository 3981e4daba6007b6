package io.ocicat.plugins.flannel;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniJson;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** A delegate that records its calls and returns scripted results, unknown to flannel. */
record RecordingDelegate(Path directory) {
  static RecordingDelegate install(Path directory, String... types) {
    String script =
        """
        #!/bin/sh
        cd %s
        echo "$CNI_COMMAND $CNI_CONTAINERID $CNI_IFNAME $CNI_NETNS" >>calls
        cat >stdin.$CNI_COMMAND
        ls -A scratch >scratch.$CNI_COMMAND 2>/dev/null
        if [ -e fail.$CNI_COMMAND ]; then cat fail.$CNI_COMMAND; exit 1; fi
        if [ $CNI_COMMAND = ADD ]; then echo '{"ips":[{"address":"10.50.7.2/24"}]}'; fi
        """
            .formatted(directory);
    for (String type : types) {
      Path executable = write(directory.resolve(type), script);
      try {
        Files.setPosixFilePermissions(executable, PosixFilePermissions.fromString("rwxr-xr-x"));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return new RecordingDelegate(directory);
  }

  void failOn(String verb, int code, String message) {
    write(
        directory.resolve("fail." + verb),
        Json.compact(Json.object().put("code", code).put("msg", message)));
  }

  void recover() {
    for (String verb : List.of("ADD", "DEL", "CHECK", "GC", "STATUS")) {
      directory.resolve("fail." + verb).toFile().delete();
    }
  }

  /** Such as {@code ADD c1 eth0 /run/netns/x}. */
  List<String> calls() {
    return Files.exists(directory.resolve("calls"))
        ? read(directory.resolve("calls")).lines().map(String::strip).toList()
        : List.of();
  }

  JsonNode stdin(String verb) {
    return CniJson.parse(read(directory.resolve("stdin." + verb)));
  }

  /** The scratch files that existed while it was called, when they are kept next to it. */
  List<String> scratchFilesSeenBy(String verb) {
    return read(directory.resolve("scratch." + verb)).lines().toList();
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path write(Path file, String text) {
    try {
      return Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
