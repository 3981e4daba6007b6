package io.ocicat.datastore.etcd;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.DatastoreEngine;
import io.ocicat.datastore.config.DatastoreConfig;
import java.util.Optional;

/** The datastore engine for etcd 3.4 or newer. */
public final class EtcdEngine implements DatastoreEngine {
  @Override
  public Optional<Datastore> open(DatastoreConfig config) {
    return config instanceof DatastoreConfig.Etcd etcd
        ? Optional.of(EtcdStore.openDatastore(etcd, EtcdSettings.standard()))
        : Optional.empty();
  }

  @Override
  public Optional<Datastore> openForCommand(DatastoreConfig config) {
    return config instanceof DatastoreConfig.Etcd etcd
        ? Optional.of(EtcdStore.openDatastore(etcd, EtcdSettings.standard().forCommands()))
        : Optional.empty();
  }
}
