package io.ocicat.agent.policy.model;

import java.util.Optional;
import java.util.function.Function;

/**
 * What was read from a resource, and in one line what is wrong with it. A value is there in any
 * case: what could not be read has been replaced by something that fails closed.
 */
public record ReadResource<T>(T value, Optional<String> problem) {
  public <U> ReadResource<U> map(Function<T, U> change) {
    return new ReadResource<>(change.apply(value), problem);
  }
}
