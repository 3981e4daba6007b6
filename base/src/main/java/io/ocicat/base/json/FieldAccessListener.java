package io.ocicat.base.json;

import java.util.function.Consumer;

/**
 * Is notified which members of a configuration are read, whatever they contain. Tests use it to
 * compare the tables of the documentation with the code.
 */
public final class FieldAccessListener {
  private static final ScopedValue<Consumer<String>> WITNESS = ScopedValue.newInstance();

  private FieldAccessListener() {}

  /** Runs something, and is notified of each path that this thread reads meanwhile. */
  public static void during(Consumer<String> witness, Runnable reading) {
    ScopedValue.where(WITNESS, witness).run(reading);
  }

  /** The value at that path is being read. */
  public static void accessed(String path) {
    if (WITNESS.isBound()) {
      WITNESS.get().accept(path);
    }
  }
}
