package io.ocicat.plugins.support;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/**
 * The undo stack of an ADD. Steps are undone in reverse when the block ends without {@link #keep};
 * failures while undoing are suppressed in the exception that started it.
 */
public final class Undo implements AutoCloseable {
  private final Deque<Runnable> steps = new ArrayDeque<>();

  /** Registers how to undo what was just created. */
  public <T> T onFailure(T made, Consumer<? super T> undo) {
    steps.push(() -> undo.accept(made));
    return made;
  }

  /**
   * The same for a step that creates no object. Register it before the step when the step may fail
   * half-way.
   */
  public void onFailure(Runnable undo) {
    steps.push(undo);
  }

  /** Ends successfully: nothing is undone. */
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
