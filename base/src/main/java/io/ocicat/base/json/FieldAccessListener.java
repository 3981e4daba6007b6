package io.ocicat.base.json;

import java.util.function.Consumer;

/**
 * Reports which members of a configuration are read, whatever they hold: validation finds misspelt
 * members this way, and a test compares the documentation's tables with the code.
 */
public final class FieldAccessListener {
  private static final ScopedValue<Consumer<String>> WITNESS = ScopedValue.newInstance();

  private FieldAccessListener() {}

  /** Runs {@code reading} and reports each path that this thread reads meanwhile. */
  public static void during(Consumer<String> witness, Runnable reading) {
    ScopedValue.where(WITNESS, witness).run(reading);
  }

  /** Reports that the member at {@code path} is read. */
  public static void accessed(String path) {
    if (WITNESS.isBound()) {
      WITNESS.get().accept(path);
    }
  }
}
