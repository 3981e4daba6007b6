package io.ocicat.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How often plugins may reconcile the host, and what the daemon logs of it. */
class HostReconciliationTest {
  private final List<Boolean> looks = new ArrayList<>();
  private final List<String> troubles = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  private final HostReconciliation follower =
      new HostReconciliation(
          (thorough, note) -> {
            looks.add(thorough);
            troubles.forEach(note);
          });

  private void look(int times) {
    for (int i = 0; i < times; i++) {
      follower.update(notes::add);
    }
  }

  @Test
  void everyFifthLookIsAQuickOne() {
    look(4);
    assertThat(looks).isEmpty();
    look(6);
    assertThat(looks).containsExactly(false, false);
  }

  @Test
  void aThoroughLookWaitsForNoOther() {
    follower.updateFully(notes::add);
    assertThat(looks).containsExactly(true);
  }

  @Test
  void whatGoesWrongEveryTimeIsSaidOnce() {
    troubles.add("the datastore does not answer");
    look(15);
    follower.updateFully(notes::add);
    assertThat(notes).containsExactly("the datastore does not answer");
  }

  @Test
  void whatGoesWrongAgainAfterItWentWellIsSaidAgain() {
    troubles.add("a");
    look(5);
    troubles.clear();
    look(5);
    troubles.add("a");
    look(5);
    troubles.set(0, "b");
    look(5);
    assertThat(notes).containsExactly("a", "a", "b");
  }
}
