package io.ocicat.cli.net;

import io.ocicat.cli.options.CniOptions;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.daemon.call.CallRunner;
import io.ocicat.daemon.call.PluginExecutables;
import io.ocicat.daemon.call.UndoOutcome;
import io.ocicat.daemon.liveness.CniFolders;
import io.ocicat.daemon.liveness.NodeInterfaces;
import io.ocicat.daemon.state.DaemonState;
import io.ocicat.daemon.state.RecordFolder;
import io.ocicat.daemon.state.RecordFolder.Kept;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A network without a configuration file, because it was renamed or removed. Its remains are known
 * from records alone, each with the configuration that its DEL needs (review C2).
 */
record RemovedNetwork(String name, DaemonState state, PluginExecutables ours, CallRunner runner)
    implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(5);

  static RemovedNetwork of(String name, NetSettings settings, CniOptions options) {
    DaemonState state = settings.state();
    CniFolders folders =
        new CniFolders(options.cacheDirectory(), options.confDirectory(settings::variable));
    PluginExecutables ours = PluginExecutables.fromDistribution();
    return new RemovedNetwork(
        name,
        state,
        ours,
        new CallRunner(state, ours, state::daemonRuns, folders, Clock.systemUTC()));
  }

  /**
   * Undoes what is not in use.
   *
   * @return how many records of the network there were
   */
  int collect() {
    int found = 0;
    NodeInterfaces interfaces = new NodeInterfaces();
    for (RecordFolder folder : List.of(state.journal(), state.spool(), state.attachments())) {
      for (Kept kept : folder.list()) {
        if (kept.record().network().equals(name)) {
          found++;
          undo(folder, kept, interfaces);
        }
      }
    }
    return found;
  }

  private void undo(RecordFolder folder, Kept kept, NodeInterfaces interfaces) {
    UndoOutcome undoing =
        runner.undo(
            folder,
            kept,
            runner.reasonFor(folder, kept.record()),
            TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis()),
            interfaces,
            LIMIT);
    if (undoing instanceof UndoOutcome.Failed(String why)) {
      throw new CniException(
          ErrorCode.TRY_AGAIN_LATER,
          "DEL of %s failed: %s"
              .formatted(kept.record().key().map(Object::toString).orElse(kept.name()), why));
    }
  }

  @Override
  public void close() {
    ours.close();
  }
}
