package io.ocicat.netlink.tc;

import io.ocicat.netlink.Attributes;
import io.ocicat.netlink.MessageWriter;
import java.util.List;

/**
 * A filter that matches every packet, more cheaply than a {@link U32} filter would, on kernels that
 * have it.
 *
 * @param flow the class the packet goes to; {@link Handle#NONE} for none
 * @param actions done in order
 */
public record MatchAll(Handle flow, List<Action> actions) implements Classifier {
  static final String KIND = "matchall";
  private static final int CLASSID = 1;
  private static final int ACT = 2;

  public MatchAll {
    actions = List.copyOf(actions);
  }

  /** A filter that does this to every packet. */
  public static MatchAll of(Action... actions) {
    return new MatchAll(Handle.NONE, List.of(actions));
  }

  @Override
  public String kind() {
    return KIND;
  }

  static MatchAll read(Attributes options) {
    return new MatchAll(new Handle(options.u32(CLASSID, 0)), Actions.read(options, ACT));
  }

  void write(MessageWriter out) {
    if (!flow.equals(Handle.NONE)) {
      out.u32(CLASSID, flow.value());
    }
    Actions.write(out, ACT, actions);
  }
}
