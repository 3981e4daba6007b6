package io.ocicat.conformance.lab;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.conformance.ConformanceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/**
 * A program that a plugin may run, or had better not: it writes down that it was called and with
 * which request, and answers ADD with a fixed text.
 *
 * @param directory where it is
 */
public record Decoy(Path directory, String name) {

  static Decoy make(Path directory, String name, String answer, Transcript transcript) {
    Path program = directory.resolve(name);
    String script =
        """
        #!/bin/sh
        printf '%%s\\n' "$CNI_COMMAND $CNI_CONTAINERID $CNI_NETNS $CNI_IFNAME" >>"$0.calls"
        cat >"$0.$CNI_COMMAND"
        [ "$CNI_COMMAND" != ADD ] || printf %%s %s
        """
            .formatted(Shell.quote(answer));
    try {
      Files.createDirectories(directory);
      Files.writeString(program, script);
      Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    } catch (IOException e) {
      throw new ConformanceException("cannot make " + program + ": " + e.getMessage(), e);
    }
    String path = Shell.quote(program.toString());
    transcript.say("mkdir -p " + Shell.quote(directory.toString()));
    transcript.say("printf %%s %s >%s && chmod +x %s".formatted(Shell.quote(script), path, path));
    return new Decoy(directory, name);
  }

  /** The verb, container id, namespace and interface of each call, with blanks between. */
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
