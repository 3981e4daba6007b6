package io.ocicat.cni;

import io.ocicat.base.Quoted;
import io.ocicat.base.json.FieldAccessListener;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The CNI_ARGS of a call: key-value pairs in their order. The last value of a repeated key counts.
 * A plugin rejects keys it does not know with {@link #refuseUnknown}; the caller may ask it to
 * ignore them.
 */
public record CniArgs(List<Arg> args) {
  public static final CniArgs NONE = new CniArgs(List.of());
  public static final String IGNORE_UNKNOWN = "IgnoreUnknown";

  /** One pair; there is no escaping, so neither part can contain a semicolon or an equals sign. */
  public record Arg(String key, String value) {
    public Arg {
      if (!isPlain(key) || !isPlain(value)) {
        throw new CniException(
            ErrorCode.INVALID_ENVIRONMENT,
            "ARGS: invalid pair " + Quoted.brief(key + "=" + value),
            "neither key nor value may hold ; or =");
      }
    }

    private static boolean isPlain(String text) {
      return text.indexOf(';') < 0 && text.indexOf('=') < 0;
    }

    @Override
    public String toString() {
      return key + "=" + value;
    }
  }

  public CniArgs {
    args = List.copyOf(args);
  }

  /**
   * Splits {@code K=V;K2=V2}.
   *
   * @throws CniException with code 4 for a piece that is not a pair
   */
  public static CniArgs parse(String text) {
    if (text.isEmpty()) {
      return NONE;
    }
    List<Arg> args = new ArrayList<>();
    for (String piece : text.split(";", -1)) {
      int equals = piece.indexOf('=');
      if (equals < 0 || equals != piece.lastIndexOf('=')) {
        throw refuse("invalid pair " + Quoted.brief(piece));
      }
      args.add(new Arg(piece.substring(0, equals), piece.substring(equals + 1)));
    }
    return new CniArgs(args);
  }

  public Optional<String> get(String key) {
    return last(key).map(Arg::value);
  }

  /**
   * The value converted by a function that rejects it with an IllegalArgumentException, as in
   * {@code args.get("MAC", MacAddress::parse)}.
   *
   * @throws CniException with code 4, naming the pair
   */
  public <T> Optional<T> get(String key, Function<String, T> conversion) {
    return last(key)
        .map(
            arg -> {
              try {
                return conversion.apply(arg.value());
              } catch (IllegalArgumentException e) {
                throw refuse(
                    "error parsing value of pair %s: %s"
                        .formatted(Quoted.brief(arg.toString()), e.getMessage()));
              }
            });
  }

  private Optional<Arg> last(String key) {
    recordAccess(key);
    for (Arg arg : args.reversed()) {
      if (arg.key().equals(key)) {
        return Optional.of(arg);
      }
    }
    return Optional.empty();
  }

  private static void recordAccess(String key) {
    FieldAccessListener.accessed("CNI_ARGS." + key);
  }

  /** 1, true, 0 or false, in upper or lower case. */
  public static boolean parseBool(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "1", "true" -> true;
      case "0", "false" -> false;
      default ->
          throw new IllegalArgumentException(
              Quoted.brief(text) + " is not a boolean: expected 1, true, 0 or false");
    };
  }

  /**
   * Rejects pairs whose key is not one of {@code known}, unless IgnoreUnknown is set.
   *
   * @throws CniException with code 4, listing them
   */
  public void refuseUnknown(Set<String> known) {
    known.forEach(CniArgs::recordAccess);
    boolean ignore = get(IGNORE_UNKNOWN, CniArgs::parseBool).orElse(false);
    List<String> unknown = new ArrayList<>();
    for (Arg arg : args) {
      if (!arg.key().equals(IGNORE_UNKNOWN) && !known.contains(arg.key())) {
        unknown.add(arg.toString());
      }
    }
    if (!ignore && !unknown.isEmpty()) {
      throw refuse("unknown args " + Quoted.list(unknown));
    }
  }

  private static CniException refuse(String why) {
    return new CniException(ErrorCode.INVALID_ENVIRONMENT, "ARGS: " + why);
  }

  /** In the format of the environment variable. */
  @Override
  public String toString() {
    return args.stream().map(Arg::toString).collect(Collectors.joining(";"));
  }
}
