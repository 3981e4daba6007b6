package io.ocicat.sandbox.container;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Distributes events to whoever subscribed. Publishing never waits: a subscriber that does not keep
 * up is ended, because its view has a gap anyway. Thread-safe.
 */
public final class ContainerEvents {
  private static final int MOST_PENDING = 1024;

  private final List<Subscription> subscriptions = new CopyOnWriteArrayList<>();

  public void publish(ContainerEvent event) {
    for (Subscription each : subscriptions) {
      each.offer(event);
    }
  }

  public Subscription subscribe() {
    Subscription subscription = new Subscription();
    subscriptions.add(subscription);
    return subscription;
  }

  /** One subscriber's events, in their order. */
  public final class Subscription implements AutoCloseable {
    private final BlockingQueue<Optional<ContainerEvent>> pending = new LinkedBlockingQueue<>();

    private Subscription() {}

    private void offer(ContainerEvent event) {
      if (pending.size() < MOST_PENDING) {
        pending.add(Optional.of(event));
      } else {
        close();
      }
    }

    /** Waits for the next event; empty once the subscription has ended. */
    public Optional<ContainerEvent> next() throws InterruptedException {
      Optional<ContainerEvent> event = pending.take();
      if (event.isEmpty()) {
        pending.add(event);
      }
      return event;
    }

    @Override
    public void close() {
      if (subscriptions.remove(this)) {
        pending.add(Optional.empty());
      }
    }
  }
}
