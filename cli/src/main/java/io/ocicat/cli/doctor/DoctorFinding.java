package io.ocicat.cli.doctor;

import io.ocicat.base.json.Json;
import java.util.Locale;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * A problem that a check found.
 *
 * @param what is wrong
 * @param why that matters
 * @param action what to do about it
 * @param fix does it, where it is ours and certain to do no harm
 */
record DoctorFinding(
    Severity severity, String what, String why, String action, Optional<Runnable> fix) {
  enum Severity {
    /** Containers do not get a network, or lose it. */
    PROBLEM,
    /** They may lose it. */
    WARNING,
    /** Worth knowing. */
    NOTE;

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  static DoctorFinding problem(String what, String why, String action) {
    return new DoctorFinding(Severity.PROBLEM, what, why, action, Optional.empty());
  }

  static DoctorFinding warning(String what, String why, String action) {
    return new DoctorFinding(Severity.WARNING, what, why, action, Optional.empty());
  }

  static DoctorFinding note(String what, String why, String action) {
    return new DoctorFinding(Severity.NOTE, what, why, action, Optional.empty());
  }

  DoctorFinding fixedBy(Runnable work) {
    return new DoctorFinding(severity, what, why, action, Optional.of(work));
  }

  ObjectNode toJson(String check) {
    ObjectNode json = Json.object();
    json.put("check", check);
    json.put("severity", severity.label());
    json.put("what", what);
    json.put("why", why);
    json.put("action", action);
    json.put("fixable", fix.isPresent());
    return json;
  }
}
