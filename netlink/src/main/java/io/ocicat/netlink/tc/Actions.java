package io.ocicat.netlink.tc;

import io.ocicat.netlink.Attributes;
import io.ocicat.netlink.MessageWriter;
import java.util.List;
import java.util.Optional;

/**
 * The list of a filter's actions on the wire, numbered from 1 in order (linux/pkt_cls.h,
 * TCA_ACT_*).
 */
final class Actions {
  private static final int KIND = 1;
  private static final int OPTIONS = 2;

  private Actions() {}

  static List<Action> read(Attributes options, int type) {
    return options.elements(type).stream().map(Actions::read).toList();
  }

  private static Action read(Attributes action) {
    String kind = action.text(KIND, "");
    Optional<Mirred> known =
        kind.equals(Mirred.KIND) ? Mirred.read(action.nested(OPTIONS)) : Optional.empty();
    return known.isPresent() ? known.get() : new Action.Other(kind);
  }

  static void write(MessageWriter out, int type, List<Action> actions) {
    if (!actions.isEmpty()) {
      out.nest(type, () -> write(out, actions));
    }
  }

  private static void write(MessageWriter out, List<Action> actions) {
    for (int i = 0; i < actions.size(); i++) {
      Action action = actions.get(i);
      out.nest(i + 1, () -> write(out, action));
    }
  }

  private static void write(MessageWriter out, Action action) {
    switch (action) {
      case Mirred mirred -> out.text(KIND, Mirred.KIND).nest(OPTIONS, () -> mirred.write(out));
      case Action.Other other ->
          throw new IllegalArgumentException(
              "a filter action \"" + other.kind() + "\" can be read but not written");
    }
  }
}
