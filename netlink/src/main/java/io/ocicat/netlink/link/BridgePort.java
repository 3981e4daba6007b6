package io.ocicat.netlink.link;

import io.ocicat.netlink.Attributes;
import io.ocicat.netlink.MessageWriter;
import java.util.Map;

/**
 * The options of a bridge port. Read from the kernel it has every option; built for a change it has
 * those to be changed:
 *
 * <pre>{@code
 * BridgePort.with(HAIRPIN, true).and(ISOLATED, true)
 * }</pre>
 */
public record BridgePort(Map<BridgePortOption, Boolean> options) {
  static final String KIND = "bridge";

  public BridgePort {
    options = Map.copyOf(options);
  }

  public static BridgePort with(BridgePortOption option, boolean on) {
    return new BridgePort(Map.of(option, on));
  }

  public BridgePort and(BridgePortOption option, boolean on) {
    return new BridgePort(Toggle.with(options, option, on));
  }

  /** Whether the option is on. */
  public boolean is(BridgePortOption option) {
    return options.getOrDefault(option, false);
  }

  static BridgePort read(Attributes data) {
    return new BridgePort(Toggle.read(data, BridgePortOption.class));
  }

  void write(MessageWriter out) {
    out.bytes(Rtnl.INFO_SLAVE_KIND, LinkInfo.ascii(KIND));
    out.nest(Rtnl.INFO_SLAVE_DATA, () -> Toggle.write(out, options));
  }

  @Override
  public String toString() {
    return Toggle.words(options);
  }
}
