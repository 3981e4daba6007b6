package io.ocicat.ipam.model;

import io.ocicat.ip.IpPrefix;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The result of an {@link AutoAssignRequest}; null for a family that was not requested.
 *
 * @param v4 may have fewer addresses than requested: check {@link AssignmentResult#isComplete}
 */
public record AutoAssignResult(@Nullable AssignmentResult v4, @Nullable AssignmentResult v6) {

  public Optional<AssignmentResult> ofV4() {
    return Optional.ofNullable(v4);
  }

  public Optional<AssignmentResult> ofV6() {
    return Optional.ofNullable(v6);
  }

  /** The results of both families. */
  public List<AssignmentResult> all() {
    return Stream.concat(ofV4().stream(), ofV6().stream()).toList();
  }

  /** The addresses of both families, each with the prefix length of its block. */
  public List<IpPrefix> addresses() {
    return all().stream().flatMap(assigned -> assigned.addresses().stream()).toList();
  }

  public boolean isComplete() {
    return all().stream().allMatch(AssignmentResult::isComplete);
  }
}
