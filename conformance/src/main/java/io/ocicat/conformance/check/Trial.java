package io.ocicat.conformance.check;

import io.ocicat.conformance.lab.Lab;

/** What a check does: calls the plugin in a fresh lab, and compares. */
@FunctionalInterface
interface Trial {
  /**
   * Tries the plugin.
   *
   * @throws io.ocicat.conformance.lab.Mismatch when the plugin fails it
   */
  void run(Lab lab);
}
