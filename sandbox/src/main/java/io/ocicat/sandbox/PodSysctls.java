package io.ocicat.sandbox;

import io.ocicat.base.Quoted;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A pod's sysctls by their dotted names: those of its network namespace, and those of its IPC
 * namespace. Others would affect the host and are rejected.
 */
public record PodSysctls(Map<String, String> settings) {
  private static final Pattern NAME =
      Pattern.compile("[a-z0-9]([-_a-z0-9]*[a-z0-9])?([./][a-z0-9]([-_a-z0-9.]*[a-z0-9])?)*");
  private static final Pattern OF_IPC =
      Pattern.compile("kernel\\.(shm.*|msg.*|sem)|fs\\.mqueue\\..*");

  public static final PodSysctls NONE = new PodSysctls(Map.of());

  /** Slashes become dots, as in kubelet. */
  public PodSysctls {
    Map<String, String> dotted = new LinkedHashMap<>();
    settings.forEach((name, value) -> dotted.put(dotted(name), value));
    settings = Map.copyOf(dotted);
  }

  /** Where the first separator is a slash, dots are part of names. */
  private static String dotted(String name) {
    int slash = name.indexOf('/');
    int dot = name.indexOf('.');
    if (slash < 0 || (dot >= 0 && dot < slash)) {
      return name;
    }
    return name.replace('.', '\0').replace('/', '.').replace('\0', '/');
  }

  void check(PodConfig config, List<String> problems) {
    settings.forEach(
        (name, value) -> {
          if (!NAME.matcher(name).matches()) {
            problems.add("sysctl %s is not a valid name".formatted(Quoted.brief(name)));
          } else if (isOfNetwork(name)) {
            if (config.hostNetwork()) {
              problems.add(
                  "sysctl %s is the host's when the pod is in its network".formatted(name));
            }
          } else if (!OF_IPC.matcher(name).matches()) {
            problems.add(
                "sysctl %s is the host's: a pod has those of net., kernel.shm*, kernel.msg*, kernel.sem and fs.mqueue."
                    .formatted(name));
          } else if (config.ipc() == NamespaceMode.NODE) {
            problems.add("sysctl %s is the host's when the pod shares its IPC".formatted(name));
          }
          if (value.indexOf('\n') >= 0) {
            problems.add("the value of sysctl %s has more than one line".formatted(name));
          }
        });
  }

  private static boolean isOfNetwork(String name) {
    return name.startsWith("net.");
  }

  public Map<String, String> ofNetwork() {
    return selected(true);
  }

  public Map<String, String> ofIpc() {
    return selected(false);
  }

  private Map<String, String> selected(boolean network) {
    Map<String, String> selected = new LinkedHashMap<>();
    settings.forEach(
        (name, value) -> {
          if (isOfNetwork(name) == network) {
            selected.put(name, value);
          }
        });
    return selected;
  }
}
