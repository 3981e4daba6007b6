package io.ocicat.plugins.support;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/**
 * What a half-done ADD must take back. Steps are undone in reverse when the block ends without
 * {@link #keep}; what fails while undoing is suppressed in the exception that started it.
 */
public final class Undo implements AutoCloseable {
  private final Deque<Runnable> steps = new ArrayDeque<>();

  /** Remembers how to take back what was just made. */
  public <T> T onFailure(T made, Consumer<? super T> undo) {
    steps.push(() -> undo.accept(made));
    return made;
  }

  /**
   * The same for a step that makes no object. Register it before the step when the step may do half
   * its work.
   */
  public void onFailure(Runnable undo) {
    steps.push(undo);
  }

  /** All went well: nothing is taken back. */
  public <T> T keep(T result) {
    steps.clear();
    return result;
  }

  @Override
  public void close() {
    RuntimeException first = null;
    while (!steps.isEmpty()) {
      try {
        steps.pop().run();
      } catch (RuntimeException e) {
        if (first == null) {
          first = e;
        } else {
          first.addSuppressed(e);
        }
      }
    }
    if (first != null) {
      throw first;
    }
  }
}
