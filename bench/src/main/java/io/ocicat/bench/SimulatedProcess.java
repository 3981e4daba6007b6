package io.ocicat.bench;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.passing.MortalDatastore;
import io.ocicat.datastore.passing.PassingDatastore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/** The datastore as one simulated process sees it: its calls are counted, and it may be killed. */
final class SimulatedProcess extends PassingDatastore {
  private final AtomicLong calls;

  private SimulatedProcess(Datastore behind, AtomicLong calls) {
    super(behind);
    this.calls = calls;
  }

  static Datastore living(Datastore datastore, AtomicLong calls) {
    return new SimulatedProcess(datastore, calls);
  }

  /** A process that dies before or after one of its first writes. */
  static Datastore mortal(Datastore datastore, AtomicLong calls) {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    return living(new MortalDatastore(datastore, random.nextInt(7), random.nextBoolean()), calls);
  }

  @Override
  protected void reading() {
    calls.incrementAndGet();
  }

  @Override
  protected <T> T writing(Supplier<T> write) {
    calls.incrementAndGet();
    return super.writing(write);
  }
}
