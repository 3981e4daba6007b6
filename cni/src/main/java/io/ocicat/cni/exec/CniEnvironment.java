package io.ocicat.cni.exec;

import java.util.HashMap;
import java.util.Map;

/**
 * The six environment variables of the CNI protocol. Unused ones are set to an empty string: a
 * variable inherited from this process's parent must never reach a plugin.
 *
 * @param args what {@link io.ocicat.cni.CniArgs#toString} writes
 * @param path what {@link PluginPath#toString} writes
 */
public record CniEnvironment(
    Verb verb, String containerId, String netns, String ifName, String args, String path) {
  public static final String COMMAND = "CNI_COMMAND";
  public static final String CONTAINER_ID = "CNI_CONTAINERID";
  public static final String NETNS = "CNI_NETNS";
  public static final String IFNAME = "CNI_IFNAME";
  public static final String ARGS = "CNI_ARGS";
  public static final String PATH = "CNI_PATH";

  /** 1 or true: the container's namespace may be the plugin's own. */
  public static final String NETNS_OVERRIDE = "CNI_NETNS_OVERRIDE";

  /** For GC and STATUS, which concern no container. */
  public static CniEnvironment of(Verb verb, String path) {
    return new CniEnvironment(verb, "", "", "", "", path);
  }

  /** For VERSION; plugins older than 0.3.0 require values that they never use. */
  static CniEnvironment forVersion() {
    return new CniEnvironment(Verb.VERSION, "", "dummy", "dummy", "", "dummy");
  }

  /** The whole environment of a plugin: the inherited one, overridden by these variables. */
  public Map<String, String> over(Map<String, String> inherited) {
    Map<String, String> environment = new HashMap<>(inherited);
    environment.put(COMMAND, verb.name());
    environment.put(CONTAINER_ID, containerId);
    environment.put(NETNS, netns);
    environment.put(IFNAME, ifName);
    environment.put(ARGS, args);
    environment.put(PATH, path);
    return Map.copyOf(environment);
  }

  /** The environment for a delegate: all of the caller's except the verb. */
  public static Map<String, String> delegated(Map<String, String> own, Verb verb) {
    Map<String, String> environment = new HashMap<>(own);
    environment.put(COMMAND, verb.name());
    return Map.copyOf(environment);
  }
}
