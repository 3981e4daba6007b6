package io.ocicat.plugins.calico;

import java.util.LinkedHashMap;
import java.util.Map;

/** Labels of Mesos tasks, in an alphabet that Calico's labels have. */
final class MesosLabels {
  static final String NAMESPACE = "projectcalico.org/namespace";

  private MesosLabels() {}

  /** As an endpoint gets them. The one that names its namespace is none of them. */
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
