package io.ocicat.base.json;

import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One field, read and converted; the caller says how absence is meant. A field that is absent or
 * wrong yields the fallback or a placeholder, so that reading goes on to the next one: the values
 * count only after {@link Problems#throwIfAny()}.
 */
public final class JsonField<T> {
  private final String path;
  private final Problems problems;
  private final @Nullable T value;
  private final T placeholder;
  private final boolean wrong;

  private JsonField(
      String path, Problems problems, @Nullable T value, T placeholder, boolean wrong) {
    this.path = path;
    this.problems = problems;
    this.value = value;
    this.placeholder = placeholder;
    this.wrong = wrong;
  }

  static <T> JsonField<T> of(String path, Problems problems, T value) {
    return new JsonField<>(path, problems, value, value, false);
  }

  static <T> JsonField<T> absent(String path, Problems problems, T placeholder) {
    return new JsonField<>(path, problems, null, placeholder, false);
  }

  static <T> JsonField<T> wrong(String path, Problems problems, T placeholder, String message) {
    problems.add(path, message);
    return new JsonField<>(path, problems, null, placeholder, true);
  }

  /** The value, or {@code fallback} when the field is absent. */
  public T or(T fallback) {
    return value != null ? value : fallback;
  }

  /** The value; its absence is a problem. */
  public T required() {
    if (value == null && !wrong) {
      problems.add(path, "is missing");
    }
    return value != null ? value : placeholder;
  }

  public Optional<T> optional() {
    return Optional.ofNullable(value);
  }

  /** For record components that may be absent. */
  public @Nullable T orNull() {
    return value;
  }

  /** Demands more of the value: {@code check(s -> !s.isEmpty(), "must not be empty")}. */
  public JsonField<T> check(Predicate<T> rule, String must) {
    return value == null || rule.test(value) ? this : wrong(path, problems, placeholder, must);
  }

  /**
   * Converts the value by a function that refuses with an IllegalArgumentException, whose message
   * then follows the field's path.
   */
  public <R> JsonField<R> map(Function<T, R> conversion, R placeholder) {
    if (value == null) {
      return new JsonField<>(path, problems, null, placeholder, wrong);
    }
    try {
      return of(path, problems, conversion.apply(value));
    } catch (IllegalArgumentException e) {
      return wrong(path, problems, placeholder, String.valueOf(e.getMessage()));
    }
  }
}
