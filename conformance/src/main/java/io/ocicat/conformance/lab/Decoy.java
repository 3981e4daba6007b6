package io.ocicat.conformance.lab;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.conformance.subject.ConformanceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A program in a plugin's path that records its calls: it writes down each request, and answers ADD
 * with a fixed text.
 *
 * @param directory where it is
 */
public record Decoy(Path directory, String name) {

  /**
   * A shell command that creates it. Not Java: execve of a file that we have just written fails as
   * "busy" if another thread of ours started a process at that moment.
   */
  String making(String answer) {
    String script =
        """
        #!/bin/sh
        printf '%%s\n' "$CNI_COMMAND $CNI_CONTAINERID $CNI_NETNS $CNI_IFNAME" >>"$0.calls"
        cat >"$0.$CNI_COMMAND"
        [ "$CNI_COMMAND" != ADD ] || printf %%s %s
        """
            .formatted(Shell.quote(answer));
    String path = Shell.quote(directory.resolve(name).toString());
    return "mkdir -p %s && printf %%s %s >%s && chmod +x %s"
        .formatted(Shell.quote(directory.toString()), Shell.quote(script), path, path);
  }

  /** The verb, container id, namespace and interface of each call, separated by blanks. */
  public List<String> calls() {
    Path log = beside(".calls");
    try {
      return Files.exists(log) ? Files.readAllLines(log, UTF_8) : List.of();
    } catch (IOException e) {
      throw new ConformanceException("cannot read " + log + ": " + e.getMessage(), e);
    }
  }

  /** What it read at the last call of that verb. */
  public byte[] request(String verb) {
    try {
      return Files.readAllBytes(beside("." + verb));
    } catch (IOException e) {
      throw new ConformanceException("cannot read what the decoy read: " + e.getMessage(), e);
    }
  }

  private Path beside(String suffix) {
    return directory.resolve(name + suffix);
  }
}
