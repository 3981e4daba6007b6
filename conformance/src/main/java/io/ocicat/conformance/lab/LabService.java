package io.ocicat.conformance.lab;

import io.ocicat.conformance.subject.ConformanceException;
import io.ocicat.conformance.subject.RequiredService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The server on a lab's host that the plugin uses. */
public final class LabService implements AutoCloseable {
  /** Stops it in the transcript; the name of the variable is the one that starting it sets. */
  static final String STOP = "kill $service && wait $service 2>/dev/null || :";

  private final RequiredService service;
  private final LabNamespace host;
  private final Path directory;
  private final Transcript transcript;
  private RequiredService.Running running;

  private LabService(
      RequiredService service, LabNamespace host, Path directory, Transcript transcript) {
    this.service = service;
    this.host = host;
    this.directory = directory;
    this.transcript = transcript;
    this.running = launch();
  }

  static LabService start(
      RequiredService service, LabNamespace host, Path directory, Transcript transcript) {
    try {
      Files.createDirectories(directory);
    } catch (IOException e) {
      throw new ConformanceException("cannot make %s: %s".formatted(directory, e.getMessage()), e);
    }
    transcript.addCommand("mkdir -p " + Shell.quote(directory.toString()));
    return new LabService(service, host, directory, transcript);
  }

  private RequiredService.Running launch() {
    transcript.addCommand(
        "nsenter --net=%s sh -c %s >&2 & service=$!"
            .formatted(
                Shell.quote(host.path().toString()), Shell.quote(service.command(directory))));
    return service.start(host.handle(), directory);
  }

  /** Deletes its data. */
  public void forget() {
    running.close();
    Scratch.deleteContent(directory);
    transcript.addCommand(STOP);
    transcript.addCommand("rm -rf %s/*".formatted(Shell.quote(directory.toString())));
    running = launch();
  }

  @Override
  public void close() {
    running.close();
  }
}
