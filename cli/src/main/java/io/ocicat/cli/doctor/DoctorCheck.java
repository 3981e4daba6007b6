package io.ocicat.cli.doctor;

import java.util.List;

/** Looks at one thing and changes nothing. */
interface DoctorCheck {
  String name();

  /** Everything that is wrong, all at once. */
  List<DoctorFinding> look();
}
