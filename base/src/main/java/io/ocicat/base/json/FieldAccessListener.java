package io.ocicat.base.json;

import java.util.function.Consumer;

/**
 * Tells which members of a configuration are asked for, whatever they hold: how the tables of the
 * documentation are held against the code that reads.
 */
public final class FieldAccessListener {
  private static final ScopedValue<Consumer<String>> WITNESS = ScopedValue.newInstance();

  private FieldAccessListener() {}

  /** Runs something, and is told of each path that is asked for meanwhile by this thread. */
  public static void during(Consumer<String> witness, Runnable reading) {
    ScopedValue.where(WITNESS, witness).run(reading);
  }

  /** Somebody asks for what is at that path. */
  public static void accessed(String path) {
    if (WITNESS.isBound()) {
      WITNESS.get().accept(path);
    }
  }
}
