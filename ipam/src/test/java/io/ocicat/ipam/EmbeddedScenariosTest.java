package io.ocicat.ipam;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.kv.KeyValueDatastore;
import io.ocicat.datastore.passing.PassingDatastore;
import org.junit.jupiter.api.Nested;

/** The scenarios in one process, with transactions. */
class EmbeddedScenariosTest {

  static final class InMemory implements Engine {
    private final Datastore datastore;

    InMemory(boolean together) {
      Datastore memory = new KeyValueDatastore(new MemoryStore());
      this.datastore = together ? memory : PassingDatastore.withoutTransactions(memory);
    }

    @Override
    public Datastore datastore() {
      return datastore;
    }

    @Override
    public void close() {}
  }

  @Nested
  class Assigning extends AssignScenarios {
    @Override
    Engine open() {
      return new InMemory(true);
    }
  }

  @Nested
  class Releasing extends ReleaseScenarios {
    @Override
    Engine open() {
      return new InMemory(true);
    }
  }

  @Nested
  class Owning extends OwnershipScenarios {
    @Override
    Engine open() {
      return new InMemory(true);
    }
  }

  @Nested
  class Moving extends MachineScenarios {
    @Override
    Engine open() {
      return new InMemory(true);
    }
  }

  @Nested
  class Cooling extends CooldownScenarios {
    @Override
    Engine open() {
      return new InMemory(true);
    }
  }
}
