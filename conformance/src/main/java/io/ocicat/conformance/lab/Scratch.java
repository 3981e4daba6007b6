package io.ocicat.conformance.lab;

import io.ocicat.cni.exec.PluginExec;
import io.ocicat.cni.exec.ProcessExec;
import io.ocicat.conformance.subject.ConformanceException;
import io.ocicat.conformance.subject.PluginUnderTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * The namespaces and directories that one run of the checks creates, and their removal: also when
 * the run is interrupted; the next run removes the namespaces of a run that was killed.
 */
public final class Scratch implements AutoCloseable {
  private static final Duration GRACE = Duration.ofMillis(500);
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  /** A plugin that hangs this often always hangs, and the rest is not worth waiting for. */
  private static final int MOST_STOPS = 3;

  private final PluginUnderTest subject;
  private final PluginExec exec = new ProcessExec(GRACE);
  private final Path directory;
  private final Path launcher;
  private final Set<Lab> open = ConcurrentHashMap.newKeySet();
  private final AtomicInteger labs = new AtomicInteger();
  private final AtomicInteger stops = new AtomicInteger();
  private final Thread owner = Thread.currentThread();
  private final Thread removal = new Thread(this::interrupted, "remove conformance labs");
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile boolean closing;

  private Scratch(PluginUnderTest subject, Path directory) throws IOException {
    this.subject = subject;
    this.directory = directory;
    // A shell reads the call's script rather than executing it: execve of a file that was written a
    // moment ago fails as "busy" while any other thread is just starting a process.
    this.launcher =
        Files.writeString(directory.resolve("launcher"), "#!/bin/sh\n. \"$OCICAT_CALL\"\n");
    Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwx------"));
    Runtime.getRuntime().addShutdownHook(removal);
  }

  public static Scratch open(PluginUnderTest subject) {
    Path parent = Path.of(System.getProperty("java.io.tmpdir"));
    try {
      ScratchNames.removeStale(parent);
      return new Scratch(subject, ScratchNames.newDirectory(parent));
    } catch (IOException e) {
      throw new ConformanceException("cannot create a scratch directory: " + e.getMessage(), e);
    }
  }

  /** A fresh lab, wired as the plugin's profile says. */
  public Lab lab(ClaimedVersions claims) {
    if (closing) {
      throw new ConformanceException("interrupted");
    }
    Lab lab = new Lab(this, claims, labs.incrementAndGet());
    open.add(lab);
    try {
      lab.prepare();
      return lab;
    } catch (RuntimeException e) {
      lab.close();
      throw e;
    }
  }

  /** Whether the plugin timed out so often that there is no point in going on. */
  public boolean hangsTooOften() {
    return stops.get() >= MOST_STOPS;
  }

  PluginUnderTest subject() {
    return subject;
  }

  PluginExec exec() {
    return exec;
  }

  Path launcher() {
    return launcher;
  }

  /** The prefix of the names of namespaces. */
  String name() {
    return directory.getFileName().toString();
  }

  Path directory() {
    return directory;
  }

  void stopped() {
    stops.incrementAndGet();
  }

  void closed(Lab lab) {
    open.remove(lab);
  }

  static void delete(Path directory) {
    if (!Files.exists(directory)) {
      return;
    }
    deleteContent(directory);
    deleteOne(directory);
  }

  static void deleteContent(Path directory) {
    try (Stream<Path> paths = Files.walk(directory)) {
      paths
          .filter(path -> !path.equals(directory))
          .sorted(Comparator.reverseOrder())
          .toList()
          .forEach(Scratch::deleteOne);
    } catch (IOException e) {
      throw new ConformanceException("cannot list " + directory + ": " + e.getMessage(), e);
    }
  }

  private static void deleteOne(Path path) {
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      throw new ConformanceException("cannot remove " + path + ": " + e.getMessage(), e);
    }
  }

  /** Ctrl-C: the user of this is asked to stop and clean up; if it does not, we do. */
  private void interrupted() {
    closing = true;
    owner.interrupt();
    boolean done = false;
    try {
      done = closed.await(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    if (!done) {
      remove();
    }
  }

  private void remove() {
    List.copyOf(open).forEach(Lab::close);
    delete(directory);
  }

  @Override
  public void close() {
    try {
      remove();
    } finally {
      closed.countDown();
    }
    try {
      Runtime.getRuntime().removeShutdownHook(removal);
    } catch (IllegalStateException _) {
      // The JVM is going down and has started the hook, which waits for us.
    }
  }
}
