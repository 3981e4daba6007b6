package io.ocicat.datastore;

import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.error.InvalidException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.function.BiFunction;

/**
 * The open datastores of a process: one per configuration, shared by all callers, because a
 * connection costs more than most calls. Thread-safe.
 */
public final class Datastores implements AutoCloseable {
  private final Map<DatastoreConfig, Datastore> open = new LinkedHashMap<>();
  private boolean closed;

  /**
   * Returns the datastore of that configuration, opening it if necessary. This object keeps
   * ownership: callers do not close it.
   *
   * @throws InvalidException when the configuration cannot work
   */
  public synchronized Datastore of(DatastoreConfig config) {
    if (closed) {
      throw new IllegalStateException("the datastores of this process are closed");
    }
    return open.computeIfAbsent(config, it -> opened(it, DatastoreEngine::open));
  }

  /**
   * Opens a datastore that the caller owns and closes: for a command, which does not wait for
   * servers that are not running.
   */
  public static Datastore openOwn(DatastoreConfig config) {
    return opened(config, DatastoreEngine::openForCommand);
  }

  private static Datastore opened(
      DatastoreConfig config,
      BiFunction<DatastoreEngine, DatastoreConfig, Optional<Datastore>> method) {
    for (DatastoreEngine engine :
        ServiceLoader.load(DatastoreEngine.class, DatastoreEngine.class.getClassLoader())) {
      Optional<Datastore> opened = method.apply(engine, config);
      if (opened.isPresent()) {
        return opened.get();
      }
    }
    throw new InvalidException(
        "the datastore cannot be opened: %s.jar is not on the class path"
            .formatted(module(config)));
  }

  private static String module(DatastoreConfig config) {
    return switch (config) {
      case DatastoreConfig.Embedded _ -> "ocicat-datastore";
      case DatastoreConfig.Etcd _ -> "ocicat-datastore-etcd";
      case DatastoreConfig.Kubernetes _ -> "ocicat-datastore-kubernetes";
    };
  }

  /** Returns why open datastores cannot be written now, one line for each that cannot. */
  public List<String> writeProblems() {
    List<Datastore> all;
    synchronized (this) {
      all = List.copyOf(open.values());
    }
    return all.stream().flatMap(datastore -> datastore.writeProblem().stream()).toList();
  }

  @Override
  public synchronized void close() {
    closed = true;
    open.values().forEach(Datastore::close);
    open.clear();
  }
}
