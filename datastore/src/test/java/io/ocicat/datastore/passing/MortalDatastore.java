package io.ocicat.datastore.passing;

import io.ocicat.datastore.Datastore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Simulates a process that is killed at one of its writes. */
public final class MortalDatastore extends PassingDatastore {
  private final AtomicInteger left;
  private final boolean before;

  /**
   * Wraps a datastore.
   *
   * @param write the first is 0; a negative one never comes
   * @param before whether it is killed before the write rather than after it
   */
  public MortalDatastore(Datastore behind, int write, boolean before) {
    super(behind);
    this.left = new AtomicInteger(write);
    this.before = before;
  }

  /** The death of the process. */
  public static final class Killed extends Error {
    private static final long serialVersionUID = 1L;

    Killed() {
      super("killed", null, false, false);
    }
  }

  @Override
  protected <T> T writing(Supplier<T> write) {
    boolean dies = left.getAndDecrement() == 0;
    if (dies && before) {
      throw new Killed();
    }
    T result = write.get();
    if (dies) {
      throw new Killed();
    }
    return result;
  }
}
