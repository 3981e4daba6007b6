package io.ocicat.cli.doctor;

import java.util.List;

/** One check of {@code ocicat doctor}; changes nothing. */
interface DoctorCheck {
  String name();

  /** Everything that is wrong, all at once. */
  List<DoctorFinding> run();
}
