package io.ocicat.agent.bird;

import io.ocicat.base.CrashPoints;
import io.ocicat.base.file.WholeFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;

/**
 * Brings a configuration into force: writes a draft, has it checked, renames it, has it loaded.
 * Killed in between, it leaves an accepted configuration on disk, and the next agent finds out from
 * BIRD whether that one was loaded.
 */
final class ConfigurationLoader {
  private final BirdFiles files;
  private final CrashPoints crashPoints;

  ConfigurationLoader(BirdFiles files, CrashPoints crashPoints) {
    this.files = files;
    this.crashPoints = crashPoints;
  }

  /** Makes a running BIRD work by it. */
  void load(BirdControl bird, BirdConfiguration configuration) {
    write(configuration);
    try {
      bird.command("configure check \"%s\"".formatted(files.draft()));
    } catch (BirdException.InvalidConfiguration e) {
      throw reject(e);
    }
    rename();
    // "Reconfigured", "in progress" and "queued" are all success; anything else is an exception.
    bird.command("configure \"%s\"".formatted(files.configuration()));
    crashPoints.pass("BIRD has loaded the configuration");
  }

  /** Puts it in place for a BIRD that is about to start. */
  void place(BirdProcess process, BirdConfiguration configuration) {
    write(configuration);
    try {
      process.check(files.draft());
    } catch (BirdException.InvalidConfiguration e) {
      throw reject(e);
    }
    rename();
  }

  /** Restores the file of the configuration that is in force. */
  void restore(BirdConfiguration configuration) {
    try {
      files.create();
      WholeFile.at(files.configuration())
          .draft(files.draft())
          .durable()
          .write(configuration.bytes());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + files.configuration(), e);
    }
  }

  private void write(BirdConfiguration configuration) {
    try {
      files.create();
      WholeFile.at(files.draft())
          .draft(files.draft().resolveSibling(".bird.conf.new"))
          .durable()
          .write(configuration.bytes());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + files.draft(), e);
    }
    crashPoints.pass("the draft is written");
  }

  private void rename() {
    crashPoints.pass("the draft is checked");
    try {
      Files.move(files.draft(), files.configuration(), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + files.configuration(), e);
    }
    crashPoints.pass("the configuration is in place");
  }

  /** Keeps the draft where people find it, and names it instead. */
  private BirdException.InvalidConfiguration reject(BirdException.InvalidConfiguration e) {
    try {
      Files.move(files.draft(), files.rejected(), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException _) {
      return e;
    }
    return BirdException.InvalidConfiguration.of(
        String.valueOf(e.getMessage())
            .replace(files.draft().toString(), files.rejected().toString()));
  }
}
