package io.ocicat.agent.config;

import io.ocicat.base.Quoted;
import io.ocicat.datastore.model.GoDuration;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.plugins.support.GoPattern;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A type of values, as Felix reads and writes them.
 *
 * @param rule what a value must be, after "must be"
 * @param parser reads a text; throws IllegalArgumentException or returns null for an invalid one
 * @param printer writes what the parser reads; empty for the value of {@code none}
 * @param off the value of {@code none}; null when a parameter of this type cannot be switched off
 */
record ValueType<T>(
    String rule,
    Function<String, @Nullable T> parser,
    Function<T, String> printer,
    @Nullable T off) {
  private static final Map<String, Boolean> FLAGS =
      Map.ofEntries(
          Map.entry("true", true),
          Map.entry("t", true),
          Map.entry("yes", true),
          Map.entry("y", true),
          Map.entry("1", true),
          Map.entry("false", false),
          Map.entry("f", false),
          Map.entry("no", false),
          Map.entry("n", false),
          Map.entry("0", false));
  private static final Pattern NUMBER = Pattern.compile("-?\\d{1,18}");
  private static final Pattern SECONDS = Pattern.compile("\\d+(\\.\\d+)?");
  private static final Pattern PORTS = Pattern.compile("(\\d{1,5})(?::(\\d{1,5}))?");
  private static final Pattern HOST = Pattern.compile("[a-zA-Z0-9:._+-]{1,64}");
  private static final Pattern INTERFACE_PREFIX = Pattern.compile("[a-zA-Z0-9_-]{1,15}");
  private static final Pattern PREFIX =
      Pattern.compile("[a-zA-Z0-9%:/_-]([a-zA-Z0-9%:/_ -]{0,62}[a-zA-Z0-9%:/_-])?");
  private static final int MAX_PORT = 0xffff;

  static final ValueType<Boolean> FLAG =
      new ValueType<>(
          "true or false",
          text -> FLAGS.get(text.toLowerCase(Locale.ROOT)),
          String::valueOf,
          false);

  /** Felix takes a number as seconds; the resource has Go's durations. */
  static final ValueType<Duration> INTERVAL =
      new ValueType<>(
          "seconds, or a duration as in 1m30s, that are not negative",
          ValueType::interval,
          GoDuration::text,
          Duration.ZERO);

  static final ValueType<Optional<IpAddress>> IPV4 =
      new ValueType<>(
          "an IPv4 address",
          text -> IpAddress.tryParse(text).filter(IpAddress::isV4).map(Optional::of).orElse(null),
          ValueType::print,
          Optional.empty());

  static final ValueType<Optional<IpAddress>> IPV6 =
      new ValueType<>(
          "an IPv6 address",
          text -> IpAddress.tryParse(text).filter(IpAddress::isV6).map(Optional::of).orElse(null),
          ValueType::print,
          Optional.empty());

  static final ValueType<Pattern> REGEX =
      new ValueType<>("a regular expression", ValueType::pattern, Pattern::pattern, null);

  static final ValueType<String> HOST_ADDRESS =
      new ValueType<>(
          "1–64 letters, digits, :, ., _, + and -",
          text -> HOST.matcher(text).matches() ? text : null,
          text -> text,
          "");

  static final ValueType<Path> FOLDER =
      new ValueType<>(
          "an absolute path",
          text -> text.startsWith("/") && text.indexOf('\0') < 0 ? Path.of(text) : null,
          Path::toString,
          Path.of(""));

  static final ValueType<List<String>> INTERFACE_PREFIXES =
      new ValueType<>(
          "prefixes of 1–15 letters, digits, _ and -, with commas between",
          text -> {
            List<String> prefixes = List.of(text.split(",", -1));
            return prefixes.stream().allMatch(one -> INTERFACE_PREFIX.matcher(one).matches())
                ? prefixes
                : null;
          },
          prefixes -> String.join(",", prefixes),
          null);

  static final ValueType<List<IpPrefix>> PREFIXES =
      new ValueType<>(
          "CIDRs or addresses, with commas between",
          ValueType::prefixes,
          prefixes -> prefixes.stream().map(IpPrefix::toString).collect(Collectors.joining(",")),
          List.of());

  static final ValueType<String> PORT_RANGE =
      new ValueType<>(
          "a port or a range as in 32768:65535", ValueType::portRange, text -> text, "");

  /** The kernel keeps 127 bytes; {@code %} and a letter stand for parts of the policy's name. */
  static final ValueType<String> LOG_PREFIX =
      new ValueType<>(
          "1–64 letters, digits, %, :, /, _ and -, or spaces within",
          text -> PREFIX.matcher(text).matches() ? text : null, text -> text, "");

  static ValueType<Integer> whole(int min, int max) {
    return new ValueType<>(
        "%d–%d".formatted(min, max),
        text -> number(text, min, max),
        String::valueOf,
        min == 0 ? 0 : null);
  }

  /** The MTU of a device; 0 is automatic. */
  static ValueType<Integer> mtu(int least) {
    return new ValueType<>(
        "0 for automatic, or %d–%d".formatted(least, MAX_PORT),
        text -> text.equals("0") ? Integer.valueOf(0) : number(text, least, MAX_PORT),
        String::valueOf,
        0);
  }

  /** One of a few words in any case. */
  static <E> ValueType<E> oneOf(List<Map.Entry<String, E>> words) {
    return new ValueType<>(
        words.stream().map(Map.Entry::getKey).collect(Collectors.joining(", ", "one of ", "")),
        text ->
            words.stream()
                .filter(word -> word.getKey().equalsIgnoreCase(text))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(null),
        value ->
            words.stream()
                .filter(word -> word.getValue().equals(value))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseThrow(),
        null);
  }

  /**
   * Reads a text that is not empty.
   *
   * @throws IllegalArgumentException saying, as the rest of a sentence, why it is invalid
   */
  T read(String text) {
    if (text.equalsIgnoreCase("none")) {
      if (off == null) {
        throw new IllegalArgumentException("must be " + rule + ": it cannot be none");
      }
      return off;
    }
    T value = parser.apply(text);
    if (value == null) {
      throw new IllegalArgumentException("must be %s, not %s".formatted(rule, Quoted.brief(text)));
    }
    return value;
  }

  /** Reads what {@link #print} wrote. */
  T reread(String text) {
    return read(text.isEmpty() ? "none" : text);
  }

  String print(T value) {
    return printer.apply(value);
  }

  private static @Nullable Integer number(String text, int min, int max) {
    if (!NUMBER.matcher(text).matches()) {
      return null;
    }
    long number = Long.parseLong(text);
    return number >= min && number <= max ? (int) number : null;
  }

  private static @Nullable Duration interval(String text) {
    Duration length = GoDuration.parse(SECONDS.matcher(text).matches() ? text + "s" : text);
    return length.isNegative() ? null : length;
  }

  private static String print(Optional<IpAddress> address) {
    return address.map(IpAddress::toString).orElse("");
  }

  private static Pattern pattern(String text) {
    try {
      return GoPattern.compile(text);
    } catch (PatternSyntaxException e) {
      throw new IllegalArgumentException(
          "must be a regular expression, not %s: %s"
              .formatted(Quoted.brief(text), e.getDescription().toLowerCase(Locale.ROOT)),
          e);
    }
  }

  private static @Nullable List<IpPrefix> prefixes(String text) {
    List<IpPrefix> prefixes = new ArrayList<>();
    for (String item : text.split(",", -1)) {
      String one = item.strip();
      Optional<IpPrefix> prefix =
          one.contains("/")
              ? IpPrefix.tryParse(one).map(IpPrefix::network)
              : IpAddress.tryParse(one).map(IpPrefix::host);
      if (prefix.isEmpty()) {
        return null;
      }
      prefixes.add(prefix.get());
    }
    return prefixes;
  }

  private static @Nullable String portRange(String text) {
    Matcher range = PORTS.matcher(text);
    if (!range.matches()) {
      return null;
    }
    int first = Integer.parseInt(range.group(1));
    int last = range.group(2) == null ? first : Integer.parseInt(range.group(2));
    return first >= 1 && first <= last && last <= MAX_PORT ? text : null;
  }
}
