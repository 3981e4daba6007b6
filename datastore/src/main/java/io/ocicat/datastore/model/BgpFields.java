package io.ocicat.datastore.model;

import static io.ocicat.datastore.model.Shape.field;
import static io.ocicat.datastore.model.Shape.flag;
import static io.ocicat.datastore.model.Shape.struct;
import static io.ocicat.datastore.model.Shape.text;

import io.ocicat.base.Quoted;
import java.util.List;
import java.util.regex.Pattern;

/** Fields that the BGP kinds have in common. */
final class BgpFields {
  private static final Pattern COMMUNITY = Pattern.compile("\\d{1,10}:\\d{1,10}(:\\d{1,10})?");
  private static final long MAX_32 = 0xffff_ffffL;

  static final Shape.Leaf AS_NUMBER =
      new Shape.Leaf(
          Shape.Type.WHOLE_OR_TEXT, List.of(new ValueLimit.Range(0, MAX_32)), ValueForm.AS_NUMBER);

  /** A standard or a large community. */
  static final ValueLimit COMMUNITY_VALUE =
      new ValueLimit.Format(
          "community",
          value -> isCommunity(value.stringValue()) ? null : notCommunity(value.stringValue()));

  static final Shape.Struct PASSWORD =
      new Shape.Struct(
          struct(
              "secretKeyRef",
              "Where the password is.",
              new Shape.Struct(
                  text("name", "The secret."),
                  text("key", "Which of its entries.").always().require(),
                  flag("optional", "Whether it may be missing.").ifPresent())));

  private BgpFields() {}

  static Shape.Member asNumber(String name, String description) {
    return field(name, description, AS_NUMBER);
  }

  static String notCommunity(String value) {
    return "%s is not a community, as in 64512:100 or 64512:1:2".formatted(Quoted.brief(value));
  }

  /** Two numbers of 16 bits, or three of 32. */
  static boolean isCommunity(String value) {
    if (!COMMUNITY.matcher(value).matches()) {
      return false;
    }
    List<String> parts = List.of(value.split(":", -1));
    long max = parts.size() == 2 ? 0xffff : MAX_32;
    return parts.stream().allMatch(part -> Long.parseLong(part) <= max);
  }
}
