package io.ocicat.plugins.net;

import io.ocicat.base.json.JsonFields;
import io.ocicat.cni.Dns;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the member {@code dns} of a network's own configuration. */
public final class NetworkDns {
  private NetworkDns() {}

  /** What replaces the IPAM plugin's DNS settings, or null. An empty list replaces as well. */
  public static @Nullable Dns read(JsonFields plugin) {
    JsonFields in = plugin.object("dns");
    boolean lists = List.of("nameservers", "search", "options").stream().anyMatch(in::has);
    Dns dns = Dns.read(in);
    return lists || !dns.domain().isEmpty() ? dns : null;
  }
}
