package io.ocicat.datastore.etcd;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.contract.DatastoreCommitContract;
import org.junit.jupiter.api.extension.RegisterExtension;

class EtcdCommitContractTest extends DatastoreCommitContract {
  @RegisterExtension final EtcdServer etcd = new EtcdServer();

  @Override
  protected void prepare() {}

  @Override
  protected Datastore open() {
    return EtcdStore.openDatastore(EtcdServer.config(etcd.url()));
  }

  @Override
  protected void restart() {
    etcd.restart();
  }
}
