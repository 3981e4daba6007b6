package io.ocicat.conformance.subject;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniJson;
import java.util.Map;
import java.util.regex.Pattern;
import tools.jackson.databind.node.ObjectNode;

/**
 * A plugin's properties that the checks depend on.
 *
 * @param network the name of the network it is called for
 * @param ifName the name of the container's interface
 * @param config its configuration; <code>${data}</code> in it stands for an empty directory and the
 *     text <code>${port}</code> for a number that no other container has. Name and version are
 *     added, and a prevResult where the kind needs one.
 * @param keepsResult whether a chained plugin hands the previous result on as it is
 * @param setsIpamRoutes whether an interface plugin sets the routes that its IPAM plugin answers
 *     with
 * @param files files that must exist in that directory, by name
 */
public record Profile(
    String name,
    PluginKind kind,
    String network,
    String ifName,
    ObjectNode config,
    Wiring wiring,
    Damage loss,
    boolean keepsResult,
    boolean setsIpamRoutes,
    Map<String, String> files) {
  private static final Pattern NETWORK = Pattern.compile("[a-zA-Z0-9][a-zA-Z0-9_.-]*");
  private static final String DATA = "${data}";
  private static final String PORT = "\"${port}\"";

  public Profile {
    files = Map.copyOf(files);
  }

  /** For an unknown plugin: all that its kind says. */
  static Profile of(String name, PluginKind kind, ObjectNode config) {
    return switch (kind) {
      case INTERFACE -> plain(name, kind, "eth0", config, Wiring.UPLINK, Damage.INTERFACE);
      case LOOPBACK -> plain(name, kind, "lo", config, Wiring.NONE, Damage.LINK_DOWN);
      case IPAM -> plain(name, kind, "eth0", config, Wiring.NONE, Damage.DATA);
      case CHAINED -> plain(name, kind, "eth0", config, Wiring.VETH, Damage.EVERYTHING);
    };
  }

  private static Profile plain(
      String name, PluginKind kind, String ifName, ObjectNode config, Wiring wiring, Damage loss) {
    return new Profile(
        name, kind, "conformance", ifName, config, wiring, loss, false, true, Map.of());
  }

  Profile wiring(Wiring other) {
    return new Profile(
        name, kind, network, ifName, config, other, loss, keepsResult, setsIpamRoutes, files);
  }

  Profile loss(Damage other) {
    return new Profile(
        name, kind, network, ifName, config, wiring, other, keepsResult, setsIpamRoutes, files);
  }

  Profile file(String file, String content) {
    return new Profile(
        name,
        kind,
        network,
        ifName,
        config,
        wiring,
        loss,
        keepsResult,
        setsIpamRoutes,
        Map.of(file, content));
  }

  /** The same for a chained plugin that must hand the previous result on as it is. */
  public Profile keepingResult() {
    return new Profile(
        name, kind, network, ifName, config, wiring, loss, true, setsIpamRoutes, files);
  }

  /** The same for an interface plugin that has routes of its own instead of its IPAM plugin's. */
  Profile withOwnRoutes() {
    return new Profile(
        name, kind, network, ifName, config, wiring, loss, keepsResult, false, files);
  }

  /**
   * The same plugin with a configuration of the user's; the configuration's name is kept when it is
   * valid.
   */
  Profile config(ObjectNode other) {
    String wanted = other.path("name").asString("");
    String name = NETWORK.matcher(wanted).matches() ? wanted : network;
    boolean needsAnother = needsService() && !server(other).equals(server(config));
    Damage loss = needsAnother ? Damage.DATA : this.loss;
    return new Profile(
        this.name, kind, name, ifName, other, wiring, loss, keepsResult, setsIpamRoutes, files);
  }

  /**
   * Whether the plugin needs a server on its host, which the caller of the checks has to provide.
   */
  public boolean needsService() {
    return loss == Damage.SERVICE;
  }

  private static String server(ObjectNode config) {
    return config.at("/ipam/serverURL").asString("");
  }

  /** The configuration with a directory and a port in place of their placeholders. */
  public ObjectNode configIn(String data, int port) {
    String quoted = Json.compact(Json.object().stringNode(data));
    String text =
        Json.compact(config)
            .replace(DATA, quoted.substring(1, quoted.length() - 1))
            .replace(PORT, Integer.toString(port));
    return (ObjectNode) CniJson.parse(text);
  }
}
