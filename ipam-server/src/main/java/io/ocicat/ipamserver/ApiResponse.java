package io.ocicat.ipamserver;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * A response to a request.
 *
 * @param body null for none
 */
record ApiResponse(int status, @Nullable ObjectNode body) {
  static ApiResponse of(ApiError refusal) {
    return new ApiResponse(refusal.status(), refusal.toJson());
  }
}
