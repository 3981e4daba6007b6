package io.ocicat.agent.bird;

import io.ocicat.agent.kernel.RepairLog;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The configuration that BIRD works by: brings a wanted one into force, keeps the last good one
 * when BIRD does not accept it, and keeps the file as BIRD has loaded it.
 */
final class ConfigurationInForce {
  private final BirdFiles files;
  private final ConfigurationLoader loader;
  private final BirdFailures failures;
  private final RepairLog log;
  private @Nullable BirdConfiguration accepted;
  private @Nullable BirdConfiguration rejected;
  private @Nullable FileIdentity file;
  private long reloads;

  ConfigurationInForce(
      BirdFiles files, ConfigurationLoader loader, BirdFailures failures, RepairLog log) {
    this.files = files;
    this.loader = loader;
    this.failures = failures;
    this.log = log;
  }

  /** How often BIRD was given another configuration. */
  long reloads() {
    return reloads;
  }

  /** The port that BIRD should listen at. */
  int port() {
    BirdConfiguration last = accepted;
    return last == null ? BirdConfiguration.BGP_PORT : last.port();
  }

  void forget() {
    accepted = null;
    rejected = null;
    file = null;
  }

  /**
   * Puts a configuration on disk that BIRD accepts, for a start: the wanted one, else the last good
   * one.
   *
   * @throws BirdException.InvalidConfiguration when there is none
   */
  void place(BirdProcess process, BirdConfiguration wanted) {
    Optional<BirdConfiguration> onDisk = BirdConfiguration.read(files.configuration());
    if (onDisk.equals(Optional.of(wanted))) {
      accept(wanted, wanted);
      return;
    }
    if (!wanted.equals(rejected)) {
      try {
        loader.place(process, wanted);
        accept(wanted, wanted);
        return;
      } catch (BirdException.InvalidConfiguration e) {
        reject(wanted, e);
      }
    }
    BirdConfiguration last = onDisk.orElse(accepted);
    if (last == null) {
      throw BirdException.InvalidConfiguration.of("no configuration was ever accepted");
    }
    accept(last, wanted);
    if (onDisk.isEmpty()) {
      loader.restore(last);
    }
  }

  /**
   * Has a running BIRD load what it should have.
   *
   * @param loaded the digest of what it works by now; empty for what is not ours
   */
  void follow(BirdControl bird, String loaded, BirdConfiguration wanted) {
    if (accepted == null) {
      accepted =
          BirdConfiguration.read(files.configuration())
              .filter(onDisk -> onDisk.digest().equals(loaded))
              .orElse(null);
    }
    BirdConfiguration last = accepted;
    BirdConfiguration target = wanted.equals(rejected) ? last : wanted;
    if (target == null) {
      return;
    }
    if (target.digest().equals(loaded)) {
      accept(target, wanted);
      repair(target);
      return;
    }
    if (last != null && !last.digest().equals(loaded)) {
      log.write("BIRD has loaded a configuration that is not the agent's: it gets ours again");
    }
    try {
      loader.load(bird, target);
      reloads++;
      accept(target, wanted);
    } catch (BirdException.InvalidConfiguration e) {
      reject(target, e);
    }
  }

  private void accept(BirdConfiguration configuration, BirdConfiguration wanted) {
    if (!configuration.equals(accepted)) {
      file = null;
    }
    accepted = configuration;
    if (configuration.equals(wanted)) {
      rejected = null;
      failures.clear(BirdFailures.Topic.CONFIGURATION);
    }
  }

  private void reject(BirdConfiguration configuration, BirdException.InvalidConfiguration e) {
    rejected = configuration;
    failures.set(
        BirdFailures.Topic.CONFIGURATION,
        "BIRD does not accept the new configuration, the last good one stays in force: "
            + e.getMessage());
  }

  private void repair(BirdConfiguration inForce) {
    Optional<FileIdentity> now = FileIdentity.of(files.configuration());
    if (now.isPresent() && now.equals(Optional.ofNullable(file))) {
      return;
    }
    if (!BirdConfiguration.read(files.configuration()).equals(Optional.of(inForce))) {
      log.write(
          "somebody has %s %s: it is written again"
              .formatted(now.isPresent() ? "changed" : "removed", files.configuration()));
      loader.restore(inForce);
      // Somebody may change it at this moment, so the next pass reads it before it is trusted.
      now = Optional.empty();
    }
    file = now.orElse(null);
  }
}
