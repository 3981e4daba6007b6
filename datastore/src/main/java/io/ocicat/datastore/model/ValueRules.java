package io.ocicat.datastore.model;

import io.ocicat.base.Quoted;
import io.ocicat.datastore.selector.Selector;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ip.MacAddress;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/** Calico's validation rules for single values. */
final class ValueRules {
  private static final String LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
  static final Pattern SUBDOMAIN = Pattern.compile(LABEL + "(\\." + LABEL + ")*");
  static final Pattern DNS_LABEL = Pattern.compile(LABEL);
  private static final Pattern CONTAINER_ID =
      Pattern.compile("[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?");
  private static final Pattern INTERFACE = Pattern.compile("[a-zA-Z0-9_.-]{1,15}|\\*");
  private static final Pattern PORT_NAME = Pattern.compile("[a-z0-9]([a-z0-9-]*[a-z0-9])?");
  private static final Pattern QUALIFIED =
      Pattern.compile("([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]");

  /** Longest DNS subdomain. */
  static final int MAX_NAME = 253;

  private static final int MAX_LABEL = 63;

  static final ValueLimit NAME =
      matching(
          "name",
          SUBDOMAIN,
          "must be lower-case letters, digits, - and ., with a letter or digit at both ends");

  static final ValueLimit LABEL_NAME =
      matching(
          "label",
          DNS_LABEL,
          "must be lower-case letters, digits and -, with a letter or digit at both ends");

  static final ValueLimit CONTAINER =
      matching(
          "container",
          CONTAINER_ID,
          "must be letters, digits and -, with a letter or digit at both ends");

  static final ValueLimit INTERFACE_NAME =
      matching("interface", INTERFACE, "must be 1–15 letters, digits, _, . or -, or *");

  static final ValueLimit PORT =
      new ValueLimit.Format(
          "port name",
          text ->
              portName(text.stringValue())
                  ? null
                  : "must be 1–15 lower-case letters, digits and -, at least one letter, not "
                      + Quoted.brief(text.stringValue()));

  static final ValueLimit MAC = parsing("mac", MacAddress::parse);
  static final ValueLimit IP = parsing("ip", IpAddress::parse);
  static final ValueLimit IPV4 =
      parsing("ipv4", text -> requireVersion(IpAddress.parse(text), true));
  static final ValueLimit IPV6 =
      parsing("ipv6", text -> requireVersion(IpAddress.parse(text), false));

  /** A CIDR without host bits, or an address alone. */
  static final ValueLimit NETWORK = parsing("network", ValueRules::network);

  static final ValueLimit NETWORK_V4 =
      parsing("network v4", text -> requireVersion(network(text).address(), true));
  static final ValueLimit NETWORK_V6 =
      parsing("network v6", text -> requireVersion(network(text).address(), false));

  /** A CIDR, with or without host bits, or an address alone. */
  static final ValueLimit CIDR = parsing("cidr", ValueRules::cidr);

  /** A CIDR, with or without host bits. */
  static final ValueLimit CIDR_WITH_LENGTH =
      parsing("cidr with length", ValueRules::cidrWithLength);

  static final ValueLimit CIDR_V4 =
      parsing("cidr v4", text -> requireVersion(cidr(text).address(), true));
  static final ValueLimit CIDR_V6 =
      parsing("cidr v6", text -> requireVersion(cidr(text).address(), false));

  static final ValueLimit SELECTOR =
      new ValueLimit.Format(
          "selector",
          value -> {
            try {
              Selector.parse(value.stringValue());
              return null;
            } catch (IllegalArgumentException e) {
              return Quoted.brief(value.stringValue()) + " " + e.getMessage();
            }
          });

  static final ValueLimit REGEX =
      parsing(
          "regex",
          text -> {
            try {
              Pattern.compile(text);
            } catch (PatternSyntaxException e) {
              throw new IllegalArgumentException(
                  "must be a regular expression, not %s: %s"
                      .formatted(Quoted.brief(text), e.getDescription().toLowerCase(Locale.ROOT)),
                  e);
            }
          });

  static final Shape.MapOf LABELS =
      new Shape.MapOf(
          ValueRules::qualifiedName,
          new Shape.Leaf(
              Shape.Type.TEXT,
              new ValueLimit.Format("label value", value -> labelValue(value.stringValue()))));

  static final Shape.MapOf ANNOTATIONS =
      new Shape.MapOf(
          name -> qualifiedName(name.toLowerCase(Locale.ROOT)), new Shape.Leaf(Shape.Type.TEXT));

  static final Shape.MapOf TEXTS = new Shape.MapOf(_ -> null, new Shape.Leaf(Shape.Type.TEXT));

  private ValueRules() {}

  static ValueLimit matching(String name, Pattern pattern, String must) {
    return new ValueLimit.Format(
        name,
        value ->
            pattern.matcher(value.stringValue()).matches()
                ? null
                : must + ", not " + Quoted.brief(value.stringValue()));
  }

  static ValueLimit parsing(String name, Consumer<String> parse) {
    return new ValueLimit.Format(
        name,
        value -> {
          try {
            parse.accept(value.stringValue());
            return null;
          } catch (IllegalArgumentException e) {
            return e.getMessage();
          }
        });
  }

  /** Parses a CIDR, or an address as a CIDR of full length. */
  static IpPrefix cidr(String text) {
    return text.indexOf('/') >= 0 ? IpPrefix.parse(text) : IpPrefix.host(IpAddress.parse(text));
  }

  static IpPrefix cidrWithLength(String text) {
    if (text.indexOf('/') < 0) {
      throw new IllegalArgumentException(
          "must be a CIDR with a length, as in %s, not %s"
              .formatted(cidr(text), Quoted.brief(text)));
    }
    return cidr(text);
  }

  static IpPrefix network(String text) {
    IpPrefix prefix = cidr(text);
    if (!prefix.isNetwork()) {
      throw new IllegalArgumentException(
          "%s has host bits set: write %s".formatted(Quoted.brief(text), prefix.network()));
    }
    return prefix;
  }

  private static void requireVersion(IpAddress address, boolean v4) {
    if (address.isV4() != v4) {
      throw new IllegalArgumentException(
          "must be an %s address, not %s".formatted(v4 ? "IPv4" : "IPv6", address));
    }
  }

  /** RFC 6335, as in Kubernetes. */
  static boolean portName(String text) {
    return text.length() <= 15
        && PORT_NAME.matcher(text).matches()
        && !text.contains("--")
        && text.chars().anyMatch(c -> c >= 'a' && c <= 'z');
  }

  /**
   * A Kubernetes qualified name: an optional DNS subdomain and a slash, then up to 63 allowed
   * characters.
   */
  static @Nullable String qualifiedName(String key) {
    int slash = key.indexOf('/');
    String prefix = slash < 0 ? "" : key.substring(0, slash);
    String name = key.substring(slash + 1);
    if (slash >= 0 && (prefix.length() > MAX_NAME || !SUBDOMAIN.matcher(prefix).matches())) {
      return "has a prefix that is not a DNS name: " + Quoted.brief(prefix);
    }
    if (name.isEmpty() || name.length() > MAX_LABEL || !QUALIFIED.matcher(name).matches()) {
      return "must be named by 1–63 letters, digits, -, _ and ., with a letter or digit at both ends";
    }
    return null;
  }

  static @Nullable String labelValue(String value) {
    boolean fine =
        value.isEmpty() || (value.length() <= MAX_LABEL && QUALIFIED.matcher(value).matches());
    return fine
        ? null
        : "must be at most 63 letters, digits, -, _ and ., with a letter or digit at both ends, not "
            + Quoted.brief(value);
  }
}
