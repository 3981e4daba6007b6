package io.ocicat.ipam;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.etcd.TestEtcd;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/** The scenarios on Debian's etcd. */
class EtcdScenariosTest {
  private static @Nullable TestEtcd etcd;

  @BeforeAll
  static void start() {
    etcd = new TestEtcd();
  }

  @AfterAll
  static void stop() {
    Objects.requireNonNull(etcd).close();
  }

  /** One etcd serves all tests, emptied before each. */
  private static final class OneTest implements Engine {
    private final Datastore datastore;

    OneTest() {
      TestEtcd started = Objects.requireNonNull(etcd);
      started.clear();
      datastore = started.open();
    }

    @Override
    public Datastore datastore() {
      return datastore;
    }

    @Override
    public void close() {
      datastore.close();
    }
  }

  @Nested
  class Assigning extends AssignScenarios {
    @Override
    Engine open() {
      return new OneTest();
    }
  }

  @Nested
  class Releasing extends ReleaseScenarios {
    @Override
    Engine open() {
      return new OneTest();
    }
  }

  @Nested
  class Owning extends OwnershipScenarios {
    @Override
    Engine open() {
      return new OneTest();
    }
  }

  @Nested
  class Moving extends MachineScenarios {
    @Override
    Engine open() {
      return new OneTest();
    }
  }

  @Nested
  class Cooling extends CooldownScenarios {
    @Override
    Engine open() {
      return new OneTest();
    }
  }
}
