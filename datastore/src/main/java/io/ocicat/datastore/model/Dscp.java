package io.ocicat.datastore.model;

import io.ocicat.base.Quoted;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Differentiated services code points (RFC 2474), by name or number. */
final class Dscp {
  private static final Set<String> NAMES =
      Set.of(
          "DF", "EF", "AF11", "AF12", "AF13", "AF21", "AF22", "AF23", "AF31", "AF32", "AF33",
          "AF41", "AF42", "AF43", "CS0", "CS1", "CS2", "CS3", "CS4", "CS5", "CS6");

  static final Shape.Leaf LEAF =
      new Shape.Leaf(
          Shape.Type.WHOLE_OR_TEXT,
          List.of(
              new ValueLimit.Range(0, 63),
              new ValueLimit.Format(
                  "dscp",
                  value ->
                      value.isIntegralNumber()
                              || NAMES.contains(
                                  value.stringValue().strip().toUpperCase(Locale.ROOT))
                          ? null
                          : "must be 0–63 or a name as in EF, AF11 or CS1, not "
                              + Quoted.brief(value.stringValue()))),
          ValueForm.DSCP);

  private Dscp() {}
}
