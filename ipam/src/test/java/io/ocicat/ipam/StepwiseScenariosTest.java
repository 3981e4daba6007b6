package io.ocicat.ipam;

import org.junit.jupiter.api.Nested;

/** The scenarios in one process, without transactions, as in Kubernetes. */
class StepwiseScenariosTest {

  @Nested
  class Assigning extends AssignScenarios {
    @Override
    Engine open() {
      return new EmbeddedScenariosTest.InMemory(false);
    }
  }

  @Nested
  class Releasing extends ReleaseScenarios {
    @Override
    Engine open() {
      return new EmbeddedScenariosTest.InMemory(false);
    }
  }

  @Nested
  class Owning extends OwnershipScenarios {
    @Override
    Engine open() {
      return new EmbeddedScenariosTest.InMemory(false);
    }
  }

  @Nested
  class Moving extends MachineScenarios {
    @Override
    Engine open() {
      return new EmbeddedScenariosTest.InMemory(false);
    }
  }

  @Nested
  class Cooling extends CooldownScenarios {
    @Override
    Engine open() {
      return new EmbeddedScenariosTest.InMemory(false);
    }
  }
}
