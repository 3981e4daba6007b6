package io.ocicat.cli.doctor;

import java.util.List;

/** Looks at one thing and changes nothing. */
interface Check {
  String name();

  /** Everything that is wrong, all at once. */
  List<Finding> look();
}
