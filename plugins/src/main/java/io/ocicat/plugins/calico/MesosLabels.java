package io.ocicat.plugins.calico;

import java.util.LinkedHashMap;
import java.util.Map;

/** Converts the labels of Mesos tasks to the characters that Calico's labels may have. */
final class MesosLabels {
  static final String NAMESPACE = "projectcalico.org/namespace";

  private MesosLabels() {}

  /** The labels for an endpoint, without the one that names its namespace. */
  static Map<String, String> sanitised(Map<String, String> labels) {
    Map<String, String> clean = new LinkedHashMap<>();
    labels.forEach(
        (key, value) -> {
          if (!key.equals(NAMESPACE)) {
            clean.put(sanitise(key), sanitise(value));
          }
        });
    return clean;
  }

  static String sanitise(String text) {
    return text.replace('/', '.')
        .replaceAll("[^-_.A-Za-z0-9]+", "-")
        .replaceAll("[-.]*\\.[-.]*", ".")
        .replaceAll("^[-.]+|[-.]+$", "");
  }
}
