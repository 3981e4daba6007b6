package io.ocicat.ipam;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.kubernetes.TestCluster;
import io.ocicat.datastore.model.ApiGroup;
import java.util.Map;
import org.junit.jupiter.api.Nested;

/** The scenarios on the Kubernetes API, which has no transactions. */
class KubernetesScenariosTest {

  private static final class OneTest implements Engine {
    private final TestCluster cluster = new TestCluster(ApiGroup.V1);
    private final Datastore datastore = cluster.open();

    @Override
    public Datastore datastore() {
      return datastore;
    }

    @Override
    public void node(String name, Map<String, String> labels) {
      cluster.node(name, labels);
    }

    @Override
    public void close() {
      datastore.close();
      cluster.close();
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
