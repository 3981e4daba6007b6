package io.ocicat.conformance.check;

import io.ocicat.conformance.lab.Lab;

/** The code of a check: calls the plugin in a fresh lab, and compares. */
@FunctionalInterface
interface Trial {
  /**
   * Runs the check.
   *
   * @throws io.ocicat.conformance.lab.Mismatch when the plugin fails it
   */
  void run(Lab lab);
}
