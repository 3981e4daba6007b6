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
 * The datastores that a process has open: one for each configuration, shared by everybody who asks,
 * because a connection costs more than most calls. Thread-safe.
 */
public final class Datastores implements AutoCloseable {
  private final Map<DatastoreConfig, Datastore> open = new LinkedHashMap<>();
  private boolean closed;

  /**
   * The datastore of that configuration, opened if need be. It stays this object's: nobody else
   * closes it.
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
   * Opens one that is the caller's alone, and the caller's to close: a command's, which does not
   * wait for servers that nobody has started.
   */
  public static Datastore openOwn(DatastoreConfig config) {
    return opened(config, DatastoreEngine::openForCommand);
  }

  private static Datastore opened(
      DatastoreConfig config,
      BiFunction<DatastoreEngine, DatastoreConfig, Optional<Datastore>> way) {
    for (DatastoreEngine engine :
        ServiceLoader.load(DatastoreEngine.class, DatastoreEngine.class.getClassLoader())) {
      Optional<Datastore> opened = way.apply(engine, config);
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

  /** Why what the open ones hold cannot be written now; one line for each that has trouble. */
  public List<String> troubles() {
    List<Datastore> all;
    synchronized (this) {
      all = List.copyOf(open.values());
    }
    return all.stream().flatMap(datastore -> datastore.trouble().stream()).toList();
  }

  @Override
  public synchronized void close() {
    closed = true;
    open.values().forEach(Datastore::close);
    open.clear();
  }
}
