package io.ocicat.ipamserver;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a request is answered with.
 *
 * @param body null for none
 */
record Answer(int status, @Nullable ObjectNode body) {
  static Answer of(Refusal refusal) {
    return new Answer(refusal.status(), refusal.toJson());
  }
}
