package io.ocicat.agent.view;

import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceEvent;
import io.ocicat.datastore.resource.ResourcePage;
import java.util.List;

/** What a {@link ResourceFollower} learns of one kind of resources. */
public sealed interface ViewEvent {
  Kind kind();

  /** All resources of the kind: whatever is not among them no longer exists. */
  record Listed(Kind kind, List<Resource> resources, List<ResourcePage.Unreadable> unreadable)
      implements ViewEvent {
    public Listed {
      resources = List.copyOf(resources);
      unreadable = List.copyOf(unreadable);
    }
  }

  /** Changes since, in order. */
  record Changed(Kind kind, List<ResourceEvent> events) implements ViewEvent {
    public Changed {
      events = List.copyOf(events);
    }
  }

  /** The datastore cannot be reached; what is known stays in force. */
  record Unreachable(Kind kind, String why) implements ViewEvent {}

  /** The datastore can be reached again. */
  record Reachable(Kind kind) implements ViewEvent {}
}
