package io.ocicat.datastore.etcd;

import io.ocicat.datastore.contract.NodeCidrsContract;
import io.ocicat.datastore.kv.KeyValueStore;
import org.junit.jupiter.api.extension.RegisterExtension;

class EtcdNodeCidrsTest extends NodeCidrsContract {
  @RegisterExtension final EtcdServer etcd = new EtcdServer();

  @Override
  protected void prepare() {}

  @Override
  protected KeyValueStore open() {
    return etcd.open();
  }

  @Override
  protected void restart() {
    etcd.restart();
  }

  @Override
  protected void compact(long revision) {
    etcd.compact(revision);
  }
}
