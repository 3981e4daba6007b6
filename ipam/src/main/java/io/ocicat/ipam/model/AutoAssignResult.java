package io.ocicat.ipam.model;

import io.ocicat.ip.IpPrefix;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The answer to an {@link AutoAssignRequest}; null for a family that was not asked for.
 *
 * @param v4 may be fewer than wanted: look at {@link AssignmentResult#isComplete}
 */
public record AutoAssignResult(@Nullable AssignmentResult v4, @Nullable AssignmentResult v6) {

  public Optional<AssignmentResult> ofV4() {
    return Optional.ofNullable(v4);
  }

  public Optional<AssignmentResult> ofV6() {
    return Optional.ofNullable(v6);
  }

  /** Of both families. */
  public List<AssignmentResult> all() {
    return Stream.concat(ofV4().stream(), ofV6().stream()).toList();
  }

  /** Of both families, each with the length of its block. */
  public List<IpPrefix> addresses() {
    return all().stream().flatMap(assigned -> assigned.addresses().stream()).toList();
  }

  public boolean isComplete() {
    return all().stream().allMatch(AssignmentResult::isComplete);
  }
}
